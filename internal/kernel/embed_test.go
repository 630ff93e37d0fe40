package kernel

import "testing"

func TestGatherAndScatterAdd(t *testing.T) {
	table := []float32{1, 2, 3, 4, 5, 6}
	y := make([]float32, 6)
	Gather(y, table, []int32{2, 0, 2}, 2)
	wantClose(t, "y", y, []float32{5, 6, 1, 2, 5, 6}, 0)
	ScatterAdd(table, y, []int32{1, 1, 0}, 2)
	wantClose(t, "table", table, []float32{6, 8, 9, 12, 5, 6}, 0)
}

func TestEmbedPanics(t *testing.T) {
	x := make([]float32, 6)
	wantPanic(t, "id", func() { Gather(x, x, []int32{3}, 2) })
	wantPanic(t, "negative", func() { ScatterAdd(x, x, []int32{-1}, 2) })
	wantPanic(t, "short", func() { Gather(x[:3], x, []int32{0, 1}, 2) })
}
