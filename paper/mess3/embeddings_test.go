package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// scaled is an embedding with scales that are off Eq. 15 beyond the second position, and
// with measured and predicted ones at the first two.
func scaled(middle, off, measured, first, second float64) embedding {
	return embedding{cosines: summary{least: middle, median: middle}, scales: []eq15Scales{
		{1, measured, first}, {2, measured, second}, {3, 1, 1 + off}, {4, 1, 1 - off},
	}}
}

func TestEmbeddingsRule(t *testing.T) {
	of := func(middle float64, offs ...float64) replicates[embedding] {
		var models []embedding
		for _, off := range offs {
			models = append(models, scaled(middle, off, 1, 1, 1))
		}
		return seedsOf(scaled(0.99, 0.7, 1, 1, 1), models...)
	}
	untrained := of(0.99, 0.1, 0.11, 0.09)
	for i, m := range untrained.Models {
		untrained.Models[i].Random = m.Found
	}
	rule := func(g replicates[embedding]) claim.Finding {
		return embeddings{g}.judge()
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[replicates[embedding]]{
		{Name: "as stated", M: of(0.96, 0.1, 0.11, 0.09), Want: claim.Holds},
		{Name: "one model", M: of(0.96, 0.1), Want: claim.Holds},
		{Name: "farther off", M: of(0.96, 0.3, 0.31, 0.29), Want: claim.Differs},
		{Name: "not parallel", M: of(0.94, 0.1, 0.11, 0.09), Want: claim.Fails},
		{Name: "too few to tell", M: of(0.96, 0.1, 0.25), Want: claim.Open},
		{Name: "untrained as well", M: untrained, Want: claim.Open},
		{Name: "on a plateau", M: of(0.96, 0.1, 0.11, 0.09).unconverged(2), Want: claim.Open},
	})
}

func TestFirstEmbeddingsRule(t *testing.T) {
	agree, second, both := scaled(1, 0, 1, 1, 1), scaled(1, 0, 1, 1, -1), scaled(1, 0, -1, 0.1, 0.2)
	of := seedsOf[embedding]
	rule := func(g replicates[embedding]) claim.Finding {
		return anomalies{g}.judge()
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[replicates[embedding]]{
		{Name: "as observed", M: of(agree, both, both, both), Want: claim.Holds},
		{Name: "at one position in one model", M: of(agree, both, both, second), Want: claim.Differs},
		{Name: "at one position in each", M: of(agree, second, second), Want: claim.Differs},
		{Name: "in one model", M: of(agree, both, agree), Want: claim.Differs},
		{Name: "in none", M: of(agree, agree, agree), Want: claim.Fails},
		{Name: "zero has no sign", M: of(agree, scaled(1, 0, 1, 0, 0), agree), Want: claim.Fails},
		{Name: "untrained as well", M: of(both, both, both), Want: claim.Open},
		{Name: "on a plateau", M: of(agree, both, both).unconverged(1), Want: claim.Open},
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
