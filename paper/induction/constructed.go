package induction

import (
	"fmt"
	"math"
	"strings"

	"foretell/claim"
	"foretell/craft"
	"foretell/internal/random"
	"foretell/process"
)

// What the document fixes for its constructions (Sec. 5).
const (
	paperBeta   = 100
	paperLambda = 500
	paperLength = 128 // T
)

// triedBeta is the β with which formulas are tried: weights that differ little show.
const triedBeta = 10

const (
	equal = 1e-9 // up to which two forms are the same
	wrong = 1e-6 // from which a printed formula does not do what the text says
)

// construction asks for the construction of a set of lags with the matrix of this
// document's rows.
func construction(lags []int, context int) (craft.Induction, error) {
	chain, err := process.NewInterleaved(transition, lags)
	return craft.Induction{Chain: chain, NCtx: context, Beta: paperBeta, Lambda: paperLambda}, err
}

// tried is the construction with which formulas are tried on the trial's tokens.
func (t trial) tried() (craft.Induction, error) {
	c, err := construction(t.lags, len(t.tokens))
	c.Beta = triedBeta
	return c, err
}

// formula is a printed formula that was worked through.
type formula struct {
	place   string // where it stands
	printed string
	right   string  // what does what the text says
	counter string  // the smallest counterexample found, empty if there is none
	off     float64 // what the printed formula is off by there
	left    float64 // the most that the right one is off by, in every case tried
}

// stands reports whether the formula does what the text says.
func (f formula) stands() bool { return f.off <= wrong }

// short names a formula that does not stand, with the lags of its counterexample.
func (f formula) short() string {
	set, _, _ := strings.Cut(f.counter, "}")
	return f.place + " (" + set + "})"
}

// trial is a case in which a formula is tried: lags, and tokens of their process.
type trial struct {
	lags   []int
	tokens []int32
}

func (t trial) longest() int { return t.lags[len(t.lags)-1] }

// String is the case as a counterexample names it.
func (t trial) String() string {
	return "lags " + setOf(t.lags)
}

// setOf writes a set of lags.
func setOf(lags []int) string {
	return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(lags), " ", ", "), "[]") + "}"
}

// trialsOf draws a sequence for each set, long enough for every head to have something to
// attend to, for queries and keys.
func trialsOf(sets [][]int) ([]trial, error) {
	var list []trial
	for n, lags := range sets {
		chain, err := process.NewInterleaved(transition, lags)
		if err != nil {
			return nil, err
		}
		longest := lags[len(lags)-1]
		t := trial{lags, make([]int32, 3*longest+4)}
		chain.Sample(t.tokens, random.New(2, "paper/induction", uint64(n)))
		list = append(list, t)
	}
	return list, nil
}

// contiguousUpTo lists the contiguous sets of lags up to a largest one, those of smaller
// lags first.
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

// pairsUpTo lists the pairs of lags up to a largest one.
func pairsUpTo(most int) (sets [][]int) {
	for last := 2; last <= most; last++ {
		for first := last - 1; first >= 1; first-- {
			sets = append(sets, []int{first, last})
		}
	}
	return sets
}

// atLeast returns the sets of so many lags or more.
func atLeast(n int, sets [][]int) (list [][]int) {
	for _, lags := range sets {
		if len(lags) >= n {
			list = append(list, lags)
		}
	}
	return list
}

// attempt is a formula to be tried: check returns what the printed one is off by at a
// case and where, and what the right one is off by.
type attempt struct {
	formula
	trials []trial
	check  func(t trial) (off float64, where string, left float64, err error)
}

// try tries formulas one after the other.
func try(attempts ...attempt) ([]formula, error) {
	list := make([]formula, len(attempts))
	for i, a := range attempts {
		f := a.formula
		for _, t := range a.trials {
			off, where, left, err := a.check(t)
			if err != nil {
				return nil, err
			}
			if off > wrong && f.counter == "" {
				f.off, f.counter = off, t.String()+where
			}
			f.left = worse(f.left, left)
		}
		list[i] = f
	}
	return list, nil
}

// worse is the larger of two differences; NaN, of which no report could speak, is the
// largest number.
func worse(a, b float64) float64 {
	if math.IsNaN(b) {
		return math.MaxFloat64
	}
	return max(a, b)
}

// firstOff returns where two patterns, (T, T), differ first from a row on, counted from
// 0, by how much there, and as words for a counterexample.
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

