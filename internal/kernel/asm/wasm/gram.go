package wasm

import "slices"

const (
	panelWidth  = 8 // columns of a panel of package kernel, and rows of a tile
	float64Size = 8 // bytes
	panelRow    = panelWidth * float64Size
)

// gram writes the sums of an analysis. The kernel gram adds to tiles of 8 rows, and
// returns 1. In exact.wasm it returns 0 and changes nothing if an operand is outside its
// range.
func gram(m *module) {
	gramTile(m)
	if !m.relaxed {
		gramOutside(m)
	}
	m.function("gram", slices.Repeat([]valueType{i32}, 7), []valueType{i32}, func(f *function, p []local) {
		done := f.integer(number(1))
		f.set(p[4], inBytes64(p[4].get()))
		f.set(p[6], inBytes64(p[6].get()))
		if m.relaxed {
			f.gramTiles(p)
		} else {
			f.either(f.outOfRange(p), func() { f.set(done, number(0)) }, func() { f.gramTiles(p) })
		}
		f.do(done.get())
	}).exported = true
	m.kernel("gramRow", "pppppdd", gramRow)
}

// gramTiles adds to the tiles of all panels.
func (f *function) gramTiles(p []local) {
	panels, rows, a, b, panel, c, ldc := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	f.rows(panels, func() {
		f.do(f.call("gramTile", rows.get(), a.get(), b.get(), c.get(), ldc.get()))
		f.advance(b, panel.get())
		f.advance(c, number(panelRow))
	})
}

// gramRow writes the loop of GramRow over whole panels.
func gramRow(f *function, p []local) {
	panels, z, panel, sum, x := p[0], p[1], p[2], p[3], p[4]
	root, w := f.vec(splat64(p[5].get())), f.vec(splat64(p[6].get()))
	f.set(panel, inBytes64(panel.get()))
	f.rows(panels, func() {
		for at := 0; at < panelRow; at += 16 {
			xs := f.vec(load(x.get(), at))
			f.do(store(z.get(), at, dmul(root.get(), xs.get())))
			f.do(store(sum.get(), at, dadd(load(sum.get(), at), dmul(w.get(), xs.get()))))
		}
		f.advance(z, panel.get())
		f.advance(sum, number(panelRow))
		f.advance(x, number(panelRow))
	})
}

// gramTile writes the function of one tile. Its blocks are computed in registers: 4×4, or
// 1×8 in exact.wasm.
func gramTile(m *module) {
	rows, vectors := 4, 2
	if !m.relaxed {
		rows, vectors = 1, 4
	}
	m.function("gramTile", slices.Repeat([]valueType{i32}, 5), nil, func(f *function, p []local) {
		a, c, ldc, left := p[1], p[3], p[4], f.integer(number(panelWidth/rows))
		f.rows(left, func() {
			for j := 0; j < panelRow; j += 16 * vectors {
				f.scope(func() { f.gramBlock(p, j, rows, vectors) })
			}
			f.advance(a, number(float64Size*rows))
			f.advance(c, mul(ldc.get(), number(rows)))
		})
	})
}

// gramBlock writes the code of a block of the next rows of a tile, whose columns begin j
// bytes after the tile's.
func (f *function) gramBlock(p []local, j, rows, vectors int) {
	left, a, b, ldc := f.integer(p[0].get()), f.integer(p[1].get()), f.integer(p[2].get()), p[4]
	row := f.integer(p[3].get())
	acc := make([][]local, rows)
	for r := range acc {
		for v := range vectors {
			acc[r] = append(acc[r], f.vec(load(row.get(), j+16*v)))
		}
		f.advance(row, ldc.get())
	}
	f.repeat(func() {
		f.scope(func() { f.gramStep(a, b, acc, j) })
		f.advance(a, number(panelRow))
		f.advance(b, number(panelRow))
		f.advance(left, number(-1))
	}, left.get())
	f.set(row, p[3].get())
	for _, vs := range acc {
		for v, l := range vs {
			f.do(store(row.get(), j+16*v, l.get()))
		}
		f.advance(row, ldc.get())
	}
}

// gramStep adds the products of one row of both panels to a block.
func (f *function) gramStep(a, b local, acc [][]local, j int) {
	var bs []factor
	for v := range acc[0] {
		bs = append(bs, f.factor(load(b.get(), j+16*v)))
	}
	for r := range acc {
		f.scope(func() {
			element := f.factor(loadSplat64(a.get(), float64Size*r))
			for v, l := range acc[r] {
				f.scope(func() { f.set(l, f.multiplyAdd64(element, bs[v], l.get())) })
			}
		})
	}
}

