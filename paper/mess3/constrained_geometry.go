package mess3

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/process"
	"foretell/theory"

	"gonum.org/v1/gonum/floats"
)

// constrainedGeometry is M3: Piotrowski et al. 2025, Eq. 5, 7, 26 and 27.
//
// The paper introduces Eq. 5 (= Eq. 27) as a simpler form of Eq. 26 for processes whose
// labelled matrices have no zero row. The two differ: πT^{|z} in Eq. 5 weights the rows
// of T^{|z} by the prior π, whereas Bayes' rule and Eq. 6 weight them by the posterior.
// If the numbers differ, the verdict is Corrected. All numbers are exact: no model is
// trained.
func constrainedGeometry() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M3", Kind: claim.Formula, Severity: claim.Local,
		Test: claim.Steps[constrainedForms]{
			Measure: measureForms, Judge: constrainedForms.judge,
			Tabulate: constrainedForms.tabulate, Draw: constrainedForms.draw,
		}.Test,
	}, map[string]any{"exact": exact})
}

// constrainedForms compares the forms of the constrained belief for the paper's
// processes.
type constrainedForms []forms

// forms compares the forms of the constrained belief for one process.
type forms struct {
	trained.Source
	spectral26, spectral5 float64 // largest difference of Eq. 26, and of Eq. 5, from its spectral form
	apart                 float64 // largest difference between Eq. 5 and Eq. 26
	factor                float64 // (Eq. 5 − π)/(Eq. 26 − π), NaN if the ratio is not constant
	modes                 []theory.Mode

	bayes, first26, first5 []float64 // beliefs after the single token 0: by Eq. 6, Eq. 26 and Eq. 5
	prefixes               *process.Prefixes
	eq26, eq5              []float64 // (rows, 3), over all sequences up to n_ctx
}

func measureForms(ctx context.Context, _ *claim.Study) (constrainedForms, error) {
	var found constrainedForms
	for _, on := range sources {
		h, err := on.HMM()
		if err != nil {
			return nil, err
		}
		f, err := compareForms(ctx, h)
		if err != nil {
			return nil, err
		}
		f.Source = on
		found = append(found, f)
	}
	return found, ctx.Err()
}

// compareForms computes the constrained beliefs of all sequences in each form.
func compareForms(ctx context.Context, h *process.HMM) (f forms, err error) {
	p, err := h.Prefixes(ctx, trained.NCtx)
	if err != nil {
		return f, err
	}
	f.prefixes, f.eq26 = p, p.Constrained
	for row := range p.Rows() {
		five, err := h.ConstrainedEq5(p.Tokens(row))
		if err != nil {
			return f, err
		}
		f.eq5 = append(f.eq5, five...)
	}
	f.bayes, f.first26, f.first5 = p.Belief(0), p.ConstrainedBelief(0), f.eq5[:3]
	f.factor = oneFactor(f.eq5, f.eq26, h.Stationary())
	return f, f.compareSpectral(ctx, h, p)
}

// oneFactor returns the factor c in a − π = c·(b − π) by least squares, or NaN if it is
// not the same for all rows and entries.
func oneFactor(a, b, pi []float64) float64 {
	n := len(pi)
	dot, square := 0.0, 0.0
	for i, x := range b {
		dot += (a[i] - pi[i%n]) * (x - pi[i%n])
		square += (x - pi[i%n]) * (x - pi[i%n])
	}
	factor := dot / square
	for i, x := range a {
		if math.Abs(x-pi[i%n]-factor*(b[i]-pi[i%n])) > exact {
			return math.NaN()
		}
	}
	return factor
}

// compareSpectral compares both sums with their spectral forms, Eq. 7, and with each
// other.
func (f *forms) compareSpectral(ctx context.Context, h *process.HMM, p *process.Prefixes) error {
	spectrum, err := theory.Of(h).Spectrum(ctx)
	if err != nil {
		return err
	}
	f.modes = spectrum.Modes
	_, end := p.Range(compared)
	for row := range end {
		word, sum26, sum5 := p.Tokens(row), p.ConstrainedBelief(row), f.eq5[3*row:3*row+3]
		mode26, err := spectrum.Constrained(word)
		if err != nil {
			return err
		}
		mode5, err := spectrum.ConstrainedEq5(word)
		if err != nil {
			return err
		}
		f.spectral26 = max(f.spectral26, floats.Distance(mode26, sum26, math.Inf(1)))
		f.spectral5 = max(f.spectral5, floats.Distance(mode5, sum5, math.Inf(1)))
		f.apart = max(f.apart, floats.Distance(sum5, sum26, math.Inf(1)))
	}
	return nil
}

