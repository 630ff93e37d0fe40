package model

import (
	"strings"

	"foretell/internal/kernel"
)

// Part is a range of consecutive parameters, From ≤ i < To of [Weights.Data], that can be
// updated and packed separately from the others.
type Part struct {
	From, To int
	pieces   []piece
}

// piece is a range of whole rows of one matrix: elements from … from+rows·cols−1 of the
// weights, which become columns of the transposed matrix.
type piece struct {
	from, rows, cols int
	to, stride       int // first index in the transposed weights, and distance between their rows
}

// Parts divides the parameters into parts of about `size` numbers each, and allocates the
// memory for [Transformer.PackPart].
func (m *Transformer[F]) Parts(size int) []Part {
	if m.transposed == nil {
		m.transposed = NewWeights[F](m.Config)
	}
	var parts []Part
	part, at := Part{}, 0
	closeAt := func(end int) {
		if part.To = end; part.To > part.From {
			parts = append(parts, part)
		}
		part = Part{From: end}
	}
	for _, t := range m.Weights.Tensors {
		stack, rows, cols := matrices(t.Name, t.Shape)
		for range stack {
			for row := 0; row < rows; {
				n := min(rows-row, max(1, (part.From+size-at)/cols))
				if isMatrix(lastOf(t.Name)) {
					to := at - row*cols + row
					part.pieces = append(part.pieces, piece{from: at, rows: n, cols: cols, to: to, stride: rows})
				}
				row, at = row+n, at+n*cols
				if at-part.From >= size {
					closeAt(at)
				}
			}
		}
	}
	closeAt(at)
	return parts
}

// matrices returns the shape in which the backward pass uses a parameter: a number of
// matrices (the result stack), each (rows,cols). W_O of all heads is one matrix (H·h,d).
func matrices(name string, shape []int) (stack, rows, cols int) {
	n := len(shape)
	if n == 1 {
		return 1, shape[0], 1
	}
	stack, rows, cols = 1, shape[n-2], shape[n-1]
	if n == 3 {
		stack = shape[0]
	}
	if lastOf(name) == "W_O" {
		stack, rows = 1, stack*rows
	}
	return stack, rows, cols
}

// lastOf returns the last component of a parameter's name, such as W_Q.
func lastOf(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// Pack prepares the weights for the backward pass, which multiplies by their
// transposes. It must be called after the weights have changed and before
// [Transformer.Backward].
func (m *Transformer[F]) Pack() {
	if m.whole == nil {
		m.whole = m.Parts(len(m.Weights.Data))
	}
	for _, p := range m.whole {
		m.PackPart(p)
	}
}

// PackPart is [Transformer.Pack] for the parameters of one of m's parts. Parts may be
// packed concurrently.
func (m *Transformer[F]) PackPart(p Part) {
	for _, q := range p.pieces {
		kernel.Transpose(m.transposed.Data[q.to:], q.stride, m.Weights.Data[q.from:], q.cols, q.rows, q.cols)
	}
}
