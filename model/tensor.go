package model

import (
	"fmt"
	"slices"
)

// Tensor is a named array in row-major order.
type Tensor[F Float] struct {
	Name  string
	Shape []int
	Data  []F
}

// At returns the number at an index. The index has one entry, counted from 0, for each
// dimension of the shape: At(b, head, d, s) for attention patterns (B,H,T,T). It panics
// if the index has another length or is out of range.
func (t Tensor[F]) At(index ...int) F {
	if len(index) != len(t.Shape) {
		t.misused("At", index)
	}
	return t.Data[t.offset("At", index)]
}

// Row returns the numbers at an index of the leading dimensions. Row(b, t) of a residual
// stage (B,T,d) is the vector (d) at a position. Row(b, head, d) of attention patterns
// (B,H,T,T) is the attention of one destination, and Row(b, head) is the whole pattern
// (T,T) of a head. The result shares memory with the tensor. Row panics unless the index
// is shorter than the shape and in range.
func (t Tensor[F]) Row(index ...int) []F {
	if len(index) >= len(t.Shape) {
		t.misused("Row", index)
	}
	from, size := t.offset("Row", index), 1
	for _, n := range t.Shape[len(index):] {
		size *= n
	}
	return t.Data[from : from+size : from+size]
}

// offset returns where in Data the numbers at an index begin. If the index is out of
// range, it panics with the name of the method, call.
func (t Tensor[F]) offset(call string, index []int) int {
	at := 0
	for i, n := range t.Shape {
		at *= n
		if i >= len(index) {
			continue
		}
		if index[i] < 0 || index[i] >= n {
			t.misused(call, index)
		}
		at += index[i]
	}
	return at
}

// misused panics for an invalid index. It prints a copy of the index, so that the
// callers' index can stay on the stack.
func (t Tensor[F]) misused(call string, index []int) {
	panic(fmt.Sprintf("model: %s%v does not fit %s, whose shape is %v", call, slices.Clone(index), t.Name, t.Shape))
}
