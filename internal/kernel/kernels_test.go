package kernel

import "math"

// kernelRun runs one kernel on shapes derived from n and returns what it wrote.
type kernelRun struct {
	name string
	run  func(a *arena, n int) [][]float32
}

var kernelRuns = []kernelRun{
	{"Gemm by columns", func(a *arena, n int) [][]float32 {
		return runGemm(a, 1+a.r.IntN(30), n, a.r.IntN(40))
	}},
	{"Gemm by rows", func(a *arena, n int) [][]float32 {
		return runGemm(a, n, 1+a.r.IntN(40), a.r.IntN(40))
	}},
	{"Gemm by depth", func(a *arena, n int) [][]float32 {
		return runGemm(a, 1+a.r.IntN(14), 1+a.r.IntN(40), 5*n)
	}},
	{"Activate", func(a *arena, n int) (out [][]float32) {
		for act := ReLU; act <= SiLU; act++ {
			x, y := a.floats(n), a.floats(n)
			Activate(act, y, x)
			out = append(out, y)
		}
		return out
	}},
	{"ActivateBackward", func(a *arena, n int) (out [][]float32) {
		for act := ReLU; act <= SiLU; act++ {
			x, dy, dx := a.floats(n), a.floats(n), a.floats(n)
			ActivateBackward(act, dx, dy, x)
			out = append(out, dx)
		}
		return out
	}},
	{"Transpose", func(a *arena, n int) [][]float32 {
		rows := a.r.IntN(40)
		lds, ldd := n+a.r.IntN(3), rows+a.r.IntN(3)
		src, dst := a.floats(matrixLen(rows, n, lds)), a.floats(matrixLen(n, rows, ldd))
		Transpose(dst, ldd, src, lds, rows, n)
		return [][]float32{dst}
	}},
	{"ColumnSums", func(a *arena, n int) [][]float32 {
		rows, ld := a.r.IntN(6), n+a.r.IntN(3)
		dy, db := a.floats(matrixLen(rows, n, ld)), a.floats(n)
		ColumnSums(db, dy, ld, rows, n)
		return [][]float32{db}
	}},
	{"Add", func(a *arena, n int) [][]float32 {
		dst, src := a.floats(n), a.floats(n)
		Add(dst, src)
		return [][]float32{dst}
	}},
	{"LayerNorm", func(a *arena, n int) [][]float32 {
		const rows = 3
		x, w, b := a.floats(rows*n), a.floats(n), a.floats(n)
		y, mean, rstd := a.floats(rows*n), a.floats(rows), a.floats(rows)
		if a.r.IntN(2) == 0 {
			w, b = nil, nil
		}
		LayerNorm(y, mean, rstd, x, w, b, rows, n, 1e-5)
		return [][]float32{y, mean, rstd}
	}},
	{"LayerNormBackward", func(a *arena, n int) [][]float32 {
		const rows = 3
		dx, dw, db, w := a.floats(rows*n), a.floats(n), a.floats(n), a.floats(n)
		dy, x, mean, rstd := a.floats(rows*n), a.floats(rows*n), a.floats(rows), a.positives(rows)
		if a.r.IntN(3) == 0 {
			w = nil
		}
		if a.r.IntN(3) == 0 {
			dw, db = nil, nil
		}
		LayerNormBackward(dx, dw, db, dy, x, mean, rstd, w, rows, n)
		return [][]float32{dx, dw, db}
	}},
	{"Attention by length", func(a *arena, n int) [][]float32 {
		return runAttention(a, n, 1+a.r.IntN(20))
	}},
	{"Attention by width", func(a *arena, n int) [][]float32 {
		return runAttention(a, 1+a.r.IntN(20), max(1, n))
	}},
	{"Adam", func(a *arena, n int) [][]float32 {
		w, g, m, v := a.floats(n), a.floats(n), a.floats(n), a.positives(n)
		p := AdamParams{LR: 1e-3, Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, WeightDecay: 0.01, Decoupled: a.r.IntN(2) == 0, Step: 1 + a.r.IntN(9)}
		Adam(w, g, m, v, p)
		return [][]float32{w, m, v}
	}},
	{"SGD", func(a *arena, n int) [][]float32 {
		w, g, v, p := a.floats(n), a.floats(n), a.floats(n), SGDParams{LR: 0.1, Momentum: 0.9, WeightDecay: 0.01}
		if a.r.IntN(2) == 0 {
			v, p.Momentum = nil, 0
		}
		SGD(w, g, v, p)
		return [][]float32{w, v}
	}},
	{"ScatterAdd", func(a *arena, n int) [][]float32 {
		table, dy, y := a.floats(4*n), a.floats(3*n), a.floats(3*n)
		ids := []int32{int32(a.r.IntN(4)), int32(a.r.IntN(4)), 2}
		Gather(y, table, ids, n)
		ScatterAdd(table, dy, ids, n)
		return [][]float32{table, y}
	}},
	{"Softmax", func(a *arena, n int) [][]float32 {
		x, y := a.floats(3*n), a.floats(3*n)
		Softmax(y, x, 3, n)
		return [][]float32{y}
	}},
	{"CrossEntropy", func(a *arena, n int) [][]float32 {
		const rows = 4
		x, grad, weights := a.floats(rows*n), a.floats(rows*n), a.floats(rows)
		targets := make([]int32, rows)
		for i := range targets {
			if targets[i] = int32(a.r.IntN(n+1)) - 1; targets[i] < 0 {
				targets[i], weights[i] = 0, 0
			}
		}
		if n == 0 {
			return [][]float32{grad, {0}} // of no tokens there is none to name
		}
		loss := CrossEntropy(0, grad, x, rows, n, targets, weights)
		return [][]float32{grad, {float32(loss)}}
	}},
	{"GemmBias by columns", func(a *arena, n int) [][]float32 {
		return runGemmBias(a, 1+a.r.IntN(30), n, a.r.IntN(40))
	}},
	{"GemmBias by rows", func(a *arena, n int) [][]float32 {
		return runGemmBias(a, n, 1+a.r.IntN(40), a.r.IntN(40))
	}},
	{"GemmBias by depth", func(a *arena, n int) [][]float32 {
		return runGemmBias(a, 1+a.r.IntN(14), 1+a.r.IntN(40), 5*n)
	}},
	{"AttentionRow by length", func(a *arena, n int) [][]float32 {
		return runAttentionRow(a, n, 1+a.r.IntN(80))
	}},
	{"AttentionRow by width", func(a *arena, n int) [][]float32 {
		return runAttentionRow(a, 1+a.r.IntN(30), max(1, n))
	}},
	{"SoftCrossEntropy", func(a *arena, n int) [][]float32 {
		const rows = 4
		x, grad, targets := a.floats(rows*n), a.floats(rows*n), a.floats(rows*n)
		loss := SoftCrossEntropy(0, grad, x, rows, n, targets)
		return [][]float32{grad, {float32(loss)}}
	}},
	{"GramRow", func(a *arena, n int) [][]float32 {
		depth := 1 + a.r.IntN(5)
		z, sum, x := a.doubles(PanelsLen(depth, n)), a.doubles(n), a.doubles(n)
		GramRow(z, depth, a.r.IntN(depth), sum, x, a.r.Float64())
		return [][]float32{words(z), words(sum)}
	}},
	{"Gram", func(a *arena, n int) [][]float32 {
		rows, ldc := a.r.IntN(40), n+a.r.IntN(3)
		depth := rows + a.r.IntN(3)
		z, c := a.doubles(PanelsLen(depth, n)), a.doubles(matrixLen(n, n, ldc))
		Gram(c, ldc, z, depth, rows, n)
		return [][]float32{words(c)}
	}},
	{"ActivateSlope", func(a *arena, n int) (out [][]float32) {
		for act := ReLU; act <= SiLU; act++ {
			if !act.HasSlope() {
				continue
			}
			x, y, slope := a.floats(n), a.floats(n), a.floats(n)
			ActivateSlope(act, y, slope, x)
			out = append(out, y, slope)
		}
		return out
	}},
	{"Sum", func(a *arena, n int) [][]float32 {
		x, y, dst := a.floats(n), a.floats(n), a.floats(n)
		Sum(dst, x, y)
		return [][]float32{dst}
	}},
	{"Product", func(a *arena, n int) [][]float32 {
		x, y, dst := a.floats(n), a.floats(n), a.floats(n)
		Product(dst, x, y)
		return [][]float32{dst}
	}},
	{"AddTree", func(a *arena, n int) [][]float32 {
		x := make([][]float32, 1+a.r.IntN(15))
		for i := range x {
			x[i] = a.floats(n)
		}
		AddTree(x)
		return x[:1]
	}},
	{"GemmAdd by columns", func(a *arena, n int) [][]float32 {
		return runGemmAdd(a, 1+a.r.IntN(30), n, a.r.IntN(40))
	}},
	{"GemmAdd by rows", func(a *arena, n int) [][]float32 {
		return runGemmAdd(a, n, 1+a.r.IntN(40), a.r.IntN(40))
	}},
	{"GemmAdd by depth", func(a *arena, n int) [][]float32 {
		return runGemmAdd(a, 1+a.r.IntN(14), 1+a.r.IntN(40), 5*n)
	}},
	{"Copy", func(a *arena, n int) [][]float32 {
		rows, lds, ldd := a.r.IntN(6), n+a.r.IntN(3), n+a.r.IntN(3)
		src, dst := a.floats(matrixLen(rows, n, lds)), a.floats(matrixLen(rows, n, ldd))
		Copy(dst, ldd, src, lds, rows, n)
		return [][]float32{dst}
	}},
	{"AttentionHeads by length", func(a *arena, n int) [][]float32 {
		return runAttentionHeads(a, n%20, 4+4*a.r.IntN(5))
	}},
	{"AttentionHeads by width", func(a *arena, n int) [][]float32 {
		return runAttentionHeads(a, 1+a.r.IntN(20), max(1, n))
	}},
}

