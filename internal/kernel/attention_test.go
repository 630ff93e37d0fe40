package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// attentionNaive is causal attention as the textbook writes it; contiguous z.
func attentionNaive(q, k, v []float64, ld, T, dh int, scale float64) (z, pattern []float64) {
	z, pattern = make([]float64, T*dh), make([]float64, T*T)
	for i := range T {
		total := 0.0
		for j := range i + 1 {
			s := 0.0
			for p := range dh {
				s += q[i*ld+p] * k[j*ld+p]
			}
			pattern[i*T+j] = math.Exp(s * scale)
			total += pattern[i*T+j]
		}
		for j := range i + 1 {
			pattern[i*T+j] /= total
			for p := range dh {
				z[i*dh+p] += pattern[i*T+j] * v[j*ld+p]
			}
		}
	}
	return z, pattern
}

var attentionShapes = [][2]int{{0, 4}, {1, 1}, {3, 5}, {10, 64}, {17, 16}, {33, 7}}

func TestAttention(t *testing.T) {
	r := newRand(6)
	for _, s := range attentionShapes {
		T, dh := s[0], s[1]
		ld, scale := dh+3, 1/math.Sqrt(float64(dh))
		q, k, v := normals[float64](r, T*ld), normals[float64](r, T*ld), normals[float64](r, T*ld)
		wantZ, want := attentionNaive(q, k, v, ld, T, dh, scale)

		const untouched = 7
		z, pattern, scores := make([]float64, T*dh), slices.Repeat([]float64{untouched}, T*T), slices.Repeat([]float64{untouched}, T*T)
		Attention(z, dh, pattern, scores, q, k, v, ld, make([]float64, AttentionScratch(T, dh)), T, dh, scale)
		wantClose(t, fmt.Sprint("z ", s), z, wantZ, 1e-13)
		for i := range T {
			wantClose(t, fmt.Sprint("pattern ", s), pattern[i*T:i*T+i+1], want[i*T:i*T+i+1], 1e-13)
			for j := range T {
				if j > i && (pattern[i*T+j] != untouched || scores[i*T+j] != untouched) {
					t.Fatalf("%v: masked (%d,%d): pattern %v, scores %v", s, i, j, pattern[i*T+j], scores[i*T+j])
				}
				if ratio := math.Exp(scores[i*T+j] - scores[i*T]); j <= i && math.Abs(ratio*want[i*T]-want[i*T+j]) > 1e-13 {
					t.Fatalf("%v: scores (%d,%d) do not lead to the pattern", s, i, j)
				}
			}
		}

		z32, pattern32 := make([]float32, T*dh), make([]float32, T*T)
		Attention(z32, dh, pattern32, nil, toFloat32(q), toFloat32(k), toFloat32(v), ld, make([]float32, AttentionScratch(T, dh)), T, dh, float32(scale))
		wantClose(t, fmt.Sprint("z32 ", s), z32, wantZ, 3e-6)
	}
}

func TestAttentionBackward(t *testing.T) {
	r := newRand(7)
	for _, s := range attentionShapes {
		T, dh := s[0], s[1]
		ld, scale := dh+3, 1/math.Sqrt(float64(dh))
		q, k, v := normals[float64](r, T*ld), normals[float64](r, T*ld), normals[float64](r, T*ld)
		dz := normals[float64](r, T*dh)
		_, pattern := attentionNaive(q, k, v, ld, T, dh, scale)
		for i := range pattern { // nothing may read the masked half
			if i%max(T, 1) > i/max(T, 1) {
				pattern[i] = math.NaN()
			}
		}
		dq, dk, dv := make([]float64, T*ld), make([]float64, T*ld), make([]float64, T*ld)
		scratch := make([]float64, AttentionScratch(T, dh))
		AttentionBackward(dq, dk, dv, dz, dh, pattern, q, k, v, ld, scratch, T, dh, scale)
		loss := func() float64 {
			z, _ := attentionNaive(q, k, v, ld, T, dh, scale)
			return inner(dz, z)
		}
		wantClose(t, fmt.Sprint("dq ", s), dq, slope(q, loss), 1e-6)
		wantClose(t, fmt.Sprint("dk ", s), dk, slope(k, loss), 1e-6)
		wantClose(t, fmt.Sprint("dv ", s), dv, slope(v, loss), 1e-6)

		dq32, dk32, dv32 := make([]float32, T*ld), make([]float32, T*ld), make([]float32, T*ld)
		AttentionBackward(dq32, dk32, dv32, toFloat32(dz), dh, toFloat32(pattern), toFloat32(q), toFloat32(k), toFloat32(v), ld, toFloat32(scratch), T, dh, float32(scale))
		wantClose(t, fmt.Sprint("dq32 ", s), dq32, dq, 1e-5)
		wantClose(t, fmt.Sprint("dk32 ", s), dk32, dk, 1e-5)
		wantClose(t, fmt.Sprint("dv32 ", s), dv32, dv, 1e-5)
	}
}

