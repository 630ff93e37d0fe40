package model

import "foretell/internal/kernel"

// This file has the matrix products of a layer with concatenated heads. A row of the
// stream consists of units, each V + n_ctx columns wide. The first unit is h⁰, whose
// token and position are one-hot. The others are copies of h⁰ that heads have averaged
// over positions. The products use two facts:
//
//	in a row of h⁰ two columns are 1, token s_i and position i, and the others are 0;
//	in a row of a copy the columns of positions after that row are 0.
//
// So h⁰ is never multiplied: a product with h⁰ selects rows or columns, and a product
// with its transpose adds to them. For copies the products run over the columns up to the
// row's own position, one tile of rows at a time. Blocks of Ã that are 0 are skipped,
// too, as most are in a construction. What is skipped is 0, so every element has the same
// bits as in the full product, a chain of fused multiply-adds from the first column to
// the last.

// rowTile is the approximate number of rows in a tile. For all rows of a tile a product
// uses the same columns.
const rowTile = 16

// extent says which rows and columns the matrix products of a layer run over.
type extent struct {
	batch, T    int // B sequences of T positions
	from        int // the first position whose output is needed
	vocab, unit int // V and V + n_ctx
	// whole is set if the zeros of the stream cannot be relied on, because a hook has
	// changed it or its gradient is needed, or if the pass is over a tree. Then h⁰ is
	// multiplied like any other unit.
	whole bool
}

// first returns the index of the first unit that products run over.
func (e extent) first() int {
	if e.whole {
		return 0
	}
	return 1
}

// reach returns how many of a unit's first columns may be nonzero in the rows of
// positions 0 to end−1.
func (e extent) reach(end int) int {
	if e.whole {
		return e.unit
	}
	return e.vocab + end
}

// tileEnd returns the row after the last row of the tile that contains the given row.
// Tiles end where the reach is a multiple of rowTile, which makes the products fastest.
func (e extent) tileEnd(row int) int {
	return min(e.T, row+rowTile-(e.vocab+row)%rowTile)
}

// matrix is a range of columns of a row-major matrix with ld numbers in each row.
type matrix[F Float] struct {
	data []F
	ld   int
}

// at returns the data that begins at the given row and column.
func (m matrix[F]) at(row, column int) []F { return m.data[row*m.ld+column:] }

// zero reports whether the first rows and columns of m are 0. It is quick if they are
// not.
func zero[F Float](m matrix[F], rows, columns int) bool {
	for r := range rows {
		for _, x := range m.at(r, 0)[:columns] {
			if x != 0 {
				return false
			}
		}
	}
	return true
}

// copyBlock copies one block of a matrix, the rows of one unit and the columns of
// another, to the scratch slice `room`. It copies only the rows and columns that products
// read. The copy is contiguous. In the wide matrix the rows of the block are memory pages
// apart, which slows down products.
func copyBlock[F Float](e extent, room []F, a matrix[F]) matrix[F] {
	n := e.reach(e.T)
	block := matrix[F]{room, n}
	for r := range n {
		copy(block.at(r, 0)[:n], a.at(r, 0))
	}
	return block
}

// project writes q = h·Ã, (B,T,d), at positions from e.from on, given h (B,T,d) and the
// slice a with Ã (d,d). The scratch slice `room` has space for the rows and columns of
// one unit.
func project[F Float](e extent, room []F, q, h matrix[F], a []F, tokens []int32) {
	d := q.ld
	if !e.whole {
		projectOneHot(e, q, a, tokens)
	}
	for row := e.first() * e.unit; row < d; row += e.unit {
		for column := 0; column < d; column += e.unit {
			own := matrix[F]{a[row*d+column:], d}
			if row > 0 && zero(own, e.reach(e.T), e.reach(e.T)) {
				continue
			}
			block := copyBlock(e, room, own)
			for b := range e.batch {
				for from := e.from; from < e.T; from = e.tileEnd(from) {
					end := e.tileEnd(from)
					i, n := b*e.T+from, e.reach(end)
					kernel.Gemm(end-from, n, n, h.at(i, row), h.ld, 1, block.data, block.ld,
						q.at(i, column), d, row > 0)
				}
			}
		}
	}
}

