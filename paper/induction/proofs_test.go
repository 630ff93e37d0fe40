package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestProofsRule(t *testing.T) {
	of := func(slack, equality, left, printed float64) proven {
		return proven{
			statements: []statement{{name: "a", slack: []float64{0.1, slack}, equal: equality}},
			display:    []displayed{{left, printed}},
		}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}
	claimtest.Rule(t, proven.judge, verdicts, []claimtest.Case[proven]{
		{Name: "as printed", M: of(0, 0, -0.1, -0.1), Want: claim.Holds},
		{Name: "the other sign", M: of(0, 0, -0.1, 0.1), Want: claim.Corrected},
		{Name: "neither", M: of(0, 0, -0.1, 0.2), Want: claim.Fails},
		{Name: "a statement", M: of(-0.1, 0, -0.1, 0.1), Want: claim.Fails},
		{Name: "no equality", M: of(0, 0.1, -0.1, 0.1), Want: claim.Fails},
	})
}

// Where tokens at all lags are independent the margin is the mean of which App. B speaks,
// halved.
func TestIndependentMarginIsHalfTheMean(t *testing.T) {
	for i := range 20 {
		q, P, pi, err := randomChains(i)
		if err != nil {
			t.Fatal(err)
		}
		free := independent(q)
		if a := free.ask(P, pi); a.ofTrue-a.ofRival-a.both > 1e-14 || a.both-a.ofTrue+a.ofRival > 1e-14 {
			t.Errorf("instance %d: %g, half the mean is %g", i, a.ofTrue-a.ofRival, a.both)
		}
	}
}
