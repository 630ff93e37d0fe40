package kernel

import (
	"math"
	"testing"
)

// adamNaive is torch.optim's single-tensor step, one weight at a time.
func adamNaive(w, g, m, v []float64, p AdamParams) {
	for i := range w {
		grad := g[i]
		if p.Decoupled {
			w[i] *= 1 - p.LR*p.WeightDecay
		} else {
			grad += p.WeightDecay * w[i]
		}
		m[i] = p.Beta1*m[i] + (1-p.Beta1)*grad
		v[i] = p.Beta2*v[i] + (1-p.Beta2)*grad*grad
		c1, c2 := 1-math.Pow(p.Beta1, float64(p.Step)), 1-math.Pow(p.Beta2, float64(p.Step))
		w[i] -= p.LR / c1 * m[i] / (math.Sqrt(v[i])/math.Sqrt(c2) + p.Eps)
	}
}

func TestAdam(t *testing.T) {
	r := newRand(10)
	const n = 19
	for _, decoupled := range []bool{false, true} {
		w := normals[float64](r, n)
		m, v := make([]float64, n), make([]float64, n)
		w64, m64, v64 := append([]float64(nil), w...), make([]float64, n), make([]float64, n)
		w32, m32, v32 := toFloat32(w), make([]float32, n), make([]float32, n)
		for step := 1; step <= 20; step++ {
			p := AdamParams{LR: 1e-2, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 0.1, Decoupled: decoupled, Step: step}
			g := normals[float64](r, n)
			adamNaive(w, g, m, v, p)
			Adam(w64, g, m64, v64, p)
			Adam(w32, toFloat32(g), m32, v32, p)
			wantClose(t, "float64", w64, w, 1e-13)
			wantClose(t, "float32", w32, w, 1e-6)
		}
	}
}

func TestSGD(t *testing.T) {
	w, v := []float64{1, -2}, []float64{0, 0}
	p := SGDParams{LR: 0.5, Momentum: 0.5, WeightDecay: 0.25}
	SGD(w, []float64{1, 1}, v, p) // v = 1.25, 0.5
	wantClose(t, "w", w, []float64{0.375, -2.25}, 0)
	SGD(w, []float64{0, 0}, v, p) // v = 0.625 + 0.09375, 0.25 − 0.5625
	wantClose(t, "w", w, []float64{0.015625, -2.09375}, 0)
	SGD(w, []float64{1, 0}, nil, SGDParams{LR: 1})
	wantClose(t, "w", w, []float64{-0.984375, -2.09375}, 0)
}

func TestOptimizerPanics(t *testing.T) {
	x := make([]float32, 3)
	wantPanic(t, "step", func() { Adam(x, x, x, x, AdamParams{}) })
	wantPanic(t, "length", func() { Adam(x, x, x[:2], x, AdamParams{Step: 1}) })
	wantPanic(t, "momentum", func() { SGD(x, x, nil, SGDParams{Momentum: 1}) })
}
