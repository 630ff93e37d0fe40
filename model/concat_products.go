package model

import "foretell/internal/kernel"

// The products that a layer with concatenated heads is made of. A stream is a row of
// units of V + n_ctx columns: h⁰, whose token and position are one-hot, and copies of it
// that heads have mixed. Two things are known of it:
//
//	of h⁰ two columns of a row are 1, token s_i and position i, and the others 0;
//	in a copy no position after the row's own has come, so that these columns are 0.
//
// So h⁰ is never multiplied: a product with it is a choice of rows or columns, and one
// with its transpose an addition to them. Of copies the products run over the columns up
// to the row's own position, a tile of rows at a time. As what is left out is zeros, the
// bits are those of the whole product, each element a chain of fused multiply-adds over
// the columns from the first to the last.

// rowTile is about how many rows share the columns that a product runs over.
const rowTile = 16

// extent is what a layer's products run over.
type extent struct {
	batch, T    int // B sequences of T positions
	from        int // the first position whose output is wanted
	vocab, unit int // V and V + n_ctx
	// whole says that a hook has made the stream what it is: then nothing is known of it,
	// and h⁰ is a unit like any other.
	whole bool
}

// first is the first unit that products run over.
func (e extent) first() int {
	if e.whole {
		return 0
	}
	return 1
}

// reach is the number of columns of a unit that may differ from 0 at positions before
// end, counted from 0.
func (e extent) reach(end int) int {
	if e.whole {
		return e.unit
	}
	return e.vocab + end
}

// tileEnd is where the tile of rows ends in which a row lies: where the reach is a
// multiple of rowTile, at which products are fastest.
func (e extent) tileEnd(row int) int {
	return min(e.T, row+rowTile-(e.vocab+row)%rowTile)
}

// matrix is some columns of rows that follow each other at a distance ld.
type matrix[F Float] struct {
	data []F
	ld   int
}

// at is the matrix from a row and a column on.
func (m matrix[F]) at(row, column int) []F { return m.data[row*m.ld+column:] }

// copyBlock copies what products read of a unit's rows and columns of a matrix to room,
// where they lie side by side: a product of small pieces of a wide matrix waits for each
// of its rows, which are pages apart.
func copyBlock[F Float](e extent, room []F, a matrix[F]) matrix[F] {
	n := e.reach(e.T)
	block := matrix[F]{room, n}
	for r := range n {
		copy(block.at(r, 0)[:n], a.at(r, 0))
	}
	return block
}

// project writes q = h·Ã, (B,T,d), given h (B,T,d) and Ã (d,d), at positions from e.from
// on. room has space for a unit's rows and columns.
func project[F Float](e extent, room []F, q, h matrix[F], a []F, tokens []int32) {
	d := q.ld
	if !e.whole {
		projectOneHot(e, q, a, tokens)
	}
	for row := e.first() * e.unit; row < d; row += e.unit {
		for column := 0; column < d; column += e.unit {
			block := copyBlock(e, room, matrix[F]{a[row*d+column:], d})
			for b := range e.batch {
				for from := e.from; from < e.T; from = e.tileEnd(from) {
					end := e.tileEnd(from)
					i, n := b*e.T+from, e.reach(end)
					kernel.Gemm(end-from, n, n, h.at(i, row), h.ld, 1, block.data, block.ld, q.at(i, column), d, row > 0)
				}
			}
		}
	}
}

// projectOneHot writes h⁰·Ã: the sum of the rows of the token and of the position.
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

// inner writes s[i,j] = y_i·h_j for j ≤ i, (T,T) from row e.from on, given y and hᵀ of
// one sequence and its tokens. It may leave anything in the other half.
func inner[F Float](e extent, s, y, transposed matrix[F], tokens []int32, d int) {
	for from := e.from; from < e.T; from = e.tileEnd(from) {
		end := e.tileEnd(from)
		if !e.whole {
			for i := from; i < end; i++ {
				chooseColumns(s.at(i-e.from, 0)[:end], y.at(i, 0), tokens, e.vocab)
			}
		}
		for unit := e.first() * e.unit; unit < d; unit += e.unit {
			kernel.Gemm(end-from, end, e.reach(end), y.at(from, unit), y.ld, 1, transposed.at(unit, 0), transposed.ld,
				s.at(from-e.from, 0), s.ld, unit > 0)
		}
	}
}

// chooseColumns writes y·h⁰_j for the positions j of s: the sum of the columns of the
// token and of the position.
func chooseColumns[F Float](s, y []F, tokens []int32, vocab int) {
	positions := y[vocab : vocab+len(s)]
	for j, token := range tokens[:len(s)] {
		s[j] = y[token] + positions[j]
	}
}

// mix writes out_i = Σ_{j≤i} p[i,j]·h_j, (T,d) from row e.from on, given p, whose row
// e.from is the first, and h of one sequence. p is 0 for j > i within a tile.
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
			kernel.Gemm(end-from, n, end, p.at(from-e.from, 0), p.ld, 1, h.at(0, unit), h.ld, out.at(from, unit), out.ld, false)
		}
	}
}

// mixOneHot writes Σ_j p[j]·h⁰_j: for each token what its positions have, then p itself.
func mixOneHot[F Float](out, p []F, tokens []int32, vocab int) {
	clear(out[:vocab])
	for j, token := range tokens[:len(p)] {
		out[token] += p[j]
	}
	copy(out[vocab:], p)
}

// projectBackward adds to dh the gradient dq·Ãᵀ of the input of project, given that of
// its output, (B,T,d), and Ãᵀ (d,d).
func projectBackward[F Float](e extent, room []F, dh, dq matrix[F], transposed []F) {
	d := dq.ld
	for column := e.first() * e.unit; column < d; column += e.unit {
		for row := 0; row < d; row += e.unit {
			block := copyBlock(e, room, matrix[F]{transposed[row*d+column:], d})
			for b := range e.batch {
				for from := e.from; from < e.T; from = e.tileEnd(from) {
					end := e.tileEnd(from)
					i, n := b*e.T+from, e.reach(end)
					kernel.Gemm(end-from, n, n, dq.at(i, row), d, 1, block.data, block.ld, dh.at(i, column), dh.ld, true)
				}
			}
		}
	}
}

// outer adds to da (d,d) the gradient hᵀ·dq of the matrix of project. room has space for
// a unit's rows and columns.
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

// outerBlock adds to a block what one sequence, whose rows begin at a row of h, gives: a
// shell of columns after another, each of which positions have from its tile on.
func outerBlock[F Float](e extent, block, dq, h matrix[F], at, row, column int) {
	for from, done := 0, 0; from < e.T; from = e.tileEnd(from) {
		reach, i := e.reach(e.tileEnd(from)), max(from, e.from)
		kernel.Gemm(reach-done, reach, e.T-i, h.at(at+i, row+done), 1, h.ld, dq.at(at+i, column), dq.ld,
			block.at(done, 0), block.ld, true)
		kernel.Gemm(done, reach-done, e.T-i, h.at(at+i, row), 1, h.ld, dq.at(at+i, column+done), dq.ld,
			block.at(0, done), block.ld, true)
		if e.whole {
			return // of one shell
		}
		done = reach
	}
}

// outerOneHot adds h⁰ᵀ·dq: each row to that of its token and that of its position.
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

// spread adds to dh_j what comes to h_j by the sums Σ_{i≥j} p[i,j]·y_i of one sequence,
// where row e.from of p is its first. It is the backward pass of mix in h, given the
// gradient y of its output, and of inner in h, given the gradient p of its output.
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
