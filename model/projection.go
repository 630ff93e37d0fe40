package model

import "foretell/internal/kernel"

// columns describes some of the columns of qkv = x·[W_Q W_K W_V] + [b_Q b_K b_V]. It has
// the index of their first column in a row, their number n, and their weights (d,n) and
// bias (n), or the gradients of these.
type columns[F Float] struct {
	at, n   int
	w       []F
	ldw     int
	bias    []F
	queries bool // the columns of q, which a narrowed pass computes only at the last positions
}

// tile is the smallest width at which a matrix product runs at full speed. Heads that are
// narrower are multiplied together, which gives the same bits.
const tile = 32

// projections returns the columns of qkv. Their weights may be copies in w.packed.
func projections[F Float](at *attention, w *Workspace[F], p attnWeights[F]) []columns[F] {
	if at.width >= tile {
		return headColumns(at, w, p)
	}
	return packedColumns(at, w, p, packHeads(at, w, p))
}

// projectionGradients returns the columns of the gradient g, to be computed. They may be
// in w.packed until keepProjections copies them to g.
func projectionGradients[F Float](at *attention, w *Workspace[F], g attnWeights[F]) []columns[F] {
	switch {
	case at.width >= tile:
		return headColumns(at, w, g)
	case w.adds:
		return packedColumns(at, w, g, packHeads(at, w, g))
	}
	return packedColumns(at, w, g, w.packed[:w.d*3*at.heads*at.width])
}

// packHeads copies the weights of all heads to w.packed, (d,3,H,h).
func packHeads[F Float](at *attention, w *Workspace[F], p attnWeights[F]) []F {
	h, all := at.width, 3*at.heads
	for i := range all {
		kernel.Copy(w.packed[i*h:], all*h, p.qkv(at, w.d, i), h, w.d, h)
	}
	return w.packed[:w.d*all*h]
}

// keepProjections copies the columns of projectionGradients from w.packed to g, if they
// are in w.packed.
func keepProjections[F Float](at *attention, w *Workspace[F], g attnWeights[F]) {
	h, all := at.width, 3*at.heads
	if h >= tile {
		return
	}
	for i := range all {
		kernel.Copy(g.qkv(at, w.d, i), h, w.packed[i*h:], all*h, w.d, h)
	}
}

// qkv returns matrix i, (d,h), of W_Q, W_K and W_V of all heads, which follow each other.
func (p attnWeights[F]) qkv(at *attention, d, i int) []F {
	size := d * at.width
	return p.wq[:3*at.heads*size][i*size : (i+1)*size]
}

// headColumns returns the columns, one entry for each of q, k and v of each head.
func headColumns[F Float](at *attention, w *Workspace[F], p attnWeights[F]) []columns[F] {
	list := w.columns[:0]
	for i, q := range [3]struct{ w, bias []F }{{p.wq, p.bq}, {p.wk, p.bk}, {p.wv, p.bv}} {
		for h := range at.heads {
			list = append(list, columns[F]{
				at: (i*at.heads + h) * at.width, n: at.width,
				w: q.w[h*w.d*at.width:], ldw: at.width, bias: q.bias[h*at.width : (h+1)*at.width], queries: i == 0,
			})
		}
	}
	w.columns = list
	return list
}

// packedColumns returns the columns of all heads together, with their weights in packed
// (d,3,H,h): one entry for all, or a separate one for the queries in a narrowed pass.
func packedColumns[F Float](at *attention, w *Workspace[F], p attnWeights[F], packed []F) []columns[F] {
	n := at.heads * at.width
	bias := p.bq[:3*n]
	if w.step() == 1 {
		w.columns = append(w.columns[:0], columns[F]{at: 0, n: 3 * n, w: packed, ldw: 3 * n, bias: bias})
	} else {
		w.columns = append(w.columns[:0],
			columns[F]{at: 0, n: n, w: packed, ldw: 3 * n, bias: bias[:n], queries: true},
			columns[F]{at: n, n: 2 * n, w: packed[n:], ldw: 3 * n, bias: bias[n:]})
	}
	return w.columns
}

// stepOf returns the distance between the rows at which the columns are needed. It is 1
// if every row needs them, and T if only the last position of each sequence does.
func (w *Workspace[F]) stepOf(c columns[F]) int {
	if c.queries {
		return w.step()
	}
	return 1
}

// headRows returns where q, k or v (side 0, 1 or 2) of all heads is in qkv: the number of
// rows, the index of the first row, and the distance between rows. A narrowed pass has
// only the queries of the last positions.
func headRows[F Float](at *attention, w *Workspace[F], side int) (rows, first, apart int) {
	n, step := at.heads*at.width, 1
	if side == 0 {
		step = w.step()
	}
	return w.sources / step, (step-1)*3*n + side*n, step * 3 * n
}

// gatherHeads returns a copy of q, k or v of all heads, or of their gradients, from qkv:
// (B,T,H,h).
func gatherHeads[F Float](at *attention, w *Workspace[F], qkv []F, side int) []F {
	n := at.heads * at.width
	rows, first, apart := headRows(at, w, side)
	flat := make([]F, rows*n)
	for r := range rows {
		copy(flat[r*n:(r+1)*n], qkv[first+r*apart:])
	}
	return flat
}

// hookHeads passes q, k and v, each (B,T,H,h), to the hook under the hook names in
// `names`, in this order. With two names it passes only q and k. It copies back what the
// hook has changed.
func hookHeads[F Float](at *attention, w *Workspace[F], qkv []F, names ...string) {
	n := at.heads * at.width
	for i, name := range names {
		if !w.hooked(name) {
			continue
		}
		rows, first, apart := headRows(at, w, i)
		flat := gatherHeads(at, w, qkv, i)
		w.hook(name, flat, w.batch, rows/w.batch, at.heads, at.width)
		for r := range rows {
			copy(qkv[first+r*apart:], flat[r*n:(r+1)*n])
		}
	}
}
