package probe

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/decimal"
	"foretell/process"
)

// Convention is how a regression over words is weighted and scored. Papers differ in it
// and often do not say, and the same activations give other figures: a comparison with
// a published one has to use its convention. The zero value is [Ours].
type Convention struct {
	Equal     bool      // all sequences count equally; else each by its probability
	Positions Positions // which words a fit is to
	Test      Test      // what the score is of
	Cutoff    float64   // of [Fit]; 0 chooses it by cross-validation, [Plain] leaves rounding noise out alone
}

// Positions says to which words, by their length, a regression is.
type Positions string

// The choices of [Positions].
const (
	Pooled       Positions = ""     // one fit to the words of all lengths
	LastPosition Positions = "last" // one fit to the words of full length
	EachPosition Positions = "each" // a fit to the words of each length
)

// Test says which words a score is of.
type Test string

// The choices of [Test].
const (
	BySequence Test = ""          // held out, each sequence whole, beginnings in part
	ByWord     Test = "word"      // held out, each word on its own
	InSample   Test = "in-sample" // the words that were fitted
)

// Plain is the cut-off of plain least squares. Activations in float32 have a relative
// rounding error of 1e-7, as a variance 1e-14; no direction above that is left out.
const Plain = 1e-12

// The presets.
var (
	// Ours weighs words by their probability, holds whole sequences out, and chooses
	// the cut-off among those that a fit may see.
	Ours = Convention{}
	// Piotrowski2025 is the data set of Piotrowski et al. 2025, App. B, "all possible
	// input sequences up to length 10", every position of every sequence a row of its
	// own. It says of its regressions (Fig. A3 to A6) that they are linear and scored
	// by their mean squared error, and no more: what stands here for the rest is the
	// field's habit, least squares by scikit-learn's LinearRegression, scored on the
	// rows that it was fitted to.
	Piotrowski2025 = Convention{Equal: true, Test: InSample, Cutoff: Plain}
)

// conventionWords are what a convention is spelled with, and what each changes.
var conventionWords = []struct {
	word  string
	apply func(*Convention)
}{
	{"ours", func(c *Convention) { *c = Ours }},
	{"piotrowski2025", func(c *Convention) { *c = Piotrowski2025 }},
	{"seed001", func(c *Convention) { *c = Piotrowski2025 }}, // as it was called before
	{"probability", func(c *Convention) { c.Equal = false }},
	{"equal", func(c *Convention) { c.Equal = true }},
	{"pooled", func(c *Convention) { c.Positions = Pooled }},
	{"last", func(c *Convention) { c.Positions = LastPosition }},
	{"each", func(c *Convention) { c.Positions = EachPosition }},
	{"sequence", func(c *Convention) { c.Test = BySequence }},
	{"word", func(c *Convention) { c.Test = ByWord }},
	{"in-sample", func(c *Convention) { c.Test = InSample }},
	{"nested", func(c *Convention) { c.Cutoff = 0 }},
	{"plain", func(c *Convention) { c.Cutoff = Plain }},
}

// ConventionWords lists the words of [ParseConvention].
func ConventionWords() []string {
	var words []string
	for _, w := range conventionWords {
		words = append(words, w.word)
	}
	return words
}

// ParseConvention reads a convention: words separated by commas, a preset (ours,
// piotrowski2025 or its older name seed001) or one choice (probability or equal; pooled,
// last or each; sequence, word or in-sample; nested, plain or a number, the cut-off),
// applied to [Ours] one after another. "piotrowski2025,last" is the preset at the last
// position alone.
func ParseConvention(text string) (Convention, error) {
	c := Ours
	for word := range strings.SplitSeq(text, ",") {
		if i := slices.Index(ConventionWords(), word); i >= 0 {
			conventionWords[i].apply(&c)
			continue
		}
		cutoff, err := decimal.Parse(word, 64)
		if err != nil {
			words := strings.Join(ConventionWords(), ", ")
			return c, fmt.Errorf("%q is not one of %s, or a cut-off such as 1e-6", word, words)
		}
		if !(cutoff >= Plain && cutoff < 1) {
			return c, fmt.Errorf("the cut-off %g is outside [%g, 1)", cutoff, Plain)
		}
		c.Cutoff = cutoff
	}
	return c, nil
}

// String says in words what a score of the convention is.
func (c Convention) String() string {
	words := []string{
		"held out by sequence", "weighted by probability", "all positions together", "cut-off by cross-validation",
	}
	switch c.Test {
	case ByWord:
		words[0] = "held out by word"
	case InSample:
		words[0] = "in sample"
	}
	if c.Equal {
		words[1] = "all sequences equal"
	}
	switch c.Positions {
	case LastPosition:
		words[2] = "last position"
	case EachPosition:
		words[2] = "a fit for each position"
	}
	switch c.Cutoff {
	case 0:
	case Plain:
		words[3] = "plain least squares"
	default:
		words[3] = fmt.Sprintf("cut-off %g", c.Cutoff)
	}
	return strings.Join(words, ", ")
}

// needsAll says whether a sample of the words does not do.
func (c Convention) needsAll() bool { return c.Equal || c.Test == ByWord }

// check returns an error where a table of sampled sequences cannot be analysed so.
func (c Convention) check(p *process.Prefixes) error {
	if p.Sequences > 0 && c.needsAll() {
		return fmt.Errorf("probe: %q needs all words, and these are of %d sampled sequences", c, p.Sequences)
	}
	return nil
}

// weights returns the weight of each word. The words of each length have weight 1 in
// all, or 0.
func (c Convention) weights(p *process.Prefixes) []float64 {
	weights := slices.Clone(p.Prob)
	if c.Equal {
		weights = equalWeights(p)
	}
	if c.Positions == LastPosition {
		from, _ := p.Range(p.Length)
		clear(weights[:from])
	}
	return weights
}

// equalWeights weighs each word by the share of the sequences of full length, among
// those that can occur, that begin with it.
func equalWeights(p *process.Prefixes) []float64 {
	weights := make([]float64, p.Rows())
	from, to := p.Range(p.Length)
	count := 0.0
	for row := from; row < to; row++ {
		if p.Prob[row] > 0 {
			weights[row] = 1
			count++
		}
	}
	for row := to - 1; row >= 0; row-- {
		if parent := p.Parent(row); parent >= 0 {
			weights[parent] += weights[row]
		}
		weights[row] /= count
	}
	return weights
}

// shares returns the folds: (rows, folds), the share of each word that each holds.
func (c Convention) shares(p *process.Prefixes, weights []float64) Table {
	switch {
	case p.Sequences > 0:
		return groupShares(p)
	case c.Test == ByWord:
		return dealt(p.Rows(), foldCount, foldSeed)
	}
	return sequenceShares(p, weights, foldCount, foldSeed)
}

// slots is the number of fits that a convention makes of the same features: one, or one
// a position.
func (c Convention) slots(p *process.Prefixes) int {
	if c.Positions == EachPosition {
		return p.Length
	}
	return 1
}

// slot returns which of them is to words of a length.
func (c Convention) slot(length int) int {
	if c.Positions == EachPosition {
		return length - 1
	}
	return 0
}
