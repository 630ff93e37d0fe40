package model

import "testing"

// An index reaches the number of nested loops over the shape.
func TestTensorIndex(t *testing.T) {
	x := Tensor[float32]{Name: "x", Shape: []int{2, 3, 4}, Data: make([]float32, 24)}
	for i := range x.Data {
		x.Data[i] = float32(i)
	}
	next := float32(0)
	for i := range 2 {
		for j := range 3 {
			row := x.Row(i, j)
			if len(row) != 4 || &row[0] != &x.Row(i)[4*j] || &row[0] != &x.Row()[12*i+4*j] {
				t.Fatalf("Row(%d, %d) is %v", i, j, row)
			}
			for k := range 4 {
				if x.At(i, j, k) != next || row[k] != next {
					t.Errorf("At(%d, %d, %d) is %v, want %v", i, j, k, x.At(i, j, k), next)
				}
				next++
			}
		}
	}
	x.Row(1, 2)[3] = -1
	if x.At(1, 2, 3) != -1 {
		t.Error("a row is no view")
	}
}

func TestTensorMisusePanics(t *testing.T) {
	x := Tensor[float64]{Name: "hook_embed", Shape: []int{1, 2, 3}, Data: make([]float64, 6)}
	for _, test := range []struct {
		use  func()
		want string
	}{
		{func() { x.At(0, 1) }, "model: At[0 1] does not fit hook_embed, whose shape is [1 2 3]"},
		{func() { x.At(0, 1, 2, 0) }, "model: At[0 1 2 0] does not fit hook_embed, whose shape is [1 2 3]"},
		{func() { x.At(0, 2, 0) }, "model: At[0 2 0] does not fit hook_embed, whose shape is [1 2 3]"},
		{func() { x.At(0, -1, 0) }, "model: At[0 -1 0] does not fit hook_embed, whose shape is [1 2 3]"},
		{func() { x.Row(0, 1, 2) }, "model: Row[0 1 2] does not fit hook_embed, whose shape is [1 2 3]"},
		{func() { x.Row(1) }, "model: Row[1] does not fit hook_embed, whose shape is [1 2 3]"},
	} {
		wantPanic(t, test.want, test.use)
	}
}

// An index that fits takes no memory, so that loops may be written with it.
func TestTensorIndexDoesNotAllocate(t *testing.T) {
	x := Tensor[float32]{Shape: []int{2, 3}, Data: make([]float32, 6)}
	sum := float32(0)
	if n := testing.AllocsPerRun(10, func() { sum += x.At(1, 2) + x.Row(1)[2] }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
