package probe

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/decimal"
	"foretell/process"
)

// Convention specifies how a regression over prefixes is weighted and scored. Papers use
// different conventions, often without stating them, and results for the same activations
// depend on the convention. A comparison with a published number must therefore use the
// convention of that number. The zero value is [Ours].
type Convention struct {
	Equal     bool         // all sequences have equal weight; otherwise each is weighted by its probability
	Positions FitPositions // which prefixes a fit uses
	HoldOut   HoldOut      // which prefixes are held out to compute a score on
	Cutoff    float64      // see [Fit]; 0 chooses it by cross-validation, [Plain] drops only rounding noise
}

// FitPositions selects the prefixes, by length, that a regression is fitted to.
type FitPositions string

// The choices of [FitPositions].
const (
	Pooled       FitPositions = ""     // one fit to the prefixes of all lengths
	LastPosition FitPositions = "last" // one fit to the prefixes of full length
	EachPosition FitPositions = "each" // a separate fit to the prefixes of each length
)

// HoldOut selects the prefixes that are held out from a fit, to compute its score on.
type HoldOut string

// The choices of [HoldOut].
const (
	BySequence HoldOut = ""          // whole sequences are held out; a prefix of several sequences is held out in part
	ByWord     HoldOut = "word"      // prefixes of any length are held out one by one
	InSample   HoldOut = "in-sample" // nothing is held out: the score is on the fitted prefixes
)

// Plain is the value of Convention.Cutoff for plain least squares. Activations in float32
// have a relative rounding error of 1e-7, which is 1e-14 as a variance, so this cut-off
// drops little more than rounding noise.
const Plain = 1e-12

// The preset conventions.
var (
	// Ours weights prefixes by their probability, holds out whole sequences, and chooses the
	// cut-off by cross-validation within the fitted sequences.
	Ours = Convention{}
	// Piotrowski2025 uses the data set of Piotrowski et al. 2025, App. B, “all possible
	// input sequences up to length 10”, with a row for every position of every sequence. The
	// paper says only that its regressions (Fig. A3 to A6) are linear and scored by their
	// mean squared error. The rest of this preset is common practice: least squares by
	// scikit-learn's LinearRegression, scored on the rows that it was fitted to.
	Piotrowski2025 = Convention{Equal: true, HoldOut: InSample, Cutoff: Plain}
)

// conventionWords are the words that [ParseConvention] accepts, each with the change that
// it makes to a convention.
var conventionWords = []struct {
	word  string
	apply func(*Convention)
}{
	{"ours", func(c *Convention) { *c = Ours }},
	{"piotrowski2025", func(c *Convention) { *c = Piotrowski2025 }},
	{"probability", func(c *Convention) { c.Equal = false }},
	{"equal", func(c *Convention) { c.Equal = true }},
	{"pooled", func(c *Convention) { c.Positions = Pooled }},
	{"last", func(c *Convention) { c.Positions = LastPosition }},
	{"each", func(c *Convention) { c.Positions = EachPosition }},
	{"sequence", func(c *Convention) { c.HoldOut = BySequence }},
	{"word", func(c *Convention) { c.HoldOut = ByWord }},
	{"in-sample", func(c *Convention) { c.HoldOut = InSample }},
	{"nested", func(c *Convention) { c.Cutoff = 0 }},
	{"plain", func(c *Convention) { c.Cutoff = Plain }},
}

// ConventionWords lists the words that [ParseConvention] accepts.
func ConventionWords() []string {
	var words []string
	for _, w := range conventionWords {
		words = append(words, w.word)
	}
	return words
}

// ParseConvention parses a convention. The text is a list of words separated by commas,
// which change [Ours] in order. A word is a preset (ours or piotrowski2025) or one
// choice: probability or equal, for the weights; pooled, last or each, for the positions;
// sequence, word or in-sample, for the test; nested, plain or a number, for the cut-off.
// For example, "piotrowski2025,last" is that preset at the last position only.
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

// String describes the convention in words, such as "held out by sequence, weighted by
// probability, all positions together, cut-off by cross-validation".
func (c Convention) String() string {
	words := []string{
		"held out by sequence", "weighted by probability", "all positions together", "cut-off by cross-validation",
	}
	switch c.HoldOut {
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

// needsAll reports whether the convention needs all prefixes, not a sample.
func (c Convention) needsAll() bool { return c.Equal || c.HoldOut == ByWord }

// check returns an error if the table holds sampled sequences, but the convention needs
// all prefixes.
func (c Convention) check(p *process.Prefixes) error {
	if p.Sequences > 0 && c.needsAll() {
		return fmt.Errorf("probe: the convention %q needs all sequences, not %d sampled ones", c, p.Sequences)
	}
	return nil
}

// weights returns the weight of each prefix. The weights of all prefixes of one length
// sum to 1, or to 0 if the convention ignores that length.
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

// equalWeights weights each prefix by the share of full-length sequences that begin with
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

// shares assigns the prefixes to folds. It returns a table, (rows, folds): the share of
// each prefix that is in each fold.
func (c Convention) shares(p *process.Prefixes, weights []float64) Table {
	switch {
	case p.Sequences > 0:
		return groupShares(p)
	case c.HoldOut == ByWord:
		return dealt(p.Rows(), foldCount, foldSeed)
	}
	return sequenceShares(p, weights, foldCount, foldSeed)
}

// slots returns the number of fits that a convention makes for the same features and
// target: one, or one for each position.
func (c Convention) slots(p *process.Prefixes) int {
	if c.Positions == EachPosition {
		return p.Length
	}
	return 1
}

// slot returns the index of the fit for prefixes of a given length.
func (c Convention) slot(length int) int {
	if c.Positions == EachPosition {
		return length - 1
	}
	return 0
}
