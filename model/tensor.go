package model

import (
	"fmt"
	"slices"
)

// Tensor is a named array, stored row by row (the last index runs fastest).
type Tensor[F Float] struct {
	Name  string
	Shape []int
	Data  []F
}

// At returns the number at an index, one number from 0 for each dimension of the shape:
// At(b, head, d, s) of attention patterns (B,H,T,T). It panics if there are not as many,
// or one is outside its dimension.
func (t Tensor[F]) At(index ...int) F {
	if len(index) != len(t.Shape) {
		t.misused("At", index)
	}
	return t.Data[t.offset("At", index)]
}

// Row returns the numbers at an index of the leading dimensions: Row(b, t) of a residual
// stage (B,T,d) is the vector (d) at a position, Row(b, head, d) of attention patterns
// (B,H,T,T) what a destination attends to, Row(b, head) all of a head's (T,T). It is a
// view: what is written to it is written to the tensor. It panics unless fewer numbers
// than the shape has dimensions are given, each inside its dimension.
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

// offset is where the numbers at an index begin.
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

// misused panics for an index that does not fit. It copies the index, so that one that
// fits stays on the caller's stack.
func (t Tensor[F]) misused(call string, index []int) {
	panic(fmt.Sprintf("model: %s%v of %s, whose shape is %v", call, slices.Clone(index), t.Name, t.Shape))
}
