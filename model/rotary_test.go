package model

import (
	"math"
	"math/cmplx"
	"testing"

	"foretell/internal/random"
)

// Rotary positions multiply the pair (j, j+h/2), read as a complex number, by
// exp(i·p·10000^(−2j/h)), so that a query and a key meet by their distance alone.
func TestRotaryTurnsByPosition(t *testing.T) {
	const nCtx, width, heads = 9, 6, 2
	r := newRotary[float64](nCtx, width)
	s := random.New(3, "test/rotary")
	q, k := make([]float64, heads*width), make([]float64, heads*width)
	for i := range q {
		q[i], k[i] = s.Normal(), s.Normal()
	}
	turned := func(x []float64, position int) []float64 {
		y := append([]float64(nil), x...)
		r.turn(y, int32(position), false)
		return y
	}
	for p := range nCtx {
		y := turned(q, p)
		for h := range heads {
			for j := range width / 2 {
				a, b := h*width+j, h*width+width/2+j
				want := complex(q[a], q[b]) * cmplx.Exp(complex(0, float64(p)*math.Pow(10000, -2*float64(j)/width)))
				if cmplx.Abs(want-complex(y[a], y[b])) > 1e-12 {
					t.Errorf("position %d, head %d, pair %d: (%v, %v), want %v", p, h, j, y[a], y[b], want)
				}
			}
		}
		r.turn(y, int32(p), true)
		for i := range y {
			if math.Abs(y[i]-q[i]) > 1e-12 {
				t.Fatalf("turned there and back, element %d is %v, want %v", i, y[i], q[i])
			}
		}
	}
	for distance := range 4 {
		want := dot(turned(q, distance), turned(k, 0))
		for p := range nCtx - distance {
			if got := dot(turned(q, p+distance), turned(k, p)); math.Abs(got-want) > 1e-12 {
				t.Errorf("distance %d at position %d: %v, want %v", distance, p, got, want)
			}
		}
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}
