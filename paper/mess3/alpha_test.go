package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/process"
)

func TestAlphaRule(t *testing.T) {
	of := func(deviations ...float64) (m alphas) { // at α = 0.05, 0.1, 0.2, 0.45, 0.6, 0.7, 0.8
		for i, d := range deviations {
			p := alphaPoint{a: trainedAlphas[i]}
			p.found[deviationConstrained], p.found[varianceExplained] = []float64{d, d}, []float64{0.5}
			m.points = append(m.points, p)
		}
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, alphas.judge, verdicts, []claimtest.Case[alphas]{
		{Name: "as stated", M: of(0.4, 0.3, 0.01, 0.02, 0.01, 0.1, 0.2), Want: claim.Holds},
		{Name: "at the threshold", M: of(0.4, 0.3, 0.05, 0.05, 0.05, 0.1, 0.2), Want: claim.Holds},
		{Name: "not even within the range", M: of(0.4, 0.3, 0.04, 0.01, 0.02, 0.05, 0.2), Want: claim.Holds},
		{Name: "less outside than at one inside", M: of(0.4, 0.03, 0.01, 0.04, 0.01, 0.1, 0.2), Want: claim.Differs},
		{Name: "as much outside as inside", M: of(0.4, 0.04, 0.01, 0.04, 0.01, 0.1, 0.2), Want: claim.Differs},
		{Name: "falls further below", M: of(0.3, 0.4, 0.01, 0.02, 0.01, 0.1, 0.2), Want: claim.Differs},
		{Name: "falls further above", M: of(0.4, 0.3, 0.01, 0.02, 0.01, 0.2, 0.1), Want: claim.Differs},
		{Name: "stays the same", M: of(0.4, 0.3, 0.01, 0.02, 0.01, 0.2, 0.2), Want: claim.Differs},
		{Name: "beyond the threshold", M: of(0.4, 0.3, 0.01, 0.051, 0.01, 0.1, 0.2), Want: claim.Fails},
		{Name: "at an end of the range", M: of(0.4, 0.3, 0.06, 0.02, 0.01, 0.1, 0.2), Want: claim.Fails},
	})
}

// Full and constrained beliefs agree to first order in α − 1/3, and part from each
// other as tokens say more.
func TestTheoryGapGrows(t *testing.T) {
	for _, alphas := range [][]float64{{0.32, 0.2, 0.1, 0.01}, {0.35, 0.5, 0.7, 0.9, 0.99}} {
		last := 0.0
		for _, a := range alphas {
			h, err := process.Mess3(0.15, a)
			if err != nil {
				t.Fatal(err)
			}
			gap, err := theoryGap(t.Context(), h.Prefixes(6))
			if err != nil || gap <= last {
				t.Errorf("α = %g: gap %v after %v, %v", a, gap, last, err)
			}
			last = gap
		}
	}
}
