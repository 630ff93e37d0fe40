package paper

import (
	"fmt"
	"math"
	"strings"

	"foretell/figure"
	"foretell/internal/npz"
	"foretell/process"
)

// equal is the difference up to which two ways to compute a belief agree.
const equal = 1e-12

// paperProcesses are the four processes of the paper's figures.
func paperProcesses() []*process.HMM {
	var list []*process.HMM
	for _, x := range []float64{0.15, 0.5} {
		for _, a := range []float64{0.2, 0.6} {
			h, err := process.Mess3(x, a)
			if err != nil {
				panic("paper: " + err.Error())
			}
			list = append(list, h)
		}
	}
	return list
}

func processLabel(h *process.HMM) string {
	return fmt.Sprintf("x = %g, α = %g", h.Params()["x"], h.Params()["a"])
}

// testBeliefGeometry is M1: Fig. 1B, Eq. 2 and 25.
func testBeliefGeometry(s *Study, c *Claim) error {
	const longest = 8 // words compared with the product of their matrices
	var panels []figure.Panel
	var arrays []npz.Array
	worst, words := 0.0, 0
	for _, h := range paperProcesses() {
		p := h.Prefixes(nCtx)
		_, end := p.Range(longest)
		for row := range end {
			worst = max(worst, difference(p.Belief(row), productBelief(h, p.Tokens(row))))
		}
		words += end
		panels = append(panels, figure.Simplex{Title: processLabel(h), P: cut(p.Beliefs, 3), Vertices: [3]string{"state 0", "state 1", "state 2"}})
		arrays = append(arrays, npz.Array{Name: arrayName(h, "beliefs"), Shape: []int{p.Rows(), 3}, Data: single(p.Beliefs)})
	}
	c.Verdict = Fails
	if worst <= equal {
		c.Verdict = Holds
	}
	c.Obtained = fmt.Sprintf("largest difference %.1e over %d words of up to %d tokens, four processes", worst, words, longest)
	c.Notes = append(c.Notes,
		"The rule compares two ways to compute a belief; that the points are a fractal is left to the eye.",
		"Misprints: Eq. 25 multiplies T^(z_0) … T^(z_N) for the word z_1 … z_d of its left side; App. A writes P(s_i, z|s_i) for the entry P(s_j, z|s_i); Sec. 4.4 has λ⟨λ| = T⟨λ| below Eq. 11 for ⟨λ|T = λ⟨λ|.")
	err := s.addFigure(c, "beliefs", "Every word of up to 10 tokens as a point: the optimal observer's belief over the three hidden states, "+
		"coloured by its three probabilities. Small x: states persist, tokens add up, and the beliefs spread into a fractal that reaches for the corners. "+
		"Small α: a token says little, and the beliefs stay near the centre.",
		&figure.Figure{
			Title:  "Belief geometries of Mess3",
			Desc:   "Four triangles with the beliefs of all words of up to ten tokens; each is a self-similar set of points.",
			Panels: [][]figure.Panel{panels},
		})
	if err != nil {
		return err
	}
	return s.addArrays(c, "beliefs", arrays)
}

// productBelief is Eq. 25 as it stands: the product of the labelled matrices,
// applied to π and normalised once.
func productBelief(h *process.HMM, word []int) []float64 {
	n := h.NumStates()
	product := make([]float64, n*n)
	for i := range n {
		product[i*n+i] = 1
	}
	for _, z := range word {
		t, next := h.Transition(z), make([]float64, n*n)
		for i := range n {
			for k := range n {
				for j := range n {
					next[i*n+j] += product[i*n+k] * t[k*n+j]
				}
			}
		}
		product = next
	}
	belief, total := make([]float64, n), 0.0
	for i, pi := range h.Stationary() {
		for j := range n {
			belief[j] += pi * product[i*n+j]
			total += pi * product[i*n+j]
		}
	}
	for j := range belief {
		belief[j] /= total
	}
	return belief
}

