package induction

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/internal/random"
	"foretell/process"
)

// Parameters of the paper's constructions (Sec. 5).
const (
	paperBeta   = 100
	paperLambda = 500
	paperLength = 128 // T
)

// triedBeta is the β with which formulas are tested: small, so that small differences of
// weights are visible.
const triedBeta = 10

const (
	equal = 1e-9 // largest difference between forms that count as equal
	wrong = 1e-6 // smallest difference at which a printed formula counts as wrong
)

// construction returns the construction for a set of lags, with [transition] for P.
func construction(lags []int, context int) craft.Induction {
	return constructionOf(transition, lags, context)
}

// constructionOf returns the construction for a matrix P and a set of lags.
func constructionOf(p [][]float64, lags []int, context int) craft.Induction {
	chain := must(process.NewInterleaved(p, lags))
	return craft.Induction{Chain: chain, NCtx: context, Beta: paperBeta, Lambda: paperLambda}
}

// tried returns the construction, with triedBeta, on which formulas are tested with the
// trial's tokens.
func (t trial) tried() craft.Induction {
	c := construction(t.lags, len(t.tokens))
	c.Beta = triedBeta
	return c
}

// formula is a printed formula and the result of testing it.
type formula struct {
	place   string // place in the paper
	printed string
	right   string  // the formula that does what the text says
	counter string  // the smallest counterexample found; empty if there is no counterexample
	off     float64 // error of the printed formula at the counterexample
	left    float64 // largest error of the right formula, over all cases
}

// correct reports whether the printed formula does what the text says.
func (f formula) correct() bool { return f.off <= wrong }

// short returns the place of a wrong formula and the lags of its counterexample.
func (f formula) short() string {
	set, _, _ := strings.Cut(f.counter, "}")
	return f.place + " (" + set + "})"
}

// trial is a case on which a formula is tested: a set of lags, and a sequence of the
// process with these lags.
type trial struct {
	lags   []int
	tokens []int32
}

func (t trial) longest() int { return t.lags[len(t.lags)-1] }

// String names the case in a counterexample.
func (t trial) String() string {
	return "lags " + setOf(t.lags)
}

// setOf formats a set of lags.
func setOf(lags []int) string {
	return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(lags), " ", ", "), "[]") + "}"
}

// trialsOf draws a sequence for each set of lags, long enough that every head has tokens
// to attend to, at the positions of queries and of keys.
func trialsOf(sets [][]int) (list []trial) {
	for n, lags := range sets {
		chain := must(process.NewInterleaved(transition, lags))
		longest := lags[len(lags)-1]
		t := trial{lags, make([]int32, 3*longest+4)}
		chain.Sample(t.tokens, random.New(2, "paper/induction", uint64(n)))
		list = append(list, t)
	}
	return list
}

// contiguousUpTo returns the contiguous sets of lags up to a largest lag, sets with
// smaller lags first.
func contiguousUpTo(most int) (sets [][]int) {
	for last := 1; last <= most; last++ {
		for first := last; first >= 1; first-- {
			var lags []int
			for k := first; k <= last; k++ {
				lags = append(lags, k)
			}
			sets = append(sets, lags)
		}
	}
	return sets
}

// pairsUpTo returns the pairs of lags up to a largest lag.
func pairsUpTo(most int) (sets [][]int) {
	for last := 2; last <= most; last++ {
		for first := last - 1; first >= 1; first-- {
			sets = append(sets, []int{first, last})
		}
	}
	return sets
}

// atLeast returns the sets with at least n lags.
func atLeast(n int, sets [][]int) (list [][]int) {
	for _, lags := range sets {
		if len(lags) >= n {
			list = append(list, lags)
		}
	}
	return list
}

// attempt is a formula to be tested. On a case, check returns the error of the printed
// formula, the place of that error, and the error of the right formula.
type attempt struct {
	formula
	trials []trial
	check  func(t trial) (off float64, where string, left float64)
}

// try tests formulas one after the other.
func try(attempts ...attempt) []formula {
	list := make([]formula, len(attempts))
	for i, a := range attempts {
		f := a.formula
		for _, t := range a.trials {
			off, where, left := a.check(t)
			if off > wrong && f.counter == "" {
				f.off, f.counter = off, t.String()+where
			}
			f.left = worse(f.left, left)
		}
		list[i] = f
	}
	return list
}

// worse returns the larger of two differences. NaN, which cannot be reported, counts as
// the largest number.
func worse(a, b float64) float64 {
	if math.IsNaN(b) {
		return math.MaxFloat64
	}
	return max(a, b)
}

// firstOff finds the first difference between two patterns, (T, T), at or after the given
// row, counted from 0. It returns the size of the difference and a description of its
// place.
func firstOff(printed, right [][]float64, from int) (off float64, where string) {
	for i := from; i < len(right); i++ {
		for j := range i + 1 {
			if d := math.Abs(printed[i][j] - right[i][j]); !(d <= wrong) {
				return worse(0, d), fmt.Sprintf(", position %d attends to %d with %.3f, not %.3f",
					i+1, j+1, right[i][j], printed[i][j])
			}
		}
	}
	return 0, ""
}

