package kernel

import (
	"slices"
	"testing"
)

// TestInPlace runs the kernels that promise to work on one slice in and out.
func TestInPlace(t *testing.T) {
	defer func(s instructionSet) { isa = s }(isa)
	const rows, n = 5, 37
	r := newRand(13)
	x, dy := normals[float32](r, rows*n), normals[float32](r, rows*n)
	mean, rstd := make([]float32, rows), make([]float32, rows)
	targets, weights := []int32{1, 2, 0, 4, 36}, []float32{1, 2, 0, 0, 0.5}
	for _, k := range []struct {
		name string
		run  func(out, in []float32)
	}{
		{"Activate", func(out, in []float32) { Activate(GELU, out, in) }},
		{"ActivateBackward", func(out, in []float32) { ActivateBackward(GELU, out, in, dy) }},
		{"ActivateSlope", func(out, in []float32) { ActivateSlope(GELU, make([]float32, rows*n), out, in) }},
		{"Sum", func(out, in []float32) { Sum(out, in, dy) }},
		{"Product", func(out, in []float32) { Product(out, dy, in) }},
		{"LayerNorm", func(out, in []float32) { LayerNorm(out, mean, rstd, in, nil, nil, rows, n, 1e-5) }},
		{"Softmax", func(out, in []float32) { Softmax(out, in, rows, n) }},
		{"CrossEntropy", func(out, in []float32) { CrossEntropy(0, out, in, rows, n, targets, weights) }},
	} {
		for _, s := range isas {
			isa = s
			apart, same := make([]float32, rows*n), slices.Clone(x)
			k.run(apart, slices.Clone(x))
			k.run(same, same)
			sameBits(t, k.name+" in place on "+s.String(), [][]float32{same}, [][]float32{apart})
		}
	}
}
