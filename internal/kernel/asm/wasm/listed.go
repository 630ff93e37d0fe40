package wasm

// listed writes the products with listed rows of a matrix.
func listed(m *module) {
	m.kernel("listedDots", "pppppppf", listedDots)
	m.kernel("listedSum", "ppppppp", func(f *function, p []local) {
		y, a, b, ldb, rows, count, n := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
		f.elements(n.get(), func(at part, q []local) {
			acc := f.vec(all(0))
			f.eachListed(rows, count, a, func(row, element local) {
				from := f.listedRow(q[1], ldb, row)
				f.fma(acc, loadSplat(element.get(), 0), at.load(from))
			})
			at.store(q[0], acc.get())
		}, y, b)
	})
	m.kernel("listedAdd", "ppppppp", func(f *function, p []local) {
		b, ldb, rows, count, a, x, n := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
		f.eachListed(rows, count, a, func(row, element local) {
			to, factor := f.listedRow(b, ldb, row), f.vec(loadSplat(element.get(), 0))
			f.elements(n.get(), func(at part, q []local) {
				at.store(q[0], f.multiplyAdd(factor.get(), at.load(q[1]), at.load(q[0])))
			}, to, x)
		})
	})
}

// eachListed passes over the list of rows and the elements of a.
func (f *function) eachListed(rows, count, a local, body func(row, element local)) {
	f.scope(func() {
		row, element, left := f.integer(rows.get()), f.integer(a.get()), f.integer(count.get())
		f.rows(left, func() {
			body(row, element)
			f.advance(row, number(4))
			f.advance(element, number(4))
		})
	})
}

// listedRow is the address of the row whose index is at the address row.
func (f *function) listedRow(b, ldb, row local) local {
	return f.integer(add(b.get(), inBytes(mul(loadInt(row.get(), 0), ldb.get()))))
}

// listedDots writes four dot products at a time, and then single ones.
func listedDots(f *function, p []local) {
	y, x, b, ldb, rows, count, n := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	scale := f.vec(splat(p[7].get()))
	dots := func(rowCount int, store func(v expr)) {
		var from []local
		for i := range rowCount {
			row := f.integer(add(rows.get(), number(4*i)))
			from = append(from, f.listedRow(b, ldb, row))
		}
		acc, element, left := f.vec(all(0)), f.integer(x.get()), f.integer(n.get())
		f.rows(left, func() {
			column := loadFirst(from[0].get(), 0)
			for i, l := range from[1:] {
				column = loadLane(i+1, l.get(), 0, column)
			}
			f.fma(acc, loadSplat(element.get(), 0), column)
			for _, l := range append(from, element) {
				f.advance(l, number(4))
			}
		})
		store(fmul(acc.get(), scale.get()))
		f.advance(y, number(4*rowCount))
		f.advance(rows, number(4*rowCount))
		f.advance(count, number(-rowCount))
	}
	f.while(atLeast(count.get(), number(4)), func() {
		f.scope(func() { dots(4, func(v expr) { f.do(store(y.get(), 0, v)) }) })
	})
	f.while(count.get(), func() {
		f.scope(func() { dots(1, func(v expr) { f.do(storeLane(0, y.get(), 0, v)) }) })
	})
}
