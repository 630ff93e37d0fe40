package kernel

import "testing"

// TestNoKernelAllocates runs every kernel in both types on each instruction set.
func TestNoKernelAllocates(t *testing.T) {
	defer func(s instructionSet) { isa = s }(isa)
	for _, s := range isas {
		isa = s
		if n := testing.AllocsPerRun(10, everyKernel[float32]()); n != 0 {
			t.Errorf("float32 on %v: %v allocations", s, n)
		}
		const depth, n = 3, 21
		z, c, x := make([]float64, PanelsLen(depth, n)), make([]float64, n*n), make([]float64, n)
		if n := testing.AllocsPerRun(10, func() {
			GramRow(z, depth, 1, c[:n], x, 2)
			Gram(c, n, z, depth, depth, n)
		}); n != 0 {
			t.Errorf("Gram on %v: %v allocations", s, n)
		}
	}
	if n := testing.AllocsPerRun(10, everyKernel[float64]()); n != 0 {
		t.Errorf("float64: %v allocations", n)
	}
}

// everyKernel is a function that calls each kernel once.
func everyKernel[F Float]() func() {
	const rows, n = 9, 20
	r := newRand(12)
	var x [12][]F
	for i := range x {
		x[i] = normals[F](r, AttentionScratch(rows, n))
	}
	u, v, w := x[9][:n], x[10][:n], x[11][:n]
	m := func(i int) []F { return x[i][:rows*n] }
	ids := []int32{1, 0, 2, 1, 1, 0, 2, 3, 0}
	list := []int32{8, 0, 3}
	return func() {
		Gemm(rows, n, rows, x[0], rows, 1, x[1], n, x[2], n, true)
		GemmBias(rows, n, rows, x[0], rows, 1, x[1], n, x[2], n, u)
		Transpose(x[0], rows, x[1], n, rows, n)
		ColumnSums(v, x[0], n, rows, n)
		Add(u, v)
		for act := ReLU; act <= SiLU; act++ {
			Activate(act, m(0), m(1))
			ActivateBackward(act, m(0), m(2), m(1))
		}
		LayerNorm(x[0], x[1], x[2], x[3], u, v, rows, n, 1e-5)
		LayerNormBackward(x[0], u, v, x[3], x[4], x[1], x[2], w, rows, n)
		Attention(x[0], n, x[1], x[2], x[3], x[4], x[5], n, x[6], rows, n, 0.1)
		AttentionBackward(x[2], x[7], x[8], x[0], n, x[1], x[3], x[4], x[5], n, x[6], rows, n, 0.1)
		attentionRow(v, x[0][:len(list)], u, x[1], x[2], n, list, 0.1)
		AttentionRowBackward(w, x[3], x[4], v, x[0][:len(list)], u, x[1], x[2], n, list, x[5], 0.1)
		Softmax(x[0], x[1], rows, n)
		CrossEntropy(0, x[0], x[1], rows, n, ids, x[2][:rows])
		SoftCrossEntropy(0, x[0], x[1], rows, n, m(2))
		Gather(x[0], x[1], ids[:8], n)
		ScatterAdd(x[0], x[1], ids[:8], n)
		Adam(u, v, w, x[0][:n], AdamParams{LR: 1e-3, Beta1: 0.9, Beta2: 0.99, Step: 3})
		SGD(u, v, w, SGDParams{LR: 1e-3, Momentum: 0.9})
	}
}
