package mess3

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

func TestOneHeadRule(t *testing.T) {
	model := func(kl, r2 float64, why string) claim.Seeded[headCount] {
		found := headCount{kl: kl, mid: scores{inSample: probe.Score{R2: r2}}}
		return claim.Seeded[headCount]{Found: found, Unconverged: why}
	}
	one, two := model(1.05, 0.9, "a plateau"), model(0.1, 0.99, "")
	of := func(list ...claim.Seeded[headCount]) headCounts {
		m := headCounts{lastTwo: 1, bound: 0.95, one: []headCount{one.Found, one.Found}}
		m.two = claim.BySeed[headCount]{Name: "two heads", Models: list}
		return m
	}
	but := func(last claim.Seeded[headCount]) headCounts {
		m := of(two, two)
		m.one[1] = last.Found
		return m
	}
	stuck := model(1.02, 0.93, "a plateau")
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, headCounts.judge, verdicts, []claimtest.Case[headCounts]{
		{Name: "as stated", M: of(two, two), Want: claim.Holds},
		{Name: "one of two is stuck", M: of(two, stuck), Want: claim.Holds},
		{Name: "both are", M: of(stuck, stuck), Want: claim.Open},
		{Name: "one head leaves the plateau", M: but(model(0.8, 0.9, "")), Want: claim.Differs},
		{Name: "one head is beyond its bound", M: but(model(1, 0.96, "a plateau")), Want: claim.Differs},
		{Name: "within the slack", M: but(model(1, 0.9549, "a plateau")), Want: claim.Holds},
		{Name: "one head is as good", M: but(model(0.1, 0.9, "")), Want: claim.Fails},
		{Name: "two heads do not pass the bound", M: of(two, model(0.1, 0.94, "")), Want: claim.Fails},
	})
	c := of(two, stuck).judge()
	if s := c.Effect.Reached; s.K != 1 || s.N != 2 || c.Effect.Seeds != 1 {
		t.Errorf("%d of %d models, effect over %d", s.K, s.N, c.Effect.Seeds)
	}
}

// Those with two heads are the paper's own, which M2 looks at; the curve of the first is
// shown by M9. They must be the same conditions.
func TestOneOrTwoHeadsShareTheModelsOfM2(t *testing.T) {
	for _, p := range profiles {
		own := p.seededModels(trained.Mess3(0.5, 0.6))
		for _, c := range p.oneOrTwoHeads() {
			if slices.Contains(own, c) != (c.Heads == 2) {
				t.Errorf("%s: %+v", p.name, c)
			}
		}
		if n := len(p.oneOrTwoHeads()); n != len(p.seeds)+len(own) {
			t.Errorf("%s: %d models", p.name, n)
		}
	}
}