// runAttention runs attention, the masked half of the pattern being 0, which it stays,
// and its backward, where it is NaN.
func runAttention(a *arena, T, dh int) [][]float32 {
	ld, ldz, scale := dh+a.r.IntN(3), dh+a.r.IntN(3), float32(a.r.Float64())
	q, k, v := a.floats(matrixLen(T, dh, ld)), a.floats(matrixLen(T, dh, ld)), a.floats(matrixLen(T, dh, ld))
	dq, dk, dv := a.floats(matrixLen(T, dh, ld)), a.floats(matrixLen(T, dh, ld)), a.floats(matrixLen(T, dh, ld))
	z, dz := a.floats(matrixLen(T, dh, ldz)), a.floats(matrixLen(T, dh, ldz))
	pattern, scores, scratch := a.floats(T*T), a.floats(T*T), a.floats(AttentionScratch(T, dh))
	mask := func(value float32) {
		for i := range T {
			for j := i + 1; j < T; j++ {
				pattern[i*T+j] = value
			}
		}
	}
	mask(0)
	Attention(z, ldz, pattern, scores, q, k, v, ld, scratch, T, dh, scale)
	given := append([]float32(nil), pattern...)
	mask(float32(math.NaN()))
	AttentionBackward(dq, dk, dv, dz, ldz, pattern, q, k, v, ld, scratch, T, dh, scale)
	return [][]float32{z, given, scores, dq, dk, dv}
}

