package kernel

import (
	"math"
	"testing"
)

// activationFormulas are the definitions, one number at a time.
var activationFormulas = map[Activation]func(x float64) float64{
	ReLU: func(x float64) float64 { return max(x, 0) },
	GELU: func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 },
	GELUNew: func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	},
	SiLU: func(x float64) float64 { return x / (1 + math.Exp(-x)) },
}

// grid is -bound … bound in steps of 1/64.
func grid(bound int) []float64 {
	var x []float64
	for i := -64 * bound; i <= 64*bound; i++ {
		x = append(x, float64(i)/64)
	}
	return x
}

func TestActivateAgainstFormula(t *testing.T) {
	for act, f := range activationFormulas {
		x := grid(20)
		want, got := make([]float64, len(x)), make([]float64, len(x))
		x32, got32 := make([]float32, len(x)), make([]float32, len(x))
		for i, v := range x {
			want[i], x32[i] = f(v), float32(v)
		}
		Activate(act, got, x)
		wantClose(t, "float64", got, want, 1e-14)
		Activate(act, got32, x32)
		wantClose(t, "float32", got32, want, 6e-7)
	}
}

func TestActivateBackwardIsSlope(t *testing.T) {
	const h = 1e-5
	r := newRand(3)
	for act, f := range activationFormulas {
		x := grid(8)
		if act == ReLU { // 0 has no slope; 1/128 is never within h of it
			for i := range x {
				x[i] += 1. / 128
			}
		}
		dy := normals[float64](r, len(x))
		want, got := make([]float64, len(x)), make([]float64, len(x))
		x32, dy32, got32 := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
		for i, v := range x {
			want[i] = dy[i] * (f(v+h) - f(v-h)) / (2 * h)
			x32[i], dy32[i] = float32(v), float32(dy[i])
		}
		ActivateBackward(act, got, dy, x)
		wantClose(t, "float64", got, want, 1e-9)
		ActivateBackward(act, got32, dy32, x32)
		wantClose(t, "float32", got32, want, 5e-6) // 1−g cancels in GELUNew
	}
}

func TestSlopeGivesTheGradientToTheBit(t *testing.T) {
	r := newRand(4)
	x := append(normals[float32](r, 500), 0, -0.5, 1e-39, 20, -20)
	dy := normals[float32](r, len(x))
	for act := range activationFormulas {
		if !act.HasSlope() {
			continue
		}
		y, slope, want, got := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
		Activate(act, want, x)
		ActivateSlope(act, y, slope, x)
		sameBits(t, "y", [][]float32{y}, [][]float32{want})
		ActivateBackward(act, want, dy, x)
		Product(got, dy, slope)
		sameBits(t, "dx", [][]float32{got}, [][]float32{want})
	}
}

func TestActivatePanics(t *testing.T) {
	x := make([]float32, 3)
	wantPanic(t, "unknown", func() { Activate(Activation(9), x, x) })
	wantPanic(t, "unknown backward", func() { ActivateBackward(Activation(9), x, x, x) })
	wantPanic(t, "length", func() { Activate(GELU, x[:2], x) })
	wantPanic(t, "slope of ReLU", func() { ActivateSlope(ReLU, x, x, x) })
	wantPanic(t, "unknown slope", func() { ActivateSlope(Activation(9), x, x, x) })
	wantPanic(t, "length of slope", func() { ActivateSlope(GELU, x, x[:2], x) })
}
