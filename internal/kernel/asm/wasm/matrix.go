package wasm

// matrix writes the loops over the elements of matrices.
func matrix(m *module) {
	m.kernel("transpose", "pppppp", transpose)
	m.kernel("columnSums", "ppppp", func(f *function, p []local) {
		db, dy, ldy, rows, n := p[0], p[1], p[2], p[3], p[4]
		f.elements(n.get(), func(at part, q []local) {
			acc, row, left := f.vec(at.load(q[0])), f.integer(q[1].get()), f.integer(rows.get())
			f.repeat(func() {
				f.set(acc, fadd(acc.get(), at.load(row)))
				f.advance(row, inBytes(ldy.get()))
				f.advance(left, number(-1))
			}, left.get())
			at.store(q[0], acc.get())
		}, db, dy)
	})
	elementwise(m, "sum", fadd)
	elementwise(m, "product", fmul)
	addTree(m, "addTree4", 4)
	addTree(m, "addTree8", 8)
}

// elementwise writes a loop over the elements of two slices.
func elementwise(m *module, name string, op func(a, b expr) expr) {
	m.kernel(name, "pppp", func(f *function, p []local) {
		f.elements(p[3].get(), func(at part, q []local) {
			at.store(q[0], op(at.load(q[1]), at.load(q[2])))
		}, p[0], p[1], p[2])
	})
}

// addTree writes the sum of slices, in a binary tree. Their addresses are in memory; a
// pointer of Go has eight bytes.
func addTree(m *module, name string, terms int) {
	m.kernel(name, "pp", func(f *function, p []local) {
		var pointers []local
		for i := range terms {
			pointers = append(pointers, f.integer(loadInt(p[0].get(), 8*i)))
		}
		f.elements(p[1].get(), func(at part, q []local) {
			var sums []expr
			for _, l := range q {
				sums = append(sums, at.load(l))
			}
			for len(sums) > 1 {
				for i := range len(sums) / 2 {
					sums[i] = fadd(sums[2*i], sums[2*i+1])
				}
				sums = sums[:len(sums)/2]
			}
			at.store(q[0], sums[0])
		}, pointers...)
	})
}

// transpose writes transposeLoop: squares of 4×4 in registers, and single elements for
// the remaining rows and columns.
func transpose(f *function, p []local) {
	dst, ldd, src, lds, rows, cols := p[0], p[1], p[2], p[3], p[4], p[5]
	f.set(ldd, inBytes(ldd.get()))
	f.set(lds, inBytes(lds.get()))
	f.while(atLeast(rows.get(), number(4)), func() {
		f.scope(func() {
			left, from, to := f.integer(cols.get()), f.integer(src.get()), f.integer(dst.get())
			f.while(atLeast(left.get(), number(4)), func() {
				f.scope(func() { f.square(from, lds, to, ldd) })
				f.advance(from, number(16))
				f.advance(to, shl(ldd.get(), number(2)))
				f.advance(left, number(-4))
			})
			f.transposeElements(from, lds, to, ldd, number(4), left)
		})
		f.advance(src, shl(lds.get(), number(2)))
		f.advance(dst, number(16))
		f.advance(rows, number(-4))
	})
	f.when(rows.get(), func() { f.transposeElements(src, lds, dst, ldd, rows.get(), cols) })
}

// square transposes 4×4 elements. It leaves the pointers as they are.
func (f *function) square(src, lds, dst, ldd local) {
	from, to := f.integer(src.get()), f.integer(dst.get())
	var v [4]local
	for i := range v {
		v[i] = f.vec(load(from.get(), 0))
		f.advance(from, lds.get())
	}
	pair := func(a, b local, i int) expr {
		return f.vec(shuffle(a.get(), b.get(), [4]int{i, 4 + i, i + 1, 5 + i})).get()
	}
	for i := range 2 {
		top, bottom := pair(v[0], v[1], 2*i), pair(v[2], v[3], 2*i)
		for j := range 2 {
			f.do(store(to.get(), 0, shuffle(top, bottom, [4]int{2 * j, 2*j + 1, 4 + 2*j, 5 + 2*j})))
			f.advance(to, ldd.get())
		}
	}
}

// transposeElements transposes a number of columns, of at most 3 rows or of 4.
func (f *function) transposeElements(src, lds, dst, ldd local, rows expr, cols local) {
	f.scope(func() {
		column, to, left := f.integer(src.get()), f.integer(dst.get()), f.integer(cols.get())
		f.while(left.get(), func() {
			f.scope(func() {
				from, element, count := f.integer(column.get()), f.integer(to.get()), f.integer(rows)
				f.repeat(func() {
					f.do(storeLane(0, element.get(), 0, loadFirst(from.get(), 0)))
					f.advance(from, lds.get())
					f.advance(element, number(4))
					f.advance(count, number(-1))
				}, count.get())
			})
			f.advance(column, number(4))
			f.advance(to, ldd.get())
			f.advance(left, number(-1))
		})
	})
}
