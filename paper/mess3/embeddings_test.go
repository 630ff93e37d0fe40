package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestEmbeddingsRule(t *testing.T) {
	model := func(least, middle, off, second float64) embedding {
		return embedding{main: true, cosines: summary{least: least, median: middle}, scales: []eq15Scales{
			{1, 1, -1}, {2, -1, second}, {3, 1, 1 + off}, {4, 1, 1 - off},
		}}
	}
	of := func(models ...embedding) embeddings { return embeddings{models: models} }
	good, other := model(0.99, 0.999, 0.1, 1), model(0, 0, 9, -1)
	other.main = false
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, embeddings.judge, verdicts, []claimtest.Case[embeddings]{
		{Name: "as stated", M: of(good, good), Want: claim.Holds},
		{Name: "the other normalisation does not count", M: of(good, other), Want: claim.Holds},
		{Name: "at each threshold", M: of(model(0.95, 0.95, 0.2, 0.01)), Want: claim.Holds},
		{Name: "one not parallel", M: of(good, model(0.949, 0.99, 0.1, 1)), Want: claim.Differs},
		{Name: "the scale off", M: of(good, model(0.99, 0.99, 0.21, 1)), Want: claim.Differs},
		{Name: "the second scale as predicted", M: of(good, model(0.99, 0.99, 0.1, -1)), Want: claim.Differs},
		{Name: "the second scale predicted to be zero", M: of(good, model(0.99, 0.99, 0.1, 0)), Want: claim.Differs},
		{Name: "the median at its threshold", M: of(model(0, 0.9, 9, -1)), Want: claim.Differs},
		{Name: "most not parallel", M: of(good, model(0, 0.899, 0.1, 1)), Want: claim.Fails},
	})
}

// Embeddings that Eq. 15 describes have its scales, whatever the attention.
func TestScalesOfEq15(t *testing.T) {
	const zeta = 0.55
	p := exponential(5, zeta, 0.4)
	corrections := []point{{1, 0}, {-0.5, 0.8}, {-0.5, -0.8}}
	var vectors []ovVector
	for m := 1; m < p.T; m++ {
		scale := 1 - zeta*p.Mean[(m-1)*p.T+m-1]/toNext(p, m)
		for token, c := range corrections {
			ov := zeta / toNext(p, m)
			vectors = append(vectors, ovVector{
				position: m, token: token,
				predicted: point{ov * c[0], ov * c[1]}, embedding: point{scale * c[0], scale * c[1]},
			})
		}
	}
	scales := scalesOfEq15(vectors, len(corrections), p, zeta)
	if len(scales) != p.T-1 {
		t.Fatalf("%d scales", len(scales))
	}
	for i, s := range scales {
		if s.position != i+1 {
			t.Errorf("scale %d is of position %d", i, s.position)
		}
		wantNear(t, "the scale", s.measured, s.predicted)
	}
	// A sink at the first position, which the others leave as Eq. 15 has it, needs no
	// embeddings.
	p.Mean[0], p.Mean[p.T] = 1, zeta
	wantNear(t, "the scale of a sink", scalesOfEq15(vectors, len(corrections), p, zeta)[0].predicted, 0)
}
