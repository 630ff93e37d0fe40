package kernel

import (
	"math"
	"testing"
)

// normNaive is layer norm as a textbook writes it.
func normNaive(x, w, b []float64, rows, n int, eps float64) []float64 {
	y := make([]float64, len(x))
	for i := range rows {
		row := x[i*n : i*n+n]
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += v / float64(n)
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		for j, v := range row {
			y[i*n+j] = (v - mean) / math.Sqrt(variance+eps)
			if w != nil {
				y[i*n+j] = y[i*n+j]*w[j] + b[j]
			}
		}
	}
	return y
}

func toFloat32(x []float64) []float32 {
	if x == nil {
		return nil
	}
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func TestLayerNorm(t *testing.T) {
	const rows, eps = 3, 1e-5
	r := newRand(4)
	for _, n := range []int{1, 2, 5, 16, 17, 64, 100} {
		x := normals[float64](r, rows*n)
		for _, affine := range []bool{false, true} {
			var w, b []float64
			if affine {
				w, b = normals[float64](r, n), normals[float64](r, n)
			}
			y, mean, rstd := make([]float64, rows*n), make([]float64, rows), make([]float64, rows)
			LayerNorm(y, mean, rstd, x, w, b, rows, n, eps)
			wantClose(t, "float64", y, normNaive(x, w, b, rows, n, eps), 1e-12)
			y32, mean32, rstd32 := make([]float32, rows*n), make([]float32, rows), make([]float32, rows)
			LayerNorm(y32, mean32, rstd32, toFloat32(x), toFloat32(w), toFloat32(b), rows, n, eps)
			wantClose(t, "float32", y32, y, 1e-5)
		}
	}
}

func TestLayerNormBackward(t *testing.T) {
	const rows, eps = 3, 1e-5
	r := newRand(5)
	for _, n := range []int{2, 5, 17, 64} {
		x, dy := normals[float64](r, rows*n), normals[float64](r, rows*n)
		for _, affine := range []bool{false, true} {
			var w, b, dw, db []float64
			if affine {
				w, b = normals[float64](r, n), normals[float64](r, n)
				dw, db = make([]float64, n), make([]float64, n)
			}
			y, mean, rstd := make([]float64, rows*n), make([]float64, rows), make([]float64, rows)
			LayerNorm(y, mean, rstd, x, w, b, rows, n, eps)
			dx := make([]float64, rows*n)
			LayerNormBackward(dx, dw, db, dy, x, mean, rstd, w, rows, n)
			loss := func() float64 { return inner(dy, normNaive(x, w, b, rows, n, eps)) }
			wantClose(t, "dx", dx, slope(x, loss), 1e-6)
			wantClose(t, "dw", dw, slope(w, loss), 1e-6)
			wantClose(t, "db", db, slope(b, loss), 1e-6)

			dx32, dw32, db32 := toFloat32(dx), toFloat32(dw), toFloat32(db) // accumulated: twice the gradient
			LayerNormBackward(dx32, dw32, db32, toFloat32(dy), toFloat32(x), toFloat32(mean), toFloat32(rstd), toFloat32(w), rows, n)
			for i := range dx {
				dx[i] *= 2
			}
			wantClose(t, "dx float32", dx32, dx, 2e-5)
		}
	}
}

func TestLayerNormPanics(t *testing.T) {
	x := make([]float32, 6)
	wantPanic(t, "w", func() { LayerNorm(x, x, x, x, x[:2], x[:3], 2, 3, 1) })
	wantPanic(t, "rstd", func() { LayerNorm(x, x, x[:1], x, nil, nil, 2, 3, 1) })
	wantPanic(t, "db", func() { LayerNormBackward(x, x[:3], nil, x, x, x, x, nil, 2, 3) })
}
