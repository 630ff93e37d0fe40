package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/process"
)

// alphaPointOf is an α whose deviation is about a number, over three seeds.
func alphaPointOf(a, deviation float64, why ...string) alphaPoint {
	p := alphaPoint{a: a}
	p.Models = make([]claim.Seeded[alphaModel], 3)
	for i := range p.Models {
		p.Models[i].Seed = i + 1
		for measure := range alphaMeasures {
			p.Models[i].Found[measure] = 0.5
		}
	}
	for i, reason := range why {
		p.Models[i].Unconverged = reason
	}
	return p.with(deviationConstrained, deviation, deviation+0.001, deviation-0.001)
}

// with sets a measure of each model.
func (p alphaPoint) with(measure int, bySeed ...float64) alphaPoint {
	for i, x := range bySeed {
		p.Models[i].Found[measure] = x
	}
	return p
}

func TestAlphaRule(t *testing.T) {
	of := func(deviations ...float64) (m alphas) { // at α = 0.05, 0.1, 0.2, 0.45, 0.6, 0.7, 0.8
		for i, d := range deviations {
			m.points = append(m.points, alphaPointOf(trainedAlphas[i], d))
		}
		return m
	}
	alone := func(p ...alphaPoint) alphas { return alphas{points: p} }
	noisy := alphaPointOf(0.7, 0).with(deviationConstrained, 0.01, 0.05, 0.02)
	near := alphaPointOf(0.6, 0.02)
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, alphas.judge, verdicts, []claimtest.Case[alphas]{
		{Name: "as stated", M: of(0.4, 0.3, 0.01, 0.02, 0.01, 0.1, 0.2), Want: claim.Holds},
		{Name: "near the threshold", M: of(0.4, 0.3, 0.049, 0.049, 0.049, 0.1, 0.2), Want: claim.Holds},
		{Name: "not even within the range", M: of(0.4, 0.3, 0.04, 0.01, 0.02, 0.05, 0.2), Want: claim.Holds},
		{Name: "falls further below", M: of(0.3, 0.4, 0.01, 0.02, 0.01, 0.1, 0.2), Want: claim.Differs},
		{Name: "falls further above", M: of(0.4, 0.3, 0.01, 0.02, 0.01, 0.2, 0.1), Want: claim.Differs},
		{Name: "beyond the threshold at one α", M: of(0.4, 0.3, 0.01, 0.051, 0.01, 0.1, 0.2), Want: claim.Differs},
		{Name: "beyond it everywhere", M: alone(alphaPointOf(0.2, 0.06), alphaPointOf(0.6, 0.06)), Want: claim.Fails},
		{Name: "no better than untrained", M: alone(
			alphaPointOf(0.6, 0.04).with(deviationConstrainedRandom, 0.03, 0.03, 0.03),
		), Want: claim.Fails},
		{Name: "growth lost in noise", M: alone(alphaPointOf(0.6, 0.02), noisy), Want: claim.Holds},
		{Name: "only noise", M: alone(noisy), Want: claim.Open},
		{Name: "unconverged", M: alone(alphaPointOf(0.6, 0.5, "early", "early")), Want: claim.Open},
		{Name: "no model", M: alphas{open: sources[:1]}, Want: claim.Open},
	})
	if c := noisy.condition(&near); c.Verdict != claim.Open || c.Reason != claim.Power {
		t.Errorf("growth lost in noise: %s, %s", c.Verdict, c.Reason)
	}
}

// M6b explains the deviation where both grow and fall together.
func TestAlphaExplained(t *testing.T) {
	at := func(a, deviation, decay float64) alphaPoint {
		return alphaPointOf(a, deviation).with(attentionDecayed, decay, decay, decay)
	}
	for name, test := range map[string]struct {
		m    alphas
		want claim.Answer
	}{
		"together":  {alphas{points: []alphaPoint{at(0.2, 0.5, 0.5), at(0.6, 0.01, 0.5), at(0.7, 0.02, 0.4)}}, claim.Yes},
		"apart":     {alphas{points: []alphaPoint{at(0.6, 0.01, 0.4), at(0.7, 0.02, 0.5)}}, claim.No},
		"one alone": {alphas{points: []alphaPoint{at(0.6, 0.01, 0.4)}}, claim.Undecided},
	} {
		if got := test.m.explained().Answer; got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
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
			gap, err := theoryGap(t.Context(), must(h.Prefixes(t.Context(), 6)))
			if err != nil || gap <= last {
				t.Errorf("α = %g: gap %v after %v, %v", a, gap, last, err)
			}
			last = gap
		}
	}
}
