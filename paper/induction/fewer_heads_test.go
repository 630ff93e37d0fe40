package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestFewerHeadsRule(t *testing.T) {
	of := func(heads, unconverged string, overlaps ...[3]float64) mappedCell {
		var models []mappedModel
		for _, overlap := range overlaps {
			models = append(models, mappedModel{overlap: overlap})
		}
		m := mappedCell{
			cell: cell{five, heads, false}, BySeed: converged(models...), ignorant: [3]float64{0.5, 0.4, 0.5},
			untrained: claim.Seeded[mappedModel]{Found: mappedModel{overlap: [3]float64{0.2, 0.6, 0.2}}},
		}
		for i := range m.Models {
			m.Models[i].Unconverged = unconverged
		}
		return m
	}
	alike, alone := [3]float64{0.9, 0.7, 0.8}, [3]float64{0.5, 0.6, 0.4}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, consistent.judge, verdicts, []claimtest.Case[consistent]{
		{Name: "as constructed", M: consistent{of("1,1,1", "", alike, alike), of("1,2,1", "", alike)}, Want: claim.Holds},
		{Name: "no more than the controls", M: consistent{of("1,1,1", "", alone, alone)}, Want: claim.Fails},
		{Name: "not in the second layer", M: consistent{of("1,1,1", "", [3]float64{0.9, 0.5, 0.8})}, Want: claim.Differs},
		{Name: "in one of two seeds", M: consistent{of("1,1,1", "", alike, alone)}, Want: claim.Open},
		{Name: "still falling", M: consistent{of("1,1,1", "still falls", alike, alike)}, Want: claim.Open},
	})
}
