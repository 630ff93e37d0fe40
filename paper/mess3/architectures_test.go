package mess3

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

func TestArchitecturesRule(t *testing.T) {
	process := func(on trained.Source, oneHead, twoHeads, deep, missed float64) gridProcess {
		cell := func(layers, heads int, kl float64) gridCell {
			return gridCell{trained.Shape{Layers: layers, Heads: heads}, []float64{kl, kl}, []float64{missed, missed}}
		}
		return gridProcess{on, []gridCell{cell(1, 1, oneHead), cell(1, 2, twoHeads), cell(2, 2, deep)}}
	}
	strong, weak, small := trained.Mess3(0.5, 0.6), trained.Mess3(0.5, 0.2), trained.Mess3(0.15, 0.6)
	good := []gridProcess{process(strong, 5, 1, 1, 0.05), process(weak, 5, 1, 1, 0.05), process(small, 1, 1, 1, 0.05)}
	but := func(p gridProcess) grid {
		m := grid{processes: slices.Clone(good)}
		for i := range m.processes {
			if m.processes[i].Source == p.Source {
				m.processes[i] = p
			}
		}
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, grid.judge, verdicts, []claimtest.Case[grid]{
		{Name: "as stated", M: grid{processes: good}, Want: claim.Holds},
		{Name: "at the thresholds", M: but(process(strong, 3, 2, 1, 0.1)), Want: claim.Holds},
		{Name: "one head is better where ζ > 0", M: but(process(small, 0.6, 1, 1, 0.1)), Want: claim.Holds},
		{Name: "much is missed", M: but(process(strong, 5, 1, 1, 0.11)), Want: claim.Fails},
		{Name: "two layers are much better", M: but(process(small, 9, 2.1, 1, 0.05)), Want: claim.Fails},
		{Name: "one head is as good where ζ < 0", M: but(process(strong, 1, 1, 1, 0.05)), Want: claim.Fails},
		{Name: "only for α = 0.2: much is missed", M: but(process(weak, 5, 1, 1, 0.11)), Want: claim.Differs},
		{Name: "only for α = 0.2: one head is as good", M: but(process(weak, 1, 1, 1, 0.05)), Want: claim.Differs},
	})
}