// factor is a vector of two float64. In exact.wasm it is split, by Veltkamp, into two
// parts of at most 26 bits.
type factor struct{ whole, high, low local }

func (f *function) factor(x expr) factor {
	whole := f.vec(x)
	if f.relaxed {
		return factor{whole: whole}
	}
	scaled := f.vec(dmul(whole.get(), all64(1<<27+1)))
	high := f.vec(dsub(scaled.get(), dsub(scaled.get(), whole.get())))
	return factor{whole, high, f.vec(dsub(whole.get(), high.get()))}
}

// multiplyAdd64 is a·b + c, rounded once. In exact.wasm it is the sum of three numbers,
// the rounded product, what its rounding lost (Dekker), and c, by Boldo and Melquiond
// (Emulation of FMA and correctly rounded sums, 2008): what two sums lose is rounded to
// odd, so that the last sum rounds as if it saw all bits.
func (f *function) multiplyAdd64(a, b factor, c expr) expr {
	if f.relaxed {
		return relaxedMadd64(a.whole.get(), b.whole.get(), c)
	}
	product := f.vec(dmul(a.whole.get(), b.whole.get()))
	rest := dsub(product.get(), dmul(a.high.get(), b.high.get()))
	rest = dsub(rest, dmul(a.low.get(), b.high.get()))
	rest = dsub(rest, dmul(a.high.get(), b.low.get()))
	low, lost := f.twoSum(c, dsub(dmul(a.low.get(), b.low.get()), rest))
	high, kept := f.twoSum(product.get(), low.get())
	sum := f.vec(dadd(lost.get(), kept.get()))
	return dadd(high.get(), f.oddSum(lost.get(), kept.get(), sum.get()))
}

// twoSum returns x + y rounded to nearest, and what the rounding lost (Knuth).
func (f *function) twoSum(x, y expr) (sum, lost local) {
	a, b := f.vec(x), f.vec(y)
	sum = f.vec(dadd(a.get(), b.get()))
	return sum, f.vec(f.lost(a.get(), b.get(), sum.get()))
}

// Exact kernels add elements of Z and C that are 0 or of a magnitude in these ranges. All
// products, all sums and what they lose are then multiples of 2⁻¹⁰⁶⁴, because their last
// bits are, and below 2¹⁰⁰¹, if there are fewer than 2³¹ rows. So nothing overflows, and
// nothing is lost below the smallest numbers. An element of C must not be −0: the last of
// the sums of multiplyAdd64 would be +0 where −0 is right.
const (
	leastZ, mostZ = 0x1p-480, 0x1p480
	leastC, mostC = 0x1p-1000, 0x1p1000
)

// outOfRange reports whether an operand of gram is outside its range.
func (f *function) outOfRange(p []local) expr {
	panels, rows, a, b, panel, c, ldc := p[0].get(), p[1].get(), p[2].get(), p[3].get(), p[4].get(), p[5].get(), p[6].get()
	inPanel, inRow := mul(rows, number(panelRow)), mul(panels, number(panelRow))
	inZ := []expr{allBits64(1<<63 - 1), all64(leastZ), all64(mostZ)}
	inC := []expr{allBits64(1<<64 - 1), all64(leastC), all64(mostC)}
	outside := func(lines, length, line, stride expr, within []expr) expr {
		return f.call("gramOutside", append([]expr{lines, length, line, stride}, within...)...)
	}
	return anyTrue(vor(outside(number(1), inPanel, a, number(0), inZ),
		vor(outside(panels, inPanel, b, panel, inZ), outside(number(panelWidth), inRow, c, ldc, inC))))
}

// gramOutside writes the function that looks for elements outside a range in lines of
// some bytes, and returns a mask. An element whose given bits are 0 is inside.
func gramOutside(m *module) {
	types := []valueType{i32, i32, i32, i32, v128, v128, v128}
	m.function("gramOutside", types, []valueType{v128}, func(f *function, p []local) {
		lines, length, line, stride, bits, least, most := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
		outside := f.vec(allBits(0))
		f.rows(lines, func() {
			at, left := f.integer(line.get()), f.integer(length.get())
			f.repeat(func() {
				x := f.vec(load(at.get(), 0))
				size := f.vec(dabs(x.get()))
				within := vand(datMost(least.get(), size.get()), datMost(size.get(), most.get()))
				zero := lequal(vand(x.get(), bits.get()), allBits64(0))
				f.set(outside, vor(outside.get(), vnot(vor(within, zero))))
				f.advance(at, number(16))
				f.advance(left, number(-16))
			}, left.get())
			f.advance(line, stride.get())
		})
		f.do(outside.get())
	})
}
