package wasm

// gemm writes the product of matrices. A panel of C, a few columns wide, is divided into
// tiles that are computed in registers.
func gemm(m *module) {
	for _, w := range widths {
		for _, columns := range []bool{false, true} {
			panel(m, w, columns)
		}
	}
	m.kernel("gemm", "ppppppppppppp", func(f *function, p []local) {
		f.columns(product(p))
	})
}

// heights returns the numbers of rows of the tiles, largest first. A 4×8 tile needs eight
// registers, a row of B two and an element of A one; V8 has 15 on amd64. With a 6×8 tile,
// which fits, it moves vectors to memory and back.
func (m *module) heights() []int {
	if m.relaxed {
		return []int{4, 2, 1}
	}
	return []int{2, 1}
}

// width is how the columns of a panel are loaded and stored.
type width struct {
	name    string
	columns int // computed by the panel
	vectors int // of a row
	last    bool
}

// widths are the panels. The panel of the last columns reads four columns, and stores as
// many of the last ones as there are; it is computed before the others, because it reads
// columns of C that they change. The panels with fewer than four columns are for products
// with so few columns.
var widths = []width{
	{"8", 8, 2, false},
	{"4", 4, 1, false},
	{"Last", 4, 1, true},
	{"3", 3, 1, false},
	{"2", 2, 1, false},
	{"1", 1, 1, false},
}

// load is vector v of a row of a panel.
func (w width) load(address expr, v int) expr {
	switch w.columns {
	case 1:
		return loadFirst(address, 0)
	case 2:
		return loadFirst2(address, 0)
	case 3:
		return loadLane(2, address, 8, loadFirst2(address, 0))
	}
	return load(address, 16*v)
}

// store writes a row of a panel. Of the last columns it writes n.
func (f *function) storeRow(w width, address local, row []local, n local) {
	switch {
	case w.last:
		for lane := 1; lane < 4; lane++ {
			f.when(less(number(3-lane), n.get()), func() { f.do(storeLane(lane, address.get(), 4*lane, row[0].get())) })
		}
	case w.columns < 4:
		for lane := range w.columns {
			f.do(storeLane(lane, address.get(), 4*lane, row[0].get()))
		}
	default:
		for v, l := range row {
			f.do(store(address.get(), 16*v, l.get()))
		}
	}
}

// operands are the parameters of a product. Strides are in bytes; n is the number of
// columns.
type operands struct {
	m, n, k, a, ras, cas, b, ldb, c, ldc, s, lds, x local
}

func product(p []local) operands {
	return operands{p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12]}
}

// list returns the parameters in order, where b, c, s and x are moved by bytes.
func (g operands) list(b, c, s, x expr) []expr {
	return []expr{
		g.m.get(), g.n.get(), g.k.get(), g.a.get(), g.ras.get(), g.cas.get(), b, g.ldb.get(),
		c, g.ldc.get(), s, g.lds.get(), x,
	}
}

// panelName is the name of the function of a panel.
func panelName(w width, columns bool) string {
	if columns {
		return "panel" + w.name + "ByColumns"
	}
	return "panel" + w.name
}

// panel writes the function of a panel; in columns of A, if the argument says so, all
// elements are next to each other.
func panel(m *module, w width, columns bool) {
	types := make([]valueType, 13)
	for i := range types {
		types[i] = i32
	}
	m.function(panelName(w, columns), types, nil, func(f *function, p []local) {
		g := product(p)
		for i, rows := range m.heights() {
			tile := func() {
				f.scope(func() { f.tile(w, g, rows, columns) })
				f.advance(g.m, number(-rows))
			}
			switch {
			case rows == 1:
				f.while(g.m.get(), tile)
			case i == 0 || m.heights()[i-1] > 2*rows:
				f.while(atLeast(g.m.get(), number(rows)), tile)
			default:
				f.when(atLeast(g.m.get(), number(rows)), tile)
			}
		}
	})
}

// tile writes the code of one tile. It advances a, c, s and x past the tile's rows.
func (f *function) tile(w width, g operands, rows int, columns bool) {
	acc := make([][]local, rows)
	for r := range acc {
		for range w.vectors {
			acc[r] = append(acc[r], f.vec(allBits(0)))
		}
	}
	f.when(g.s.get(), func() {
		for r := range acc {
			for v, l := range acc[r] {
				f.set(l, w.load(g.s.get(), v))
			}
			f.advance(g.s, g.lds.get())
		}
	})
	f.when(g.k.get(), func() { f.scope(func() { f.sums(w, g, acc, columns) }) })
	for r := range acc {
		f.when(g.x.get(), func() {
			for v, l := range acc[r] {
				f.set(l, fadd(w.load(g.x.get(), v), l.get()))
			}
			f.advance(g.x, g.ldc.get())
		})
		f.storeRow(w, g.c, acc[r], g.n)
		f.advance(g.c, g.ldc.get())
	}
	f.advance(g.a, mul(number(rows), g.ras.get()))
}