// projectOneHot writes h⁰·Ã, where h⁰ is the one-hot token and position: for each
// position, Ã's row of the token plus Ã's row of the position.
func projectOneHot[F Float](e extent, q matrix[F], a []F, tokens []int32) {
	d := q.ld
	for b := range e.batch {
		for i := e.from; i < e.T; i++ {
			n := e.reach(e.tileEnd(i))
			token, position := int(tokens[b*e.T+i])*d, (e.vocab+i)*d
			for column := 0; column < d; column += e.unit {
				y := q.at(b*e.T+i, column)[:n]
				copy(y, a[token+column:])
				kernel.Add(y, a[position+column:position+column+n])
			}
		}
	}
}

// inner writes the products s[i,j] = y_i·h_j of one sequence for i ≥ e.from and j ≤ i,
// given y, hᵀ and the sequence's tokens. The first row of s is i = e.from. Entries with j
// > i are undefined.
func inner[F Float](e extent, s, y, transposed matrix[F], tokens []int32, d int) {
	for from := e.from; from < e.T; from = e.tileEnd(from) {
		end := e.tileEnd(from)
		if !e.whole {
			for i := from; i < end; i++ {
				chooseColumns(s.at(i-e.from, 0)[:end], y.at(i, 0), tokens, e.vocab)
			}
		}
		for unit := e.first() * e.unit; unit < d; unit += e.unit {
			if unit > 0 && zero(matrix[F]{y.at(from, unit), y.ld}, end-from, e.reach(end)) {
				continue
			}
			kernel.Gemm(end-from, end, e.reach(end), y.at(from, unit), y.ld, 1, transposed.at(unit, 0), transposed.ld,
				s.at(from-e.from, 0), s.ld, unit > 0)
		}
	}
}

// chooseColumns writes s[j] = y·h⁰_j for each position j, where h⁰_j is the one-hot token
// and position: the entry of y for the token at j plus the entry of y for position j.
func chooseColumns[F Float](s, y []F, tokens []int32, vocab int) {
	positions := y[vocab : vocab+len(s)]
	for j, token := range tokens[:len(s)] {
		s[j] = y[token] + positions[j]
	}
}

// mix writes out_i = Σ_{j≤i} p[i,j]·h_j, (T,d), for i ≥ e.from, given p and h of one
// sequence. The first row of p is i = e.from. Within a tile p[i,j] must be 0 for j > i.
func mix[F Float](e extent, out, p, h matrix[F], tokens []int32, d int) {
	for from := e.from; from < e.T; from = e.tileEnd(from) {
		end := e.tileEnd(from)
		n := e.reach(end)
		if !e.whole {
			for i := from; i < end; i++ {
				mixOneHot(out.at(i, 0)[:n], p.at(i-e.from, 0)[:end], tokens, e.vocab)
			}
		}
		for unit := e.first() * e.unit; unit < d; unit += e.unit {
			kernel.Gemm(end-from, n, end, p.at(from-e.from, 0), p.ld, 1, h.at(0, unit), h.ld,
				out.at(from, unit), out.ld, false)
		}
	}
}

// mixOneHot writes Σ_j p[j]·h⁰_j, where h⁰_j is the one-hot token and position j: for
// each token the sum of p over the token's positions, then p itself.
func mixOneHot[F Float](out, p []F, tokens []int32, vocab int) {
	clear(out[:vocab])
	for j, token := range tokens[:len(p)] {
		out[token] += p[j]
	}
	copy(out[vocab:], p)
}

