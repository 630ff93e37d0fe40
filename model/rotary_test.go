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

// Rotary positions turn queries and keys and leave values alone: the pass shows queries
// and keys turned by their positions, and mixes the values as they were projected.
func TestRotaryLeavesValuesAlone(t *testing.T) {
	const heads, width, T = 2, 4, 5
	m := jittered[float64](t, Config{
		DModel: 8, NLayers: 1, NHeads: Heads{heads}, DHead: width, NCtx: T, DVocab: 3, PositionalEmbeddingType: "rotary",
	})
	_, cache, err := m.RunWithCache([]int32{2, 0, 1, 1, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	get := func(name string) []float64 { return cache.Get("blocks.0.attn." + name).Data }
	for _, kind := range []string{"q", "k"} {
		r, want := newRotary[float64](T, width), get("hook_"+kind)
		for p := range T {
			r.turn(want[p*heads*width:(p+1)*heads*width], int32(p), false)
		}
		for i, x := range get("hook_rot_" + kind) {
			if math.Abs(x-want[i]) > 1e-12 {
				t.Errorf("%s[%d] is %v, want %v", kind, i, x, want[i])
			}
		}
	}
	pattern, v := get("hook_pattern"), get("hook_v")
	for i, got := range get("hook_z") {
		d, h, j := i/(heads*width), i/width%heads, i%width
		want := 0.0
		for s := range d + 1 {
			want += pattern[(h*T+d)*T+s] * v[(s*heads+h)*width+j]
		}
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("position %d, head %d, element %d is %v, want %v of the values", d, h, j, got, want)
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