// runAttentionHeads is runAttention for up to 20 heads. They may write the masked half.
func runAttentionHeads(a *arena, T, dh int) [][]float32 {
	s := Heads{1 + a.r.IntN(4), 1 + a.r.IntN(5), T, dh}
	rows, n, scale := s.Sequences*T, s.Heads*dh, float32(a.r.Float64())
	ld, ldz := n+a.r.IntN(3), n+a.r.IntN(3)
	matrix := func(ld int) []float32 { return a.floats(matrixLen(rows, n, ld)) }
	q, k, v, dq, dk, dv, z, dz := matrix(ld), matrix(ld), matrix(ld), matrix(ld), matrix(ld), matrix(ld), matrix(ldz), matrix(ldz)
	pattern, scratch := a.floats(s.count()*T*T), a.floats(AttentionScratch(T, dh))
	mask := func(value float32) {
		for i := range pattern {
			if i%T > i/T%T {
				pattern[i] = value
			}
		}
	}
	AttentionHeads(z, ldz, pattern, q, k, v, ld, scratch, s, scale)
	mask(0)
	given := append([]float32(nil), pattern...)
	mask(float32(math.NaN()))
	AttentionHeadsBackward(dq, dk, dv, dz, ldz, pattern, q, k, v, ld, scratch, s, scale)
	return [][]float32{z, given, dq, dk, dv}
}

