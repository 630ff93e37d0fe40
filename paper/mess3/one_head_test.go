package mess3

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/process"
)

func TestOneHeadRule(t *testing.T) {
	of := func(one, two []float64) (m headCounts) {
		for i := range one {
			m.one, m.two = append(m.one, headCount{kl: one[i]}), append(m.two, headCount{kl: two[i]})
		}
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, headCounts.judge, verdicts, []claimtest.Case[headCounts]{
		{Name: "as stated", M: of([]float64{9, 8, 9}, []float64{1, 1, 1}), Want: claim.Holds},
		{Name: "at the threshold", M: of([]float64{3, 3, 3}, []float64{1, 1, 1}), Want: claim.Holds},
		{Name: "higher at one seed", M: of([]float64{90, 90, 1}, []float64{1, 1, 2}), Want: claim.Differs},
		{Name: "equal at one seed", M: of([]float64{90, 90, 1}, []float64{1, 1, 1}), Want: claim.Differs},
		{Name: "a little lower", M: of([]float64{2.9, 3, 3}, []float64{1, 1, 1}), Want: claim.Differs},
		{Name: "equal", M: of([]float64{1, 2}, []float64{2, 1}), Want: claim.Fails},
		{Name: "higher", M: of([]float64{1, 1}, []float64{2, 2}), Want: claim.Fails},
	})
}

// One of the models is the paper's own, which M2 looks at and whose curve M9 shows: it
// must be the same condition.
func TestOneOrTwoHeadsShareTheModelOfM2(t *testing.T) {
	for _, p := range profiles {
		list := p.oneOrTwoHeads()
		if len(list) != 2*len(p.headline) {
			t.Errorf("%s: %d models", p.name, len(list))
		}
		shared := 0
		for _, c := range list {
			if slices.Contains(p.seededModels(trained.Mess3(0.5, 0.6)), c) {
				shared++
			}
			if c.Curve != slices.Contains(p.mainModels(), c) {
				t.Errorf("%s: %+v", p.name, c)
			}
		}
		if shared != len(p.headline) {
			t.Errorf("%s: %d of the models are the paper's", p.name, shared)
		}
	}
}

// Who forgets all but two tokens loses nothing on words of two, and more the longer
// they are.
func TestLastTwoTokens(t *testing.T) {
	h, err := process.Mess3(0.5, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for positions := 2; positions <= 6; positions++ {
		kl, err := lastTwoTokens(h, positions)
		if err != nil || (positions == 2 && kl != 0) || (positions > 2 && kl <= last) {
			t.Errorf("%d positions: %v after %v, %v", positions, kl, last, err)
		}
		last = kl
	}
}
