package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// lossNaive is the weighted cross-entropy as the textbook writes it.
func lossNaive(x []float64, rows, V int, targets []int32, weights []float64) float64 {
	loss := 0.0
	for i, t := range targets {
		if weights[i] == 0 {
			continue
		}
		total := 0.0
		for _, v := range x[i*V : i*V+V] {
			total += math.Exp(v)
		}
		loss += weights[i] * (math.Log(total) - x[i*V+int(t)])
	}
	return loss
}

func TestCrossEntropy(t *testing.T) {
	r := newRand(8)
	for _, V := range []int{1, 2, 3, 5, 16, 33, 100} {
		const rows = 6
		x := normals[float64](r, rows*V)
		targets := make([]int32, rows)
		weights := make([]float64, rows)
		for i := range targets {
			targets[i], weights[i] = int32(r.IntN(V)), r.Float64()
		}
		weights[1], weights[3] = 0, 0
		grad := normals[float64](r, rows*V)
		loss := CrossEntropy(0, grad, x, rows, V, targets, weights)
		naive := func() float64 { return lossNaive(x, rows, V, targets, weights) }
		wantClose(t, "loss", []float64{loss}, []float64{naive()}, 1e-13)
		wantClose(t, "dlogits", grad, slope(x, naive), 1e-8)
		grad32 := make([]float32, rows*V)
		loss32 := CrossEntropy(0, grad32, toFloat32(x), rows, V, targets, toFloat32(weights))
		wantClose(t, "loss32", []float64{loss32}, []float64{loss}, 1e-6)
		wantClose(t, "dlogits32", grad32, grad, 1e-6)
	}
}

func TestCrossEntropyIgnoresRows(t *testing.T) {
	nan := math.NaN()
	grad := []float64{7, 7, 7, 7}
	loss := CrossEntropy(0, grad, []float64{nan, 1, 2, nan}, 2, 2, []int32{0, 1}, []float64{0, 0})
	if loss != 0 || grad[0] != 0 || grad[1] != 0 || grad[2] != 0 || grad[3] != 0 {
		t.Errorf("ignored rows give loss %v, gradient %v", loss, grad)
	}
}

// softTargets are distributions times weights, with some tokens that never come, a row
// of weight 0 and one of a single token.
func softTargets(r *rand.Rand, rows, V int) []float64 {
	targets := make([]float64, rows*V)
	for i := range targets {
		if r.IntN(4) > 0 {
			targets[i] = r.Float64() / float64(V)
		}
	}
	clear(targets[V : 2*V])
	clear(targets[2*V : 3*V])
	targets[3*V-1] = 0.7
	return targets
}

func TestSoftCrossEntropy(t *testing.T) {
	r := newRand(14)
	for _, V := range []int{1, 2, 3, 5, 16, 33, 100} {
		const rows = 6
		x, targets := normals[float64](r, rows*V), softTargets(r, rows, V)
		grad := normals[float64](r, rows*V)
		loss := SoftCrossEntropy(0, grad, x, rows, V, targets)
		naive := func() float64 { // Σ over tokens of the loss on that token alone
			total, ids, weights := 0.0, make([]int32, rows), make([]float64, rows)
			for z := range V {
				for i := range rows {
					ids[i], weights[i] = int32(z), targets[i*V+z]
				}
				total += lossNaive(x, rows, V, ids, weights)
			}
			return total
		}
		wantClose(t, "loss", []float64{loss}, []float64{naive()}, 1e-13)
		wantClose(t, "dlogits", grad, slope(x, naive), 1e-8)
		grad32 := make([]float32, rows*V)
		loss32 := SoftCrossEntropy(0, grad32, toFloat32(x), rows, V, toFloat32(targets))
		wantClose(t, "loss32", []float64{loss32}, []float64{loss}, 1e-6)
		wantClose(t, "dlogits32", grad32, grad, 1e-6)
	}
}

// Where each target is one token, both losses are the same bits.
func TestSoftCrossEntropyOfOneTokenIsCrossEntropy(t *testing.T) {
	r := newRand(15)
	for _, V := range []int{1, 2, 3, 16, 33} {
		const rows = 7
		x := normals[float32](r, rows*V)
		ids, weights, soft := make([]int32, rows), make([]float32, rows), make([]float32, rows*V)
		for i := range ids {
			ids[i], weights[i] = int32(r.IntN(V)), r.Float32()
			soft[i*V+int(ids[i])] = weights[i]
		}
		want, got := make([]float32, rows*V), make([]float32, rows*V)
		wantLoss := CrossEntropy(0, want, x, rows, V, ids, weights)
		if loss := SoftCrossEntropy(0, got, x, rows, V, soft); loss != wantLoss {
			t.Errorf("V = %d: loss %v, want %v", V, loss, wantLoss)
		}
		sameBits(t, fmt.Sprintf("gradient, V = %d", V), [][]float32{got}, [][]float32{want})
	}
}

func TestSoftCrossEntropyIgnoresRows(t *testing.T) {
	inf, nan := math.Inf(-1), math.NaN()
	grad := []float64{7, 7, 7, 7}
	loss := SoftCrossEntropy(0, grad, []float64{nan, 1, inf, 2}, 2, 2, []float64{0, 0, 0, 3})
	if loss != 0 || grad[0] != 0 || grad[1] != 0 || grad[2] != 0 || grad[3] != 0 {
		t.Errorf("loss %v, gradient %v", loss, grad)
	}
}

func TestSoftmax(t *testing.T) {
	r := newRand(9)
	const rows, V = 4, 37
	x := normals[float64](r, rows*V)
	x[5] = math.Inf(-1)
	p := make([]float64, rows*V)
	Softmax(p, x, rows, V)
	for i := range rows {
		total := 0.0
		for j := range V {
			total += p[i*V+j]
			if got, want := p[i*V+j]/p[i*V], math.Exp(x[i*V+j]-x[i*V]); !(math.Abs(got/want-1) < 1e-13) && got != want {
				t.Errorf("row %d: p[%d]/p[0] = %g, want %g", i, j, got, want)
			}
		}
		if math.Abs(total-1) > 1e-14 {
			t.Errorf("row %d sums to %v", i, total)
		}
	}
}

func TestLossPanics(t *testing.T) {
	x := make([]float32, 4)
	y := make([]float32, 4)
	wantPanic(t, "target", func() { CrossEntropy(0, y, x, 2, 2, []int32{0, 2}, x[:2]) })
	wantPanic(t, "target", func() { CrossEntropy(0, y, x, 2, 2, []int32{-1, 0}, x[:2]) })
	wantPanic(t, "weights", func() { CrossEntropy(0, y, x, 2, 2, []int32{0, 1}, x[:1]) })
	wantPanic(t, "dlogits", func() { CrossEntropy(0, nil, x, 2, 2, []int32{0, 1}, x[:2]) })
	wantPanic(t, "targets", func() { SoftCrossEntropy(0, y, x, 2, 2, x[:3]) })
	wantPanic(t, "dlogits", func() { SoftCrossEntropy(0, nil, x, 2, 2, x) })
	wantPanic(t, "Softmax", func() { Softmax(x[:3], x, 2, 2) })
}
