package abc

import (
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// learnedBy are models of which some reach the threshold and some have not converged. The
// rest are in between.
func learnedBy(reached, stuck int) learned {
	m := learned{profile: profiles[claim.Quick]}
	for i := range m.seeds {
		r := &solution{loss: 1e-3, untrained: 1.2}
		why := "it has not learned the pattern"
		if i < reached {
			r.steps, r.loss, why = 100+10*i, 1e-5, ""
		} else if i < reached+stuck {
			r.loss = 0.6
		}
		m.Models = append(m.Models, claim.Seeded[*solution]{Seed: i + 1, Unconverged: why, Found: r})
	}
	return m
}

func TestLearnedIsJudged(t *testing.T) {
	of := learnedBy
	known := of(100, 0)
	known.Models[1].Found.untrained = learnedLoss
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, learned.judge, verdicts, []claimtest.Case[learned]{
		{Name: "all", M: of(100, 0), Want: claim.Holds},
		{Name: "more than half", M: of(61, 39), Want: claim.Holds},
		{Name: "perhaps half", M: of(60, 0), Want: claim.Open},
		{Name: "few", M: of(39, 0), Want: claim.Differs},
		{Name: "few, with those that rest", M: of(20, 19), Want: claim.Differs},
		{Name: "few, and many rest", M: of(20, 20), Want: claim.Open},
		{Name: "none", M: of(0, 0), Want: claim.Fails},
		{Name: "all rest", M: of(0, 100), Want: claim.Open},
		{Name: "before training, too", M: known, Want: claim.Open},
	})
	for enough, want := range map[int]claim.Answer{95: claim.Yes, 94: claim.No} {
		if got := of(enough, 0).judge().Asked[0].Answer; got != want {
			t.Errorf("%d: nearly all: %s, want %s", enough, got, want)
		}
	}
}

// Whether there is one solution is said of the classes and of how far their members are
// apart.
func TestClassesInWords(t *testing.T) {
	seeds := []int{3, 5}
	for _, test := range []struct {
		classes classes
		want    string
	}{
		{classes{}, "no seed learns the pattern"},
		{classes{list: []class{{seeds: seeds[:1]}}}, "all solutions are the same"},
		{classes{list: []class{{seeds: seeds, disparities: []float64{0.09}}}}, "all solutions are the same"},
		{classes{list: []class{{seeds: seeds, disparities: []float64{0.11}}}}, "1 group by single linkage; the " +
			"largest has 2 seeds, with disparities of up to 0.11"},
		{classes{list: []class{{seeds: seeds[:1]}, {seeds: seeds[1:]}}}, "2 groups by single linkage; the largest " +
			"has 1 seed, with disparities of up to –"},
	} {
		if got := test.classes.String(); !strings.Contains(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
