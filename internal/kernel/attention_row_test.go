package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestAttentionRow holds attention of one query, and its backward, to the bits
// of the last row of Attention, and of AttentionBackward where only that row's
// output has a gradient. The keys and values lie scattered in a matrix with more
// rows.
func TestAttentionRow(t *testing.T) {
	defer func(s instructionSet) { isa = s }(isa)
	for _, s := range isas {
		isa = s
		t.Run(s.String(), func(t *testing.T) {
			for T := 1; T <= 130; T++ {
				testAttentionRow[float32](t, T)
			}
		})
	}
	for T := 1; T <= 40; T++ {
		testAttentionRow[float64](t, T)
	}
}

func testAttentionRow[F Float](t *testing.T, T int) {
	r := newRand(uint64(T))
	dh, last := 1+r.IntN(64), T-1
	scale := F(1 / math.Sqrt(float64(dh)))
	q, k, v := normals[F](r, T*dh), normals[F](r, T*dh), normals[F](r, T*dh)
	wantZ, wantPattern, scratch := make([]F, T*dh), make([]F, T*T), make([]F, AttentionScratch(T, dh))
	Attention(wantZ, dh, wantPattern, nil, q, k, v, dh, scratch, T, dh, scale)
	dz, wantDq, wantDk, wantDv := make([]F, T*dh), make([]F, T*dh), make([]F, T*dh), make([]F, T*dh)
	copy(dz[last*dh:], normals[F](r, dh))
	AttentionBackward(wantDq, wantDk, wantDv, dz, dh, wantPattern, q, k, v, dh, scratch, T, dh, scale)
	row := func(x []F) []F { return x[last*dh : T*dh] }

	rows, all, ld := make([]int32, T), T+5, dh+3
	for j, place := range r.Perm(all)[:T] {
		rows[j] = int32(place)
	}
	// scatter puts row j of a (T,dh) matrix where the list says.
	scatter := func(x []F) []F {
		y := make([]F, all*ld)
		for j, place := range rows {
			copy(y[int(place)*ld:], x[j*dh:j*dh+dh])
		}
		return y
	}
	same := func(what string, got, want []F) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Fatalf("%s for T = %d, dh = %d: %v, Attention has %v", what, T, dh, got, want)
		}
	}
	k, v = scatter(k), scatter(v)
	z, pattern := make([]F, dh), make([]F, T)
	attentionRow(z, pattern, row(q), k, v, ld, rows, scale)
	same("pattern", pattern, wantPattern[last*T:])
	same("z", z, row(wantZ))

	dq, dk, dv := make([]F, dh), make([]F, all*ld), make([]F, all*ld)
	backward := func() {
		AttentionRowBackward(dq, dk, dv, row(dz), pattern, row(q), k, v, ld, rows, scratch, scale)
	}
	backward()
	same("dq", dq, row(wantDq))
	same("dk", dk, scatter(wantDk))
	same("dv", dv, scatter(wantDv))

	backward() // adds
	twice := func(x []F) []F {
		x = scatter(x)
		Add(x, slices.Clone(x))
		return x
	}
	wantClose(t, fmt.Sprint("dk twice for T = ", T), dk, twice(wantDk), 1e-6)
	wantClose(t, fmt.Sprint("dv twice for T = ", T), dv, twice(wantDv), 1e-6)
}

func TestAttentionRowPanics(t *testing.T) {
	x := make([]float32, 20)
	rows := []int32{0, 4}
	row := func(z, pattern, q, k, v []float32, rows []int32) func() {
		return func() { attentionRow(z, pattern, q, k, v, 4, rows, 1) }
	}
	row(x[:4], x[:2], x[:4], x, x, rows)()
	wantPanic(t, "no width", row(x[:0], x[:2], x[:0], x, x, rows))
	wantPanic(t, "pattern", row(x[:4], x[:3], x[:4], x, x, rows))
	wantPanic(t, "k", row(x[:4], x[:2], x[:4], x[:19], x, rows))
	wantPanic(t, "v", row(x[:4], x[:2], x[:4], x, x[:19], rows))
	wantPanic(t, "negative row", row(x[:4], x[:2], x[:4], x, x, []int32{0, -1}))
	wantPanic(t, "ld", row(x[:5], x[:2], x[:5], x, x, rows))
	wantPanic(t, "scratch", func() {
		AttentionRowBackward(x[:4], x, x, x[:4], x[:2], x[:4], x, x, 4, rows, x[:1], 1)
	})
	wantPanic(t, "dv", func() {
		AttentionRowBackward(x[:4], x, x[:19], x[:4], x[:2], x[:4], x, x, 4, rows, x, 1)
	})
}

// attentionRow is AttentionRowPattern followed by AttentionRowMix.
func attentionRow[F Float](z, pattern []F, q, k, v []F, ld int, rows []int32, scale F) {
	AttentionRowPattern(pattern, q, k, ld, rows, scale)
	AttentionRowMix(z, pattern, v, ld, rows)
}
