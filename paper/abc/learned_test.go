package abc

import (
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestLearnedIsJudged(t *testing.T) {
	of := func(reached int) learned {
		m := learned{profile: profiles[claim.Quick], losses: make([]float64, 100)}
		for i := range reached {
			m.reached = append(m.reached, 100+10*i)
		}
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, learned.judge, verdicts, []claimtest.Case[learned]{
		{Name: "all", M: of(100), Want: claim.Holds},
		{Name: "enough", M: of(95), Want: claim.Holds},
		{Name: "too few", M: of(94), Want: claim.Differs},
		{Name: "one", M: of(1), Want: claim.Differs},
		{Name: "none", M: of(0), Want: claim.Fails},
	})
}

// Whether there is one solution is said of the classes and of how far their members are
// apart.
func TestClassesInWords(t *testing.T) {
	seeds := []uint64{3, 5}
	for _, test := range []struct {
		classes classes
		want    string
	}{
		{classes{}, "none is learned"},
		{classes{list: []class{{seeds: seeds[:1]}}}, "all solutions are one"},
		{classes{list: []class{{seeds: seeds, disparities: []float64{0.09}}}}, "all solutions are one"},
		{classes{list: []class{{seeds: seeds, disparities: []float64{0.11}}}}, "1 group by single linkage, the " +
			"largest a chain of 2 seeds whose members differ by up to 0.11"},
		{classes{list: []class{{seeds: seeds[:1]}, {seeds: seeds[1:]}}}, "2 groups by single linkage, the largest " +
			"a chain of 1 seeds whose members differ by up to –"},
	} {
		if got := test.classes.String(); !strings.Contains(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
