package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestSelectionRule(t *testing.T) {
	selective, written := [][]float64{{0.7, 0.1}, {0.1, 0.7}}, [][]float64{{1, 0}, {0, 1}}
	for name, test := range map[string]struct {
		byLag [][]float64
		want  bool
	}{
		"selective":     {selective, true},
		"one lag alone": {[][]float64{{0.7, 0.1}, {0.7, 0.1}}, false},
		"alike":         {[][]float64{{0.4, 0.4}, {0.4, 0.4}}, false},
		"weak":          {[][]float64{{0.4, 0.1}, {0.1, 0.6}}, false},
	} {
		if got := selects(test.byLag, written); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	of := func(seeds ...[][]float64) selections {
		return selections{{
			cell: cell{twoNext, oneHead, false}, BySeed: converged(seeds...), uniform: 0.02, written: written,
			untrained: [][]float64{{0.02, 0.02}, {0.02, 0.02}},
		}}
	}
	flat := [][]float64{{0.02, 0.02}, {0.02, 0.02}}
	resting := of(selective)
	resting[0].Models[0].Unconverged = "rests"
	both := of(selective)
	both = append(both, of(flat)...)
	both[1].disentangled, both[1].Name = true, "disentangled"
	with := func(layer2 float64) selections {
		m := of(selective)
		maps := mappedCell{cell: m[0].cell, ignorant: [3]float64{0.5, 0.5, 0.5}}
		maps.BySeed = converged(mappedModel{overlap: [3]float64{0.9, layer2, 0.9}})
		m[0].maps = &maps
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, selections.judge, verdicts, []claimtest.Case[selections]{
		{Name: "selects", M: of(selective, selective), Want: claim.Holds},
		{Name: "all layers as constructed", M: with(0.8), Want: claim.Holds},
		{Name: "layer 2 is another", M: with(0.3), Want: claim.Differs},
		{Name: "one kind does", M: both, Want: claim.Differs},
		{Name: "does not", M: of(flat, flat), Want: claim.Fails},
		{Name: "one of two seeds", M: of(flat, selective), Want: claim.Open},
		{Name: "on a plateau", M: resting, Want: claim.Open},
		{Name: "not trained", M: of(), Want: claim.Open},
	})
}

// The construction selects, on every task, and its initialisation of a trained model's
// shape does not.
func TestTheConstructionSelects(t *testing.T) {
	p := tiny()
	p.heldOut = 32
	l := newLab(p)
	s := &claim.Study{Out: t.TempDir()}
	for _, of := range []task{twoNext, example, nonContiguous, spread} {
		m, err := l.constructed(t.Context(), s, handwritten{l.of(of), of.enoughHeads()})
		if err != nil {
			t.Fatal(err)
		}
		written := m.sees.onLags(2, of.lags())
		if !selects(written, written) {
			t.Errorf("%s: the construction has %v", of, written)
		}
		n := network{task: of, heads: oneHead, seed: 1, recipe: p.plain}
		random, err := l.untrained(t.Context(), s, n)
		if err != nil {
			t.Fatal(err)
		}
		if byLag := random.sees.onLags(2, of.lags()); selects(byLag, written) {
			t.Errorf("%s: the initialisation has %v", of, byLag)
		}
	}
}