// sums adds the products for all k to a tile.
func (f *function) sums(w width, g operands, acc [][]local, columns bool) {
	k, b := f.integer(g.k.get()), f.integer(g.b.get())
	a := []local{f.integer(g.a.get())}
	element := func(r int) expr { return loadSplat(a[0].get(), 4*r) }
	if !columns {
		for range len(acc) - 1 {
			a = append(a, f.integer(add(a[len(a)-1].get(), g.ras.get())))
		}
		element = func(r int) expr { return loadSplat(a[r].get(), 0) }
	}
	f.repeat(func() {
		f.scope(func() { f.step(w, b, acc, element) })
		for _, p := range a {
			f.advance(p, g.cas.get())
		}
		f.advance(b, g.ldb.get())
		f.advance(k, number(-1))
	}, k.get())
}

// step adds the products for one k to a tile.
func (f *function) step(w width, b local, acc [][]local, element func(r int) expr) {
	if !f.relaxed {
		f.exactStep(w, b, acc, element)
		return
	}
	var bs []local
	for v := range w.vectors {
		bs = append(bs, f.vec(w.load(b.get(), v)))
	}
	for r := range acc {
		f.scope(func() {
			a := f.vec(element(r))
			for v, l := range acc[r] {
				f.set(l, relaxedMadd(a.get(), bs[v].get(), l.get()))
			}
		})
	}
}

// exactStep is step in float64.
func (f *function) exactStep(w width, b local, acc [][]local, element func(r int) expr) {
	var lows, highs []local
	for v := range w.vectors {
		row := f.vec(w.load(b.get(), v))
		lows = append(lows, f.vec(widen(row.get())))
		highs = append(highs, f.vec(widen(upper(row.get()))))
	}
	for r := range acc {
		f.scope(func() {
			a := f.vec(widen(element(r)))
			for v, l := range acc[r] {
				f.scope(func() {
					low := f.wideSum(a.get(), lows[v].get(), widen(l.get()))
					high := f.wideSum(a.get(), highs[v].get(), widen(upper(l.get())))
					f.roundSums(low, high)
					f.set(l, narrow(low.sum.get(), high.sum.get()))
				})
			}
		})
	}
}

// columns calls the functions of the panels of a product.
func (f *function) columns(g operands) {
	for _, l := range []local{g.ras, g.cas, g.ldb, g.ldc, g.lds} {
		f.set(l, inBytes(l.get()))
	}
	f.either(less(g.n.get(), number(4)), func() {
		for n := 1; n < 4; n++ {
			f.when(equal(g.n.get(), number(n)), func() { f.panelCall(widths[6-n], g, nil) })
		}
	}, func() {
		whole, at := f.integer(g.n.get()), f.integer(number(0))
		f.set(g.n, and(whole.get(), number(3)))
		f.when(g.n.get(), func() {
			f.set(at, inBytes(sub(whole.get(), number(4))))
			f.panelCall(widths[2], g, at.get())
			f.set(at, number(0))
		})
		f.set(whole, inBytes(sub(whole.get(), g.n.get())))
		f.while(atLeast(sub(whole.get(), at.get()), number(32)), func() {
			f.panelCall(widths[0], g, at.get())
			f.advance(at, number(32))
		})
		f.when(less(at.get(), whole.get()), func() { f.panelCall(widths[1], g, at.get()) })
	})
}

// panelCall calls the function of the panel at an offset in bytes.
func (f *function) panelCall(w width, g operands, at expr) {
	if at == nil {
		at = number(0)
	}
	moved := func(l local) expr { return add(l.get(), at) }
	orNil := func(l local) expr { // l + at, or 0 if l is nil
		return apply([]byte{opSelect}, add(l.get(), at), number(0), l.get())
	}
	call := func(columns bool) func() {
		return func() { f.do(f.call(panelName(w, columns), g.list(moved(g.b), moved(g.c), orNil(g.s), orNil(g.x))...)) }
	}
	f.either(equal(g.ras.get(), number(4)), call(true), call(false))
}
