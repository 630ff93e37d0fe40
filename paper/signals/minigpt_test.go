package signals

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestMiniGPTIsJudged(t *testing.T) {
	claimtest.Rule(t, parameterCount.judge, []claim.Verdict{claim.Holds, claim.Differs}, []claimtest.Case[parameterCount]{
		{Name: "as printed", M: parameterCount{model: miniGPTParameters, totals: []int{1}, printed: 1}, Want: claim.Holds},
		{Name: "with a bias more", M: parameterCount{model: miniGPTParameters + 32, totals: []int{1}}, Want: claim.Differs},
	})
}

// The parts of the first readings are the model's: they add up to what the forward pass
// has, for other sizes, too.
func TestChoicesAddUp(t *testing.T) {
	for _, change := range []func(layers, width, tokens, length *int){
		func(_, _, _, _ *int) {},
		func(layers, width, tokens, length *int) { *layers, *width, *tokens, *length = 5, 48, 7, 19 },
	} {
		c := miniGPT()
		change(&c.NLayers, &c.DModel, &c.DVocab, &c.NCtx)
		c, err := c.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		total := inAll(c)
		for _, open := range choices(c) {
			total += open.readings[0].parameters
		}
		if total != c.Parameters() {
			t.Errorf("the parts are %d, the model has %d", total, c.Parameters())
		}
	}
}
