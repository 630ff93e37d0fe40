package main

import (
	"math"
	"testing"
)

// Each mode trains the model that the sizes describe: it has its parameters, begins with
// the loss of a uniform guess, and learns its one batch.
func TestTrainsTheModel(t *testing.T) {
	with := sizes{Model: "m", DVocab: 5, NCtx: 6, DModel: 8, NHeads: []int{2, 2}, DHead: 4, DMLP: 32, Norm: true, Batch: 4}
	without := sizes{Model: "w", DVocab: 5, NCtx: 6, DModel: 8, NHeads: []int{1, 3}, DHead: 2, Batch: 4}
	for mode := range configs {
		for s, want := range map[*sizes]int{
			&with:    (2*5+6)*8 + 2*(4*8*8+4*8+2*8*32+32+8+4*8) + 2*8,
			&without: (2*5+6)*8 + (4*2*8 + 3*2 + 8) + (4*6*8 + 3*6 + 8),
		} {
			r, err := s.measure(mode, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.Parameters != want {
				t.Errorf("%s, %s: %d parameters, want %d", mode, s.Model, r.Parameters, want)
			}
			if uniform := math.Log(5); math.Abs(float64(r.First)-uniform) > 0.02*uniform || !(r.Last < r.First) {
				t.Errorf("%s, %s: the loss went from %g to %g, want from %g downwards", mode, s.Model, r.First, r.Last, uniform)
			}
			if !(r.Speed > 0) {
				t.Errorf("%s, %s: %g tokens per second", mode, s.Model, r.Speed)
			}
		}
	}
}

func TestRefusesOtherArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"xla", "1", "{}"}, {"ops", "x", "{}"}, {"ops", "1", "["}} {
		if run(args) == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