func TestAttentionPanics(t *testing.T) {
	x := make([]float32, 64)
	wantPanic(t, "scratch", func() { AttentionPattern(x, nil, x, x, 4, x[:1], 4, 4, 1) })
	wantPanic(t, "pattern", func() { AttentionMix(x, 4, x[:15], x, 4, 4, 4) })
	wantPanic(t, "dv", func() { AttentionBackward(x, x, x[:7], x, 4, x, x, x, x, 4, x, 2, 4, 1) })

	s, scratch := Heads{Sequences: 2, Heads: 2, T: 2, Width: 4}, make([]float32, headScratch(2, 4))
	wantPanic(t, "pattern", func() { AttentionHeads(x, 8, x[:15], x, x, x, 8, scratch, s, 1) })
	wantPanic(t, "scratch", func() { AttentionHeads(x, 8, x, x, x, x, 8, scratch[1:], s, 1) })
	wantPanic(t, "matrix", func() { AttentionHeads(x, 8, x, x, x, x[:31], 8, scratch, s, 1) })
	wantPanic(t, "matrix", func() { AttentionHeadsBackward(x, x, x[:31], x, 8, x, x, x, x, 8, scratch, s, 1) })
}

// The scratch of T positions is enough for fewer, and its size changes no bit.
func TestAttentionHeadsOfShorterSequences(t *testing.T) {
	for dh := 4; dh <= 64; dh *= 2 {
		for T := 1; T <= 40; T++ {
			s := Heads{Sequences: 4, Heads: 4, T: 1 + T/3, Width: dh}
			rows, n := s.Sequences*s.T, s.Heads*dh
			x := normals[float32](newRand(uint64(T)), rows*3*n)
			run := func(scratch int) ([]float32, []float32) {
				z, d, pattern := make([]float32, rows*n), make([]float32, rows*3*n), make([]float32, s.count()*s.T*s.T)
				memory := make([]float32, scratch)
				AttentionHeads(z, n, pattern, x, x[n:], x[2*n:], 3*n, memory, s, 0.3)
				AttentionHeadsBackward(d, d[n:], d[2*n:], z, n, pattern, x, x[n:], x[2*n:], 3*n, memory, s, 0.3)
				return z, d
			}
			z, d := run(AttentionScratch(T, dh))
			wantZ, wantD := run(headScratch(s.T, dh))
			if !slices.Equal(z, wantZ) || !slices.Equal(d, wantD) {
				t.Errorf("%d of %d positions, width %d: other bits", s.T, T, dh)
			}
		}
	}
}

// CausalSoftmax and its backward pass are Softmax and its own, row by row.
func TestCausalSoftmaxIsSoftmaxOfEachRow(t *testing.T) {
	r := newRand(9)
	for _, T := range []int{1, 5, 33} {
		ld, scale := T+1, float32(0.3)
		x, ds := normals[float32](r, T*ld), normals[float32](r, T*ld)
		p, scaled := make([]float32, T*T), append([]float32(nil), x...)
		for i := range scaled {
			scaled[i] *= scale
		}
		CausalSoftmax(p, T, x, ld, T, scale)
		whole := append([]float32(nil), ds...)
		CausalSoftmaxBackward(ds, ld, p, T, T, scale)
		for i := range T {
			want := make([]float32, T)
			Softmax(want[:i+1], scaled[i*ld:i*ld+i+1], 1, i+1)
			SoftmaxBackward(whole[i*ld:i*ld+i+1], want[:i+1], 1, i+1, scale)
			wantClose(t, fmt.Sprint("row ", i), p[i*T:i*T+T], want, 0)
		}
		wantClose(t, fmt.Sprint("backward, T = ", T), ds, whole, 0)
	}
	x := make([]float32, 12)
	wantPanic(t, "no element to spare", func() { CausalSoftmax(x[:9], 3, x, 3, 3, 1) })
	wantPanic(t, "p", func() { CausalSoftmaxBackward(x, 3, x[:8], 3, 3, 1) })
}