// projectBackward is the backward pass of `project` for its input h: it adds dq·Ãᵀ to the
// gradient dh, given the gradient dq (B,T,d) of q and the transposed matrix Ãᵀ (d,d).
func projectBackward[F Float](e extent, room []F, dh, dq matrix[F], transposed []F) {
	d := dq.ld
	for column := e.first() * e.unit; column < d; column += e.unit {
		for row := 0; row < d; row += e.unit {
			block := copyBlock(e, room, matrix[F]{transposed[row*d+column:], d})
			for b := range e.batch {
				for from := e.from; from < e.T; from = e.tileEnd(from) {
					end := e.tileEnd(from)
					i, n := b*e.T+from, e.reach(end)
					kernel.Gemm(end-from, n, n, dq.at(i, row), d, 1, block.data, block.ld,
						dh.at(i, column), dh.ld, true)
				}
			}
		}
	}
}

// outer is the backward pass of `project` for its matrix Ã: it adds hᵀ·dq to the gradient
// da (d,d). The scratch slice `room` has space for the rows and columns of one unit.
func outer[F Float](e extent, room []F, da []F, dq, h matrix[F], tokens []int32) {
	d := dq.ld
	if !e.whole {
		outerOneHot(e, da, dq, tokens)
	}
	for row := e.first() * e.unit; row < d; row += e.unit {
		for column := 0; column < d; column += e.unit {
			own := matrix[F]{da[row*d+column:], d}
			block := copyBlock(e, room, own)
			for b := range e.batch {
				outerBlock(e, block, dq, h, b*e.T, row, column)
			}
			for r := range block.ld {
				copy(own.at(r, 0), block.at(r, 0)[:block.ld])
			}
		}
	}
}

// outerBlock adds the contribution of one sequence to the block of hᵀ·dq whose first
// entry is (row, column). The sequence's first row in h and dq is row number `at`. The
// sum proceeds tile by tile. Columns that a tile is the first to reach are summed over
// the positions of that tile and of all later tiles.
func outerBlock[F Float](e extent, block, dq, h matrix[F], at, row, column int) {
	for from, done := 0, 0; from < e.T; from = e.tileEnd(from) {
		reach, i := e.reach(e.tileEnd(from)), max(from, e.from)
		kernel.Gemm(reach-done, reach, e.T-i, h.at(at+i, row+done), 1, h.ld, dq.at(at+i, column), dq.ld,
			block.at(done, 0), block.ld, true)
		kernel.Gemm(done, reach-done, e.T-i, h.at(at+i, row), 1, h.ld, dq.at(at+i, column+done), dq.ld,
			block.at(0, done), block.ld, true)
		if e.whole {
			return // the first tile has reached all columns
		}
		done = reach
	}
}

// outerOneHot adds h⁰ᵀ·dq to da, where h⁰ is the one-hot token and position: it adds each
// row of dq to the row of da for its token and to the row of da for its position.
func outerOneHot[F Float](e extent, da []F, dq matrix[F], tokens []int32) {
	d := dq.ld
	for b := range e.batch {
		for i := e.from; i < e.T; i++ {
			n := e.reach(i + 1)
			token, position := int(tokens[b*e.T+i])*d, (e.vocab+i)*d
			for column := 0; column < d; column += e.unit {
				y := dq.at(b*e.T+i, column)[:n]
				kernel.Add(da[token+column:token+column+n], y)
				kernel.Add(da[position+column:position+column+n], y)
			}
		}
	}
}

// spread adds Σ_{i≥j} p[i,j]·y_i of one sequence to dh_j; the first row of p is i =
// e.from. If y is the gradient of the output of `mix`, the sum is its gradient with
// respect to h_j. If p is the gradient of the output of `inner`, the sum is likewise its
// gradient with respect to h_j.
func spread[F Float](e extent, dh, p, y matrix[F], d int) {
	for first := 0; first < e.T; first = e.tileEnd(first) {
		end := e.tileEnd(first)
		from, n := max(first, e.from), e.reach(end)
		for unit := e.first() * e.unit; unit < d; unit += e.unit {
			kernel.Gemm(end-first, n, e.T-from, p.at(from-e.from, first), 1, p.ld, y.at(from, unit), y.ld,
				dh.at(first, unit), dh.ld, true)
		}
	}
}
