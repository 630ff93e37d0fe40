package probe

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/decimal"
	"foretell/process"
)

// Convention specifies how a regression over words is weighted and scored. Papers differ
// in it and often do not say, and it changes the results for the same activations: a
// comparison with a published number must use its convention. The zero value is [Ours].
type Convention struct {
	Equal     bool      // all sequences count equally; else each by its probability
	Positions Positions // the words of each fit
	Test      Test      // the words of the score
	Cutoff    float64   // of [Fit]; 0 chooses it by cross-validation, [Plain] drops only rounding noise
}

// Positions selects, by length, the words that a regression is fitted to.
type Positions string

// The choices of [Positions].
const (
	Pooled       Positions = ""     // one fit to the words of all lengths
	LastPosition Positions = "last" // one fit to the words of full length
	EachPosition Positions = "each" // a fit to the words of each length
)

// Test selects the words that a score is computed on.
type Test string

// The choices of [Test].
const (
	BySequence Test = ""          // held out by whole sequence; shorter words are held out in part
	ByWord     Test = "word"      // held out word by word
	InSample   Test = "in-sample" // the words that were fitted
)

// Plain is the cut-off of plain least squares. Activations in float32 have a relative
// rounding error of 1e-7, which is 1e-14 as a variance; no direction above that is
// dropped.
const Plain = 1e-12

// The presets.
var (
	// Ours weights words by their probability, holds out whole sequences, and chooses the
	// cut-off by cross-validation within the fitted sequences.
	Ours = Convention{}
	// Piotrowski2025 is the data set of Piotrowski et al. 2025, App. B, “all possible input
	// sequences up to length 10”, with a row for every position of every sequence. The paper
	// says that its regressions (Fig. A3 to A6) are linear and scored by their mean squared
	// error, and nothing else. The rest of this preset is common practice: least squares by
	// scikit-learn's LinearRegression, scored on the rows that it was fitted to.
	Piotrowski2025 = Convention{Equal: true, Test: InSample, Cutoff: Plain}
)

// conventionWords are the words of [ParseConvention], each with the change that it makes
// to a convention.
var conventionWords = []struct {
	word  string
	apply func(*Convention)
}{
	{"ours", func(c *Convention) { *c = Ours }},
	{"piotrowski2025", func(c *Convention) { *c = Piotrowski2025 }},
	{"seed001", func(c *Convention) { *c = Piotrowski2025 }}, // its older name
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

// ParseConvention reads a convention: words separated by commas, each a preset (ours,
// piotrowski2025 or its older name seed001) or one choice (probability or equal; pooled,
// last or each; sequence, word or in-sample; nested, plain or a number, the cut-off),
// applied to [Ours] in order. For example, "piotrowski2025,last" is that preset at the
// last position only.
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

// String describes a score under the convention in words.
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

// needsAll reports whether the convention needs all words, not a sample.
func (c Convention) needsAll() bool { return c.Equal || c.Test == ByWord }

// check returns an error if the table holds sampled sequences, but the convention needs
// all.
func (c Convention) check(p *process.Prefixes) error {
	if p.Sequences > 0 && c.needsAll() {
		return fmt.Errorf("probe: %q needs all sequences, and these are %d sampled sequences", c, p.Sequences)
	}
	return nil
}

// weights returns the weight of each word. The weights of all words of one length sum to
// 1, or to 0 if that length is ignored.
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

// equalWeights weights each word by the share of full-length sequences that begin with
// it. Only sequences that can occur are counted.
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

// shares returns the folds, (rows, folds): the share of each word that each fold holds.
func (c Convention) shares(p *process.Prefixes, weights []float64) Table {
	switch {
	case p.Sequences > 0:
		return groupShares(p)
	case c.Test == ByWord:
		return dealt(p.Rows(), foldCount, foldSeed)
	}
	return sequenceShares(p, weights, foldCount, foldSeed)
}

// slots is the number of fits that a convention makes for the same features and target:
// one, or one for each position.
func (c Convention) slots(p *process.Prefixes) int {
	if c.Positions == EachPosition {
		return p.Length
	}
	return 1
}

// slot returns the index of the fit to words of a length.
func (c Convention) slot(length int) int {
	if c.Positions == EachPosition {
		return length - 1
	}
	return 0
}
