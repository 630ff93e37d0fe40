package coin

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/craft"
	"foretell/model"
)

// The measure of C5 sees a model for which the order of the flips matters.
func TestOrderErrorSeesOrder(t *testing.T) {
	m, err := model.New[float64](model.Config{
		DModel: 8, NLayers: 1, NHeads: model.Heads{1}, DMLP: 8, NCtx: 64, DVocab: 3, InitializerRange: 0.5,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if moved := orderError(m); !(moved > 1e-3) {
		t.Errorf("learned positions: shuffles change a prediction by %v", moved)
	}
}

func TestExactCoinIsJudged(t *testing.T) {
	three := func(worst, moved float64) exact {
		return exact{models: []counter{
			{prior: priors[0]}, {prior: priors[1], worst: craft.Worst{Error: worst}}, {prior: priors[2], moved: moved},
		}}
	}
	claimtest.Rule(t, exact.judge, []claim.Verdict{claim.Holds, claim.Fails}, []claimtest.Case[exact]{
		{Name: "exact", M: three(0, 0), Want: claim.Holds},
		{Name: "at the bounds", M: three(exactError, exactOrderError), Want: claim.Holds},
		{Name: "off", M: three(1.01*exactError, 0), Want: claim.Fails},
		{Name: "by the order", M: three(0, 1.01*exactOrderError), Want: claim.Fails},
	})
}
