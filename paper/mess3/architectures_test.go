package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// gridCellOf is an architecture with three models of about one KL.
func gridCellOf(layers, heads int, kl, missed float64, why ...string) gridCell {
	reasons := make([]string, 3)
	copy(reasons, why)
	c := gridCell{Shape: trained.Shape{Layers: layers, Heads: heads}}
	for i, factor := range []float64{1, 1.01, 0.99} {
		c.Models = append(c.Models, claim.Seeded[gridModel]{
			Seed: i + 1, Unconverged: reasons[i], Found: gridModel{kl: factor * kl, missed: missed},
		})
	}
	return c
}

func TestArchitecturesRule(t *testing.T) {
	cell := gridCellOf
	process := func(on trained.Source, oneHead, twoHeads, deep float64, why ...string) gridProcess {
		return gridProcess{on, []gridCell{cell(1, 1, oneHead, 0.01), cell(1, 2, twoHeads, 0.01, why...), cell(2, 2, deep, 0.01)}}
	}
	strong, small := trained.Mess3(0.5, 0.6), trained.Mess3(0.15, 0.6)
	of := func(list ...gridProcess) grid { return grid{processes: list} }
	noisy := process(strong, 5, 1, 1)
	for i, kl := range []float64{1.01, 0.97, 0.99} {
		noisy.cells[2].Models[i].Found.kl = kl
	}
	equal := process(strong, 5, 1, 2)
	for i, kl := range []float64{3, 0.9, 1.5} {
		equal.cells[0].Models[i].Found.kl = kl
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, grid.judge, verdicts, []claimtest.Case[grid]{
		{Name: "as stated", M: of(process(strong, 5, 1, 2), process(small, 2, 1, 2)), Want: claim.Holds},
		{Name: "another is lower by noise", M: of(noisy), Want: claim.Holds},
		{Name: "one head is higher by noise where ζ < 0", M: of(equal), Want: claim.Open},
		{Name: "two layers are lower", M: of(process(strong, 5, 1, 0.5)), Want: claim.Differs},
		{Name: "one head is lower where ζ > 0", M: of(process(small, 0.6, 1, 2)), Want: claim.Differs},
		{Name: "one head is lower where ζ < 0", M: of(process(strong, 0.6, 1, 2)), Want: claim.Fails},
		{Name: "here and not there", M: of(process(strong, 0.6, 1, 2), process(small, 2, 1, 2)), Want: claim.Differs},
		{Name: "one seed has not converged", M: of(process(strong, 5, 1, 2, "early")), Want: claim.Holds},
		{Name: "two have not", M: of(process(strong, 5, 1, 2, "early", "early")), Want: claim.Open},
		{Name: "no model of some", M: grid{
			processes: []gridProcess{process(strong, 5, 1, 2)}, open: []trained.Source{small},
		}, Want: claim.Holds},
	})
	for missed, want := range map[float64]claim.Answer{0.099: claim.Yes, 0.11: claim.No} {
		m := of(gridProcess{strong, []gridCell{cell(1, 1, 5, 0.5), cell(1, 2, 1, missed)}})
		if got := m.judge().Asked[0].Answer; got != want {
			t.Errorf("%g missed: %s, want %s", missed, got, want)
		}
	}
}
