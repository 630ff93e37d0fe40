package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// shapedAs are models that stand so far above BMA, one a seed; why is empty or one reason
// a seed.
func shapedAs(heads string, atEnd []float64, why ...string) shaped {
	m := shaped{heads: heads}
	for i, x := range atEnd {
		of := claim.Seeded[*subject]{Seed: i + 1, Found: &subject{above: x, atEnd: x}}
		if i < len(why) {
			of.Unconverged = why[i]
		}
		m.Models = append(m.Models, of)
	}
	m.Name = "[" + heads + "]"
	return m
}

func TestDepthRule(t *testing.T) {
	low, high := []float64{0.010, 0.011, 0.012}, []float64{0.14, 0.15, 0.16}
	of := func(two, three, four []float64) depths {
		return depths{
			bare:  &subject{atEnd: two[0]},
			two:   []shaped{shapedAs("1,1", two)},
			three: []shaped{shapedAs("1,3,1", three)}, four: []shaped{shapedAs("1,3,1,1", four)},
		}
	}
	falling := of(high, low, low)
	unfinished(falling.two[0].BySeed)
	resting := of(high, high, low)
	unfinished(resting.three[0].BySeed)
	nothing := of(high, high, low)
	unfinished(nothing.two[0].BySeed)
	unfinished(nothing.three[0].BySeed)
	nothing.four = nil
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, depths.judge, verdicts, []claimtest.Case[depths]{
		{Name: "as stated", M: of(high, low, low), Want: claim.Holds},
		{Name: "two layers can", M: of([]float64{0.15, 0.01, 0.15}, low, low), Want: claim.Differs},
		{Name: "nothing as stated", M: of(low, high, high), Want: claim.Fails},
		{Name: "two layers still learn", M: falling, Want: claim.Holds},
		{Name: "three are not decided", M: resting, Want: claim.Open},
		{Name: "one seed, four layers are not compared", M: of(high[:1], low[:1], low[:1]), Want: claim.Holds},
		{Name: "four layers are better", M: of(high, []float64{0.019, 0.019, 0.0191}, []float64{0.001, 0.001, 0.0011}), Want: claim.Differs},
		{Name: "no model has converged", M: nothing, Want: claim.Open},
	})
	for name, test := range map[string]struct {
		c      claim.Condition
		want   claim.Verdict
		reason claim.Reason
	}{
		"still learns":    {falling.two[0].cannot(), claim.Open, claim.Untrained},
		"rests":           {resting.three[0].can(), claim.Open, claim.Untrained},
		"beside resting":  {resting.four[0].noBetter(resting.three[0]), claim.Open, claim.Untrained},
		"some seeds can":  {shapedAs("1,3,1", []float64{0.01, 0.03}).can(), claim.Open, claim.Power},
		"one seed":        {shapedAs("1,3,1,1", low[:1]).noBetter(shapedAs("1,3,1", low[:1])), claim.Open, claim.Power},
		"four are better": {shapedAs("1,3,1,1", []float64{0.001, 0.001, 0.0011}).noBetter(shapedAs("1,3,1", []float64{0.019, 0.019, 0.018})), claim.Differs, claim.Size},
	} {
		if test.c.Verdict != test.want || test.c.Reason != test.reason {
			t.Errorf("%s: %s, %s", name, test.c.Verdict, test.c.Reason)
		}
	}
}
