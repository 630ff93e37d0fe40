package signals

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestExamplesAreJudged(t *testing.T) {
	one := func(token int, computed bool, apart float64) examples {
		e := example{signal: routing, where: "double of 18", printed: 6, retrieval: true}
		return examples{tokens: []predicted{{example: e, token: token, computed: computed}}, apart: apart}
	}
	claimtest.Rule(t, examples.judge, []claim.Verdict{claim.Holds, claim.Fails}, []claimtest.Case[examples]{
		{Name: "as printed", M: one(6, true, exact), Want: claim.Holds},
		{Name: "another token", M: one(11, true, 0), Want: claim.Fails},
		{Name: "the token, but not by the rule", M: one(6, false, 0), Want: claim.Fails},
		{Name: "another norm", M: one(6, true, 1.01*exact), Want: claim.Fails},
	})
}