// fromStated returns the largest difference of the eigenvalues of T from the paper's: 1
// once and ζ twice.
func fromStated(modes []theory.Mode, zeta float64) float64 {
	if len(modes) != 2 || modes[0].Multiplicity != 1 || modes[1].Multiplicity != 2 {
		return math.Inf(1)
	}
	return max(cmplx.Abs(modes[0].Eigenvalue-1), cmplx.Abs(modes[1].Eigenvalue-complex(zeta, 0)))
}

// spectrum answers the question of whether T has the eigenvalues that Sec. 4.4 states.
func (m constrainedForms) spectrum() claim.Question {
	off := 0.0
	for _, f := range m {
		off = max(off, fromStated(f.modes, f.Zeta()))
	}
	return claim.Question{
		Question: "Has T the eigenvalues 1 and, twice, ζ = 1 − 3x? (Sec. 4.4)",
		Answer:   claim.AnswerIf(off <= exact), Obtained: fmt.Sprintf("largest difference %.0e", off),
	}
}

func (m constrainedForms) judge() claim.Finding {
	found := m.judgeForms()
	found.Asked = []claim.Question{m.spectrum()}
	return found
}

// judgeForms is the rule.
func (m constrainedForms) judgeForms() claim.Finding {
	spectral, apart, oneFactor := 0.0, 0.0, true
	for _, f := range m {
		spectral, apart = max(spectral, f.spectral26, f.spectral5), max(apart, f.apart)
		oneFactor = oneFactor && !math.IsNaN(f.factor)
	}
	switch {
	case spectral > exact:
		return claim.Finding{
			Verdict: claim.Fails, Obtained: fmt.Sprintf("a sum and its spectral form differ by %.1e", spectral),
		}
	case apart <= exact:
		return claim.Finding{
			Verdict:  claim.Holds,
			Obtained: fmt.Sprintf("all forms agree; largest difference %.1e", max(spectral, apart)),
		}
	}
	found := claim.Finding{
		Verdict: claim.Corrected,
		Obtained: fmt.Sprintf("each sum equals its spectral form (largest difference %.1e), but Eq. 5 and 27 do "+
			"not equal Eq. 26 (difference up to %.2f); only Eq. 26 agrees with Eq. 6", spectral, apart),
		Effect: claim.Exactly("largest difference of Eq. 5 from Eq. 26", "", apart),
	}
	if oneFactor {
		found.Obtained += ". For Mess3 they differ by one constant factor for all sequences"
	}
	return found
}

func (m constrainedForms) tabulate(c *claim.Claim) {
	differences := document.Frame{
		Title: fmt.Sprintf("largest difference over all sequences of up to %d tokens", compared),
		Columns: slices.Concat(document.Headed("%.1e", "process", "Eq. 26 against its spectral form", "Eq. 5 against Eq. 7"),
			document.Headed("%.3f", "Eq. 5 against Eq. 26", "(Eq. 5 − π)/(Eq. 26 − π)")),
	}
	first := document.Frame{
		Title:   "the sequence 0: Pr(S₁ | Z₁ = 0) of Eq. 6 against both forms",
		Columns: document.Headed("", "process", "Bayes (Eq. 6)", "Eq. 26", "Eq. 5"),
	}
	for _, f := range m {
		differences.Row(f.String(), f.spectral26, f.spectral5, f.apart, f.oneFactor())
		first.Row(f.String(), triple(f.bayes), triple(f.first26), triple(f.first5))
	}
	c.Tables = append(c.Tables, differences.Table(), first.Table())
}

// oneFactor returns the factor as a cell of the table.
func (f forms) oneFactor() any {
	if math.IsNaN(f.factor) {
		return "no single factor"
	}
	return f.factor
}

// triple formats a vector of probabilities.
func triple(p []float64) string {
	texts := make([]string, len(p))
	for i, x := range p {
		texts[i] = fmt.Sprintf("%.4f", x)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

func (m constrainedForms) draw(out *claim.Output) {
	var first, second []figure.Panel
	var arrays []claim.Array
	var words []sequences
	for _, f := range m {
		words = append(words, sequences{f.Source, f.prefixes})
		above := triangle(f.eq26, f.prefixes)
		above.Title = f.String()
		first = append(first, above)
		second = append(second, triangle(f.eq5, f.prefixes))
		arrays = append(arrays, array(f.Source, "eq26", 3, f.eq26), array(f.Source, "eq5", 3, f.eq5))
	}
	out.Figure("constrained", &figure.Figure{
		Title: "Constrained belief geometries of Mess3",
		Desc: "Four columns of triangles, one for each process; the upper row shows Eq. 26, the lower row Eq. " +
			"5, which is smaller.",
		Panels: [][]figure.Panel{first, second}, Rows: []string{"Eq. 26", "Eq. 5"},
	})
	out.Arrays("constrained", append(arrays, wordArrays(words)...))
}