// testConstrainedGeometry is M3: Eq. 5, 7, 26 and 27.
//
// The paper introduces Eq. 5 (= Eq. 27) as a simpler way to write Eq. 26 for
// processes whose labelled matrices have no zero row. The two differ: Eq. 5's
// πT^{|z} weighs the rows of T^{|z} by the prior π, where Bayes' rule, and Eq. 6,
// weigh them by the posterior. The row says so when the numbers do.
func testConstrainedGeometry(s *Study, c *Claim) error {
	table := Table{
		Title:   "largest difference over all words of up to 8 tokens",
		Columns: []string{"process", "Eq. 26 against its spectral form", "Eq. 5 against Eq. 7", "Eq. 5 against Eq. 26", "(Eq. 5 − π)/(Eq. 26 − π)"},
	}
	bayes := Table{Title: "the word 0: Pr(S₁ | Z₁ = 0) of Eq. 6 against both forms", Columns: []string{"process", "Bayes (Eq. 6)", "Eq. 26", "Eq. 5"}}
	var first, second []figure.Panel
	var arrays []npz.Array
	worstSpectral, worstForms, oneFactor := 0.0, 0.0, true
	for _, h := range paperProcesses() {
		m, err := compareForms(h)
		if err != nil {
			return err
		}
		worstSpectral, worstForms = max(worstSpectral, m.spectral26, m.spectral5), max(worstForms, m.forms)
		oneFactor = oneFactor && !math.IsNaN(m.factor)
		table.Rows = append(table.Rows, []string{processLabel(h), fmt.Sprintf("%.1e", m.spectral26), fmt.Sprintf("%.1e", m.spectral5), fmt.Sprintf("%.3f", m.forms), m.factorText()})
		bayes.Rows = append(bayes.Rows, []string{processLabel(h), triple(m.word0[0]), triple(m.word0[1]), triple(m.word0[2])})
		first = append(first, figure.Simplex{Title: processLabel(h), P: cut(m.eq26, 3), Belief: cut(m.beliefs, 3)})
		second = append(second, figure.Simplex{P: cut(m.eq5, 3), Belief: cut(m.beliefs, 3)})
		arrays = append(arrays,
			npz.Array{Name: arrayName(h, "eq26"), Shape: []int{len(m.eq26) / 3, 3}, Data: single(m.eq26)},
			npz.Array{Name: arrayName(h, "eq5"), Shape: []int{len(m.eq5) / 3, 3}, Data: single(m.eq5)})
	}
	c.Tables = append(c.Tables, table, bayes)
	switch {
	case worstSpectral > equal:
		c.Verdict = Fails
		c.Obtained = fmt.Sprintf("a sum and its spectral form differ by %.1e", worstSpectral)
	case worstForms > equal:
		c.Verdict = Corrected
		c.Obtained = fmt.Sprintf("each sum equals its spectral form (largest difference %.1e), but Eq. 5 and 27 do not equal Eq. 26 (difference up to %.2f); "+
			"only Eq. 26 is Eq. 6", worstSpectral, worstForms)
		if oneFactor {
			c.Obtained += ". For Mess3 they differ by one factor for all words"
		}
	default:
		c.Verdict = Holds
		c.Obtained = fmt.Sprintf("all forms agree; largest difference %.1e", max(worstSpectral, worstForms))
	}
	c.Notes = append(c.Notes,
		"Printed: πT^{|z} with each row of T^(z) divided by its own sum (App. A), “for processes like Mess3 that have non-zero row sums”. "+
			"True: this weighs the rows by the prior π; Pr(S|z) of Eq. 6 is πT^(z)/(πT^(z)·1), Eq. 26. The forms agree when all rows of T^(z) have the same sum, which Mess3's have not.",
		"Everywhere else in this ledger “constrained belief” means Eq. 26. By Mess3's symmetry Eq. 5 is Eq. 26 drawn closer to π by a constant factor, so that no regression, R² or PCA can tell them apart.")
	err := s.addFigure(c, "constrained", "The constrained geometry of all words of up to 10 tokens: what one can know who adds up one correction a token. "+
		"Above, Eq. 26 (Bayes); below, Eq. 5 as printed: the same shape, smaller. Points may leave the triangle (they sum to one but may be negative). "+
		"For x = 0.5, ζ = −½ and corrections alternate in sign. Colours are the full beliefs of the words.",
		&figure.Figure{
			Title:  "Constrained belief geometries of Mess3",
			Desc:   "Four columns of triangles, one a process; the upper row shows Eq. 26, the lower row Eq. 5, which is smaller.",
			Panels: [][]figure.Panel{first, second}, Rows: []string{"Eq. 26", "Eq. 5"},
		})
	if err != nil {
		return err
	}
	return s.addArrays(c, "constrained", arrays)
}

