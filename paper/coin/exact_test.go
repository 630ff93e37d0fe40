package coin

import (
	"math/big"
	"strings"
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

// The measure of C5 begins each sequence with BOS and leaves it there: it sees no order
// in a model that reads the position of BOS, and weighs flips by position without BOS.
func TestOrderErrorBeginsWithBOS(t *testing.T) {
	m, err := model.Zero[float64](model.Config{
		DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 16, DVocab: 3, AttnOnly: true, NormalizationType: "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	// Element 0 is 1 everywhere, 1 is the flip plus the position, 2 the score, 3 the output.
	for token, score := range []float64{0, 0, 1e4} {
		copy(m.Weights.Get("embed.W_E").Data[4*token:], []float64{1, float64(token % 2), score, 0})
	}
	for position := range 16 {
		copy(m.Weights.Get("pos_embed.W_pos").Data[4*position:], []float64{0, float64(position), float64(position), 0})
	}
	m.Weights.Get("blocks.0.attn.W_Q").Data[0] = 1
	m.Weights.Get("blocks.0.attn.W_K").Data[4*2] = 1
	m.Weights.Get("blocks.0.attn.W_V").Data[4*1] = 1
	m.Weights.Get("blocks.0.attn.W_O").Data[3] = 1
	m.Weights.Get("unembed.W_U").Data[3*3+1] = 1
	if moved := orderError(m); moved != 0 {
		t.Errorf("shuffles change a prediction from BOS alone by %v", moved)
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

// The integral is the beta function, and the posterior predictive is the document's
// fraction for every pair of counts.
func TestPosteriorMean(t *testing.T) {
	for _, c := range []struct {
		a, b int
		want *big.Rat
	}{{0, 0, big.NewRat(1, 1)}, {1, 0, big.NewRat(1, 2)}, {1, 1, big.NewRat(1, 6)}, {2, 3, big.NewRat(1, 60)}} {
		if got := betaIntegral(c.a, c.b); got.Cmp(c.want) != 0 {
			t.Errorf("B(%d, %d) = %v, want %v", c.a+1, c.b+1, got, c.want)
		}
	}
	if q := posteriorMean(); q.Answer != claim.Yes || !strings.Contains(q.Obtained, "0 of the 231 pairs") {
		t.Errorf("%+v", q)
	}
}
