package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/theory"
)

func TestConstrainedGeometryRule(t *testing.T) {
	verdicts := []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}
	claimtest.Rule(t, constrainedForms.judge, verdicts, []claimtest.Case[constrainedForms]{
		{Name: "rounding", M: constrainedForms{{spectral26: exact, spectral5: exact, apart: exact}}, Want: claim.Holds},
		{Name: "Eq. 5 is another", M: constrainedForms{{}, {apart: 1.01 * exact}}, Want: claim.Corrected},
		{Name: "by no one factor", M: constrainedForms{{apart: 1, factor: math.NaN()}}, Want: claim.Corrected},
		{Name: "Eq. 26 has another spectral form", M: constrainedForms{{spectral26: 1.01 * exact}}, Want: claim.Fails},
		{Name: "so has Eq. 5", M: constrainedForms{{apart: 1, spectral5: 1.01 * exact}}, Want: claim.Fails},
	})
}

// One factor is found when it is one for all rows, and not when a row has another.
func TestOneFactor(t *testing.T) {
	pi := []float64{0.5, 0.25, 0.25}
	b := []float64{0.6, 0.3, 0.1, 0.4, 0.2, 0.4}
	a := make([]float64, len(b))
	for i, x := range b {
		a[i] = pi[i%3] + 0.7*(x-pi[i%3])
	}
	wantNear(t, "the factor", oneFactor(a, b, pi), 0.7)
	a[5] += 1e-9
	if factor := oneFactor(a, b, pi); !math.IsNaN(factor) {
		t.Errorf("one factor %v of two", factor)
	}
}

// T of Mess3 has the eigenvalues 1 and, twice, ζ. Another multiplicity or another value
// is noticed.
func TestStatedSpectrum(t *testing.T) {
	found, err := measureForms(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if q := found.spectrum(); q.Answer != claim.Yes {
		t.Errorf("%+v", q)
	}
	for name, modes := range map[string][]theory.Mode{
		"one mode":      found[0].modes[:1],
		"another value": {found[0].modes[0], {Eigenvalue: 0.54, Multiplicity: 2}},
		"ζ once":        {found[0].modes[0], {Eigenvalue: found[0].modes[1].Eigenvalue, Multiplicity: 1}},
	} {
		if off := fromStated(modes, found[0].Zeta()); off <= exact {
			t.Errorf("%s: off by %g", name, off)
		}
	}
}
