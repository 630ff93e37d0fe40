package theory

import (
	"math"
	"testing"

	"foretell/process"

	"gonum.org/v1/gonum/mat"
)

// R² of the filter and of the best affine image of Eq. 26 are those of least squares over
// every word, and the filter's is never the smaller one.
func TestLinearR2IsLeastSquares(t *testing.T) {
	ahead := false
	eachHMM(t, func(t *testing.T, h *process.HMM) {
		length := wordsWithin(h.Alphabet(), 300)
		found, err := Of(h).LinearFilter().R2(t.Context(), length)
		if err != nil {
			t.Fatal(err)
		}
		for position := 1; position <= length; position++ {
			e := everyWord(t, h, position)
			got := found[position-1]
			if got.Position != position || got.Error != 0 {
				t.Errorf("%+v at position %d", got, position)
			}
			want := LinearR2{Position: position, Linear: 1, Constrained: 1}
			total := mat.Norm(e.belief, 2)
			if total > 1e-12 {
				want.Variance = total * total
				want.Linear = math.Pow(mat.Norm(leastSquares(e.tokens, e.belief), 2)/total, 2)
				constrained := e.centred(t, h, h.Constrained)
				want.Constrained = math.Pow(mat.Norm(leastSquares(constrained, e.belief), 2)/total, 2)
			}
			for _, pair := range [][2]float64{
				{got.Variance, want.Variance}, {got.Linear, want.Linear}, {got.Constrained, want.Constrained},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-9 {
					t.Errorf("%+v, over words %+v", got, want)
				}
			}
			if got.Constrained > got.Linear+1e-12 {
				t.Errorf("the filter is behind Eq. 26: %+v", got)
			}
			ahead = ahead || got.Constrained < got.Linear-0.01
		}
	})
	if !ahead {
		t.Error("the filter and Eq. 26 never differ: nothing was tested")
	}
}

// The variance in the long run lies within its half-width, and the steady filter is what
// the positions tend to.
func TestSteadyR2IsTheLimit(t *testing.T) {
	settled := 0
	eachHMM(t, func(t *testing.T, h *process.HMM) {
		limit, err := Of(h).LinearFilter().SteadyR2(t.Context())
		if err != nil {
			return
		}
		settled++
		found, err := Of(h).LinearFilter().R2(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		last := found[6]
		if last.Variance > limit.Variance*(1+limit.Error)+1e-12 {
			t.Errorf("the variance is %g at position 7 and %+v in the long run", last.Variance, limit)
		}
		if limit.Constrained > limit.Linear+1e-10 || limit.Error < 0 {
			t.Errorf("%+v", limit)
		}
	})
	if settled < 20 {
		t.Errorf("only %d filters settled", settled)
	}
	h := mustMess3(t, 0.15, 0.6)
	limit, err := Of(h).LinearFilter().SteadyR2(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := Of(h).LinearFilter().R2(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	last := found[9]
	if math.Abs(last.Linear-limit.Linear) > limit.Error+1e-5 || math.Abs(last.Constrained-limit.Constrained) > 1e-3 {
		t.Errorf("at position 10 %+v, in the long run %+v", last, limit)
	}
}

// The share of the variance in the long run and its half-width span the filter's variance
// divided by either bound of the belief's.
func TestSteadyR2SpansTheBoundsOfTheVariance(t *testing.T) {
	wide := 0
	eachHMM(t, func(t *testing.T, h *process.HMM) {
		f := Of(h).LinearFilter()
		limit, err := f.SteadyR2(t.Context())
		if err != nil {
			return
		}
		low, high, err := h.LongRunBeliefVariance(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if low < 1e-12 {
			return // all beliefs are π to rounding, and the share is 1 by convention
		}
		explained, n := 0.0, h.NumStates()
		for i, x := range must(f.Steady(t.Context())).Covariance {
			if i%(n+1) == 0 {
				explained += x
			}
		}
		least, most := min(1, explained/high), min(1, explained/low)
		if math.Abs(limit.Linear-limit.Error-least)+math.Abs(limit.Linear+limit.Error-most) > 1e-14 {
			t.Errorf("%+v, want a share from %v to %v", limit, least, most)
		}
		if limit.Error > 1e-6 {
			wide++
		}
	})
	if wide < 5 {
		t.Errorf("only %d shares have a half-width that tells anything", wide)
	}
}
