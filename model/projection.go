package model

// columns are some of the columns of qkv = x·[W_Q W_K W_V] + [b_Q b_K b_V]:
// where they begin in a row and how many they are, with their weights (d,n) and
// bias (n), or the gradients of these.
type columns[F Float] struct {
	at, n   int
	w       []F
	ldw     int
	bias    []F
	queries bool // which a narrowed pass has only at the last positions
}

// tile is the least width at which a matrix product is as fast as at any other.
// Narrower heads go through it side by side; the bits are the same.
const tile = 32

// projections lists the columns of qkv, whose weights may be copies in w.packed.
func projections[F Float](at attention, w *Workspace[F], p attnWeights[F]) []columns[F] {
	if at.width >= tile {
		return headColumns(at, w, p)
	}
	return packedColumns(at, w, p, packHeads(at, w, p))
}

// projectionGradients lists the columns of the gradient g, which may lie in w.packed
// until keepProjections.
func projectionGradients[F Float](at attention, w *Workspace[F], g attnWeights[F]) []columns[F] {
	switch {
	case at.width >= tile:
		return headColumns(at, w, g)
	case w.adds:
		return packedColumns(at, w, g, packHeads(at, w, g))
	}
	return packedColumns(at, w, g, w.packed[:w.d*3*at.heads*at.width])
}

// packHeads copies the weights of all heads to w.packed, (d,3,H,h).
func packHeads[F Float](at attention, w *Workspace[F], p attnWeights[F]) []F {
	n := at.heads * at.width
	packed := w.packed[:w.d*3*n]
	for _, c := range headColumns(at, w, p) {
		for i := range w.d {
			copy(packed[i*3*n+c.at:i*3*n+c.at+c.n], c.w[i*c.n:])
		}
	}
	return packed
}

// keepProjections writes projectionGradients to g, where they lay in w.packed.
func keepProjections[F Float](at attention, w *Workspace[F], g attnWeights[F]) {
	if at.width >= tile {
		return
	}
	n := at.heads * at.width
	for _, c := range headColumns(at, w, g) {
		for i := range w.d {
			copy(c.w[i*c.n:(i+1)*c.n], w.packed[i*3*n+c.at:])
		}
	}
}

// headColumns lists the columns head by head.
func headColumns[F Float](at attention, w *Workspace[F], p attnWeights[F]) []columns[F] {
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

// packedColumns lists the columns of all heads together, their weights in packed
// (d,3,H,h): all of them, or the queries apart in a narrowed pass.
func packedColumns[F Float](at attention, w *Workspace[F], p attnWeights[F], packed []F) []columns[F] {
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

// stepOf is the distance, in rows, between the rows of which some columns are
// needed: all of them, or the last position of each sequence.
func (w *Workspace[F]) stepOf(c columns[F]) int {
	if c.queries {
		return w.step()
	}
	return 1
}

// headRows says where q, k or v (side 0, 1 or 2) of all heads lie in qkv: in how many
// rows, where the first of them begins and how far apart they are. Of queries a narrowed
// pass has those of the last positions.
func headRows[F Float](at attention, w *Workspace[F], side int) (rows, first, apart int) {
	n, step := at.heads*at.width, 1
	if side == 0 {
		step = w.step()
	}
	return w.sources / step, (step-1)*3*n + side*n, step * 3 * n
}

// gatherHeads copies q, k or v of all heads, or their gradients, from qkv: (B,T,H,h).
func gatherHeads[F Float](at attention, w *Workspace[F], qkv []F, side int) []F {
	n := at.heads * at.width
	rows, first, apart := headRows(at, w, side)
	flat := make([]F, rows*n)
	for r := range rows {
		copy(flat[r*n:(r+1)*n], qkv[first+r*apart:])
	}
	return flat
}

// hookHeads shows q, k and v, or as many of them as there are names, to the hook,
// each (B,T,H,h), and takes over what the hook leaves in them.
func hookHeads[F Float](at attention, w *Workspace[F], qkv []F, names ...string) {
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