// gap returns the largest difference between two patterns at or after the given row,
// counted from 0.
func gap(a, b [][]float64, from int) float64 {
	worst := 0.0
	for i := from; i < len(a); i++ {
		for j := range a[i] {
			worst = worse(worst, math.Abs(a[i][j]-b[i][j]))
		}
	}
	return worst
}

// apart returns the largest difference between two results of a construction, in any
// layer's attention or in the output.
func apart(a, b *craft.InductionForm) float64 {
	worst := max(gap(a.Extract, b.Extract, 0), gap(a.Select, b.Select, 0), gap(a.Output, b.Output, 0))
	for h := range a.Gather {
		worst = worse(worst, gap(a.Gather[h], b.Gather[h], 0))
	}
	return worst
}

// passOf runs the construction on tokens, through the ordinary forward pass.
func passOf(c craft.Induction, tokens []int32) *craft.InductionForm {
	return must(craft.InductionPass(must(c.Transformer()), tokens))
}

// passWith is passOf with the blocks of the weights modified by the given function.
func passWith(c craft.Induction, tokens []int32, change func(*craft.InductionMatrices)) *craft.InductionForm {
	return must(craft.InductionPass(asked{Induction: c, change: change}.model(), tokens))
}

// construct holds the measurements of a row that tests a construction.
type construct struct {
	forms    int     // number of comparisons with a closed form
	worst    float64 // largest difference from a closed form
	formulas []formula
	along    lines
	// The names, among the lines, of a construction as printed and of the corrected one;
	// empty if the misprints build no other predictor.
	printed, right string
}

// compare runs constructions as transformers, and compares them with their closed forms
// on the trials' tokens. The function ask returns the constructions for a set of lags.
func (m *construct) compare(trials []trial, ask func(c craft.Induction) []craft.Induction) {
	for _, t := range trials {
		c := construction(t.lags, len(t.tokens))
		for _, asked := range ask(c) {
			want := must(asked.ClosedForm(t.tokens))
			got := passOf(asked, t.tokens)
			m.worst = worse(m.worst, apart(got, want))
			m.forms++
		}
	}
}

// judge applies the rule of rows that test printed formulas.
func (m construct) judge() claim.Finding {
	var misprints []string
	left := m.worst
	for _, f := range m.formulas {
		if !f.correct() {
			misprints = append(misprints, f.short())
		}
		left = worse(left, f.left)
	}
	f := claim.Finding{
		Verdict: claim.Holds,
		Obtained: fmt.Sprintf("the constructed transformers equal their closed forms within %.1e in %d "+
			"cases", m.worst, m.forms),
		Effect: claim.Exactly("largest difference of a constructed transformer from its closed form", "", m.worst),
	}
	switch {
	case !(left <= equal):
		f.Verdict = claim.Fails
		f.Obtained += fmt.Sprintf("; the corrected formulas are off by up to %.1e", left)
	case len(misprints) > 0:
		f.Verdict, f.Effect = claim.Corrected, m.cost()
		f.Obtained += fmt.Sprintf("; of %d printed formulas, these do not do what the text says: %s; the corrected "+
			"formulas do, within %.1e", len(m.formulas), strings.Join(misprints, "; "), left)
	}
	return f
}

// cost returns the number that the misprints cost: how much worse the construction as
// printed predicts than the corrected one or, if they build no other predictor, the
// largest error of a printed formula.
func (m construct) cost() *claim.Effect {
	printed, right := m.along.find(m.printed), m.along.find(m.right)
	if printed == nil || right == nil {
		worst := 0.0
		for _, f := range m.formulas {
			worst = max(worst, f.off)
		}
		return claim.Exactly("largest error of a printed formula, at its counterexample", "", worst)
	}
	above, se := printed.above(right.curve, judgedFrom)
	return claim.Measured(m.printed+", divergence above "+m.right, "nats", above, se)
}

func (m construct) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: "Test of the printed formulas (positions count from 1)",
		Columns: slices.Concat(
			document.Headed("", "where", "printed", "right?", "right formula", "smallest counterexample"),
			document.Headed("%.2g", "off by"),
		),
	}
	for _, f := range m.formulas {
		if f.correct() {
			table.Row(f.place, f.printed, "yes", f.right, f.counter, "")
		} else {
			table.Row(f.place, f.printed, "no", f.right, f.counter, f.off)
		}
	}
	c.Tables = append(c.Tables, table.Table())
	if len(m.along.list) > 0 {
		c.Tables = append(c.Tables, m.along.table())
	}
}

func (m construct) draw(out *claim.Output) { m.along.draw(out) }