// runAttentionRow runs attention of one query, and its backward, over t rows of
// a matrix that has more, some of them more than once.
func runAttentionRow(a *arena, t, dh int) [][]float32 {
	all, ld, scale := t+a.r.IntN(9), dh+a.r.IntN(3), float32(a.r.Float64())
	rows := make([]int32, t)
	for j := range rows {
		rows[j] = int32(a.r.IntN(all))
	}
	q, dq, z, dz := a.floats(dh), a.floats(dh), a.floats(dh), a.floats(dh)
	k, v := a.floats(matrixLen(all, dh, ld)), a.floats(matrixLen(all, dh, ld))
	dk, dv := a.floats(matrixLen(all, dh, ld)), a.floats(matrixLen(all, dh, ld))
	pattern, scratch := a.floats(t), a.floats(t)
	attentionRow(z, pattern, q, k, v, ld, rows, scale)
	AttentionRowBackward(dq, dk, dv, dz, pattern, q, k, v, ld, rows, scratch, scale)
	return [][]float32{z, pattern, dq, dk, dv}
}

func runGemm(a *arena, m, n, k int) [][]float32 {
	A, ras, cas, B, ldb, C, ldc := gemmOperands(a, m, n, k)
	Gemm(m, n, k, A, ras, cas, B, ldb, C, ldc, a.r.IntN(2) == 0)
	return [][]float32{C}
}

func runGemmBias(a *arena, m, n, k int) [][]float32 {
	A, ras, cas, B, ldb, C, ldc := gemmOperands(a, m, n, k)
	GemmBias(m, n, k, A, ras, cas, B, ldb, C, ldc, a.floats(n))
	return [][]float32{C}
}

// runGemmAdd runs GemmAdd with and without a bias and a matrix that is added.
func runGemmAdd(a *arena, m, n, k int) [][]float32 {
	A, ras, cas, B, ldb, C, ldc := gemmOperands(a, m, n, k)
	var bias, X []float32
	if a.r.IntN(2) == 0 {
		bias = a.floats(n)
	}
	if a.r.IntN(4) > 0 {
		X = a.floats(matrixLen(m, n, ldc))
	}
	GemmAdd(m, n, k, A, ras, cas, B, ldb, C, ldc, bias, X)
	return [][]float32{C}
}

func gemmOperands(a *arena, m, n, k int) (A []float32, ras, cas int, B []float32, ldb int, C []float32, ldc int) {
	ras, cas = k+a.r.IntN(3), 1
	if a.r.IntN(2) == 0 {
		ras, cas = 1, m+a.r.IntN(3)
	}
	ldb, ldc = n+a.r.IntN(3), n+a.r.IntN(3)
	A = a.floats(max(0, (m-1)*ras+(k-1)*cas+1))
	B = a.floats(matrixLen(k, n, ldb))
	C = a.floats(matrixLen(m, n, ldc))
	return A, ras, cas, B, ldb, C, ldc
}

// matrixLen is the number of elements of a matrix whose last row is cut short.
func matrixLen(rows, cols, ld int) int {
	if rows == 0 || cols == 0 {
		return 0
	}
	return (rows-1)*ld + cols
}
