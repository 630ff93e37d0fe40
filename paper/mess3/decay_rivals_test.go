package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

// rivalDecayOf is a process with the decays of its models. They have not converged for
// the reasons given.
func rivalDecayOf(found []float64, why ...string) rivalDecay {
	d := rivalDecay{zeta: 0.55, rho: 0.4666, best: 0.42}
	for i, decay := range found {
		m := claim.Seeded[rivalModel]{Seed: i + 1, Found: rivalModel{lambda: decay}, Random: rivalModel{lambda: 1}}
		if i < len(why) {
			m.Unconverged = why[i]
		}
		d.models.Models = append(d.models.Models, m)
	}
	return d
}

func TestDecayRivalsRule(t *testing.T) {
	// Five seeds about a mean, up to 0.002 away.
	about := func(mean float64) []float64 {
		return []float64{mean - 0.002, mean - 0.001, mean, mean + 0.001, mean + 0.002}
	}
	of := rivalDecayOf
	all := func(list ...rivalDecay) rivalDecays {
		for i := range list {
			list[i].Source = sources[i]
		}
		return list
	}
	wide := []float64{0.3, 0.4, 0.5, 0.6, 0.7}
	verdicts := []claim.Verdict{claim.Holds, claim.Corrected, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rivalDecays.judge, verdicts, []claimtest.Case[rivalDecays]{
		{Name: "ζ", M: all(of(about(0.55)), of(about(0.52))), Want: claim.Holds},
		{Name: "ρ", M: all(of(about(0.4666))), Want: claim.Corrected},
		{Name: "λ*", M: all(of(about(0.42))), Want: claim.Corrected},
		{Name: "between the rivals", M: all(of(about(0.44))), Want: claim.Fails},
		{Name: "ζ here, none there", M: all(of(about(0.55)), of(about(0.44))), Want: claim.Differs},
		{Name: "too wide to tell", M: all(of(wide)), Want: claim.Open},
		{Name: "one model", M: all(of([]float64{0.55})), Want: claim.Open},
		{Name: "one has not converged", M: all(of(about(0.55), "", "early")), Want: claim.Open},
		{Name: "unconverged beside ρ", M: all(of(about(0.55), "early"), of(about(0.4666))), Want: claim.Corrected},
	})
	for _, test := range []struct {
		name               string
		m                  rivalDecays
		rho, best, between claim.Answer
	}{
		{"near ζ", all(of(about(0.55))), claim.No, claim.No, claim.No},
		{"near ρ", all(of(about(0.47))), claim.Yes, claim.No, claim.No},
		{"near λ*", all(of(about(0.43))), claim.Yes, claim.Yes, claim.Yes},
		{"near either", all(of(about(0.43)), of(about(0.46))), claim.Yes, claim.No, claim.Yes},
		{"unconverged", all(of(about(0.43), "early")), claim.Undecided, claim.Undecided, claim.Undecided},
	} {
		asked := test.m.judge().Asked
		if asked[0].Answer != test.rho || asked[1].Answer != test.best || asked[2].Answer != test.between {
			t.Errorf("%s: %s, %s, %s", test.name, asked[0].Answer, asked[1].Answer, asked[2].Answer)
		}
	}
}

// The row's own bound of what a model may miss is stricter than the common one, and the
// reasons of that come first.
func TestUnconvergedDecay(t *testing.T) {
	if why := unconvergedDecay(probe.Convergence{Missed: 0.009}); why != "" {
		t.Errorf("0.9 %% missed: %s", why)
	}
	if why := unconvergedDecay(probe.Convergence{Missed: 0.011}); why == "" {
		t.Error("1.1 % missed is converged")
	}
	if why := unconvergedDecay(probe.Convergence{Missed: 0.011, Reason: "a plateau"}); why != "a plateau" {
		t.Errorf("a plateau: %s", why)
	}
}