// gap is the largest difference of two patterns from a row on.
func gap(a, b [][]float64, from int) float64 {
	worst := 0.0
	for i := from; i < len(a); i++ {
		for j := range a[i] {
			worst = worse(worst, math.Abs(a[i][j]-b[i][j]))
		}
	}
	return worst
}

// apart is the largest difference of two forms: of a layer's attention, or the output.
func apart(a, b *craft.InductionForm) float64 {
	worst := max(gap(a.Extract, b.Extract, 0), gap(a.Select, b.Select, 0), gap(a.Output, b.Output, 0))
	for h := range a.Gather {
		worst = worse(worst, gap(a.Gather[h], b.Gather[h], 0))
	}
	return worst
}

// passOf runs the construction with tokens through the ordinary forward pass.
func passOf(c craft.Induction, tokens []int32) (*craft.InductionForm, error) {
	m, err := c.Transformer()
	if err != nil {
		return nil, err
	}
	return craft.InductionPass(m, tokens)
}

// passWith is passOf with blocks that a formula has changed.
func passWith(c craft.Induction, tokens []int32, change func(*craft.InductionMatrices)) (*craft.InductionForm, error) {
	m, err := asked{Induction: c, change: change}.model()
	if err != nil {
		return nil, err
	}
	return craft.InductionPass(m, tokens)
}

// construct is what a row finds out about a construction.
type construct struct {
	setting  string
	forms    int     // closed forms that weights were compared with
	worst    float64 // the largest difference
	formulas []formula
	along    lines
}

// compare compares weights with their closed forms on the trials' tokens.
func (m *construct) compare(trials []trial, ask func(c craft.Induction) []craft.Induction) error {
	for _, t := range trials {
		c, err := construction(t.lags, len(t.tokens))
		if err != nil {
			return err
		}
		for _, asked := range ask(c) {
			want, err := asked.ClosedForm(t.tokens)
			if err != nil {
				return err
			}
			got, err := passOf(asked, t.tokens)
			if err != nil {
				return err
			}
			m.worst = worse(m.worst, apart(got, want))
			m.forms++
		}
	}
	return nil
}

// judge is the rule of rows that work printed formulas through.
func (m construct) judge() claim.Finding {
	var misprints []string
	left := m.worst
	for _, f := range m.formulas {
		if !f.stands() {
			misprints = append(misprints, f.short())
		}
		left = worse(left, f.left)
	}
	f := claim.Finding{
		Verdict:  claim.Holds,
		Obtained: fmt.Sprintf("weights are their closed forms to %.1e in %d cases", m.worst, m.forms),
		Effect:   claim.Exactly("largest difference of weights from the closed form", "", m.worst),
	}
	switch {
	case !(left <= equal):
		f.Verdict = claim.Fails
		f.Obtained += fmt.Sprintf("; what is given for printed formulas is off by up to %.1e", left)
	case len(misprints) > 0:
		f.Verdict = claim.Corrected
		f.Obtained += fmt.Sprintf("; of %d printed formulas these do not do what the text says: %s; what is given for them "+
			"does, to %.1e", len(m.formulas), strings.Join(misprints, "; "), left)
	}
	return f
}

// rule is how rows that work printed formulas through are judged.
const rule = "Corrected if a printed formula does not do what the text says for every admissible set of lags, and " +
	"the formula given for it does; fails if a construction is not its closed form, or such a formula not what the text " +
	"says, to %s; else holds"

func (m construct) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title:   "Printed formulas, worked through (positions count from 1)",
		Columns: []string{"where", "printed", "does it", "what does", "smallest counterexample", "off by"},
	}
	for _, f := range m.formulas {
		does, off := "yes", ""
		if !f.stands() {
			does, off = "no", fmt.Sprintf("%.2g", f.off)
		}
		table.Rows = append(table.Rows, []string{f.place, f.printed, does, f.right, f.counter, off})
	}
	c.Tables = append(c.Tables, table)
	if len(m.along.list) > 0 {
		c.Tables = append(c.Tables, m.along.table())
	}
	c.Notes = append(c.Notes, "Printed formulas are as a text version of the document has them, in which a sign, a "+
		"bracket or a floor may be lost that its authors wrote; no verdict rests on such a one alone.")
	c.Setting = m.setting
}

func (m construct) draw(out *claim.Output) { m.along.draw(out) }