// forms compares the ways to write the constrained belief.
type forms struct {
	spectral26, spectral5, forms float64 // largest differences
	factor                       float64 // (Eq. 5 − π)/(Eq. 26 − π), NaN when it is not one factor
	word0                        [3][]float64
	beliefs, eq26, eq5           []float64 // (rows, 3) over all words to nCtx
}

func (f forms) factorText() string {
	if math.IsNaN(f.factor) {
		return "no single factor"
	}
	return fmt.Sprintf("%.3f", f.factor)
}

func compareForms(h *process.HMM) (forms, error) {
	const longest = 8
	f := forms{factor: math.NaN()}
	spectrum, err := h.Spectrum()
	if err != nil {
		return f, err
	}
	p := h.Prefixes(nCtx)
	f.beliefs, f.eq26 = p.Beliefs, p.Constrained
	_, end := p.Range(longest)
	pi := h.Stationary()
	dot, square := 0.0, 0.0
	for row := range p.Rows() {
		word := p.Tokens(row)
		five, err := h.ConstrainedEq5(word)
		if err != nil {
			return f, err
		}
		f.eq5 = append(f.eq5, five...)
		for j, x := range p.ConstrainedBelief(row) {
			dot += (five[j] - pi[j]) * (x - pi[j])
			square += (x - pi[j]) * (x - pi[j])
		}
		if row >= end {
			continue
		}
		mode26, err := spectrum.Constrained(word)
		if err != nil {
			return f, err
		}
		mode5, err := spectrum.ConstrainedEq5(word)
		if err != nil {
			return f, err
		}
		f.spectral26 = max(f.spectral26, difference(mode26, p.ConstrainedBelief(row)))
		f.spectral5 = max(f.spectral5, difference(mode5, five))
		f.forms = max(f.forms, difference(five, p.ConstrainedBelief(row)))
	}
	f.word0 = [3][]float64{p.Belief(0), p.ConstrainedBelief(0), f.eq5[:3]}
	factor := dot / square
	for i, x := range f.eq5 {
		if math.Abs(x-pi[i%3]-factor*(f.eq26[i]-pi[i%3])) > equal {
			return f, nil
		}
	}
	f.factor = factor
	return f, nil
}

// difference is the largest difference between entries.
func difference(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// cut returns the rows of a row-major array, as views.
func cut(flat []float64, width int) [][]float64 {
	rows := make([][]float64, len(flat)/width)
	for i := range rows {
		rows[i] = flat[i*width : (i+1)*width]
	}
	return rows
}

// single rounds to float32, which halves a data file and keeps seven digits.
func single(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// arrayName names an array of a process in a data file.
func arrayName(h *process.HMM, what string) string {
	return fmt.Sprintf("%s_x%g_a%g", what, h.Params()["x"], h.Params()["a"])
}

// triple prints a vector of probabilities.
func triple(p []float64) string {
	texts := make([]string, len(p))
	for i, x := range p {
		texts[i] = fmt.Sprintf("%.4f", x)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
