package wasm

// triangle writes the products with a triangular matrix. A block of triangleRows rows is
// a rectangle, which is one product, and a few single rows on the diagonal.
func triangle(m *module) {
	m.kernel("lower", "ppppppppp", func(f *function, p []local) {
		t := newTriangle(f, p)
		f.eachBlock(t, func(i, rows, row local) {
			// The rectangle is left of the block. Rows on the diagonal continue its sums.
			right := add(t.a.get(), mul(i.get(), t.cas.get()))
			below := add(t.b.get(), mul(i.get(), t.ldb.get()))
			f.product(t, rows.get(), i.get(), t.a.get(), t.b.get(), t.c.get(), number(0))
			f.eachRow(t, rows, row, func(a, c expr) {
				f.product(t, number(1), add(row.get(), number(1)), add(right, mul(row.get(), t.ras.get())), below, c, c)
			})
		})
	})
	m.kernel("upper", "ppppppppp", func(f *function, p []local) {
		t := newTriangle(f, p)
		f.eachBlock(t, func(i, rows, row local) {
			// The rectangle is right of the block. It continues the sums of rows on the diagonal.
			f.eachRow(t, rows, row, func(a, c expr) {
				at := f.integer(add(i.get(), row.get()))
				f.product(t, number(1), sub(rows.get(), row.get()), add(a, mul(at.get(), t.cas.get())),
					add(t.b.get(), mul(at.get(), t.ldb.get())), c, number(0))
			})
			end := f.integer(add(i.get(), rows.get()))
			f.product(t, rows.get(), sub(t.m.get(), end.get()), add(t.a.get(), mul(end.get(), t.cas.get())),
				add(t.b.get(), mul(end.get(), t.ldb.get())), t.c.get(), t.c.get())
		})
	})
}

// triangleRows is the number of rows of a block.
const triangleRows = 4

// triangular are the parameters of a product with a triangular matrix. Strides of a, b
// and c are in bytes; ras4, cas4, ldb4 and ldc4 are the same in elements.
type triangular struct {
	m, n, a, ras, cas, b, ldb, c, ldc local
	ras4, cas4, ldb4, ldc4            local
}

func newTriangle(f *function, p []local) triangular {
	t := triangular{m: p[0], n: p[1], a: p[2], ras: p[3], cas: p[4], b: p[5], ldb: p[6], c: p[7], ldc: p[8]}
	for _, pair := range [][2]*local{{&t.ras, &t.ras4}, {&t.cas, &t.cas4}, {&t.ldb, &t.ldb4}, {&t.ldc, &t.ldc4}} {
		*pair[1] = f.integer(pair[0].get())
		f.set(*pair[0], inBytes(pair[0].get()))
	}
	return t
}

// eachBlock passes over the blocks of rows: i is the index of a block's first row. It
// advances a and c.
func (f *function) eachBlock(t triangular, body func(i, rows, row local)) {
	i, rows, row := f.integer(number(0)), f.variable(i32), f.variable(i32)
	f.while(less(i.get(), t.m.get()), func() {
		f.set(rows, sub(t.m.get(), i.get()))
		f.when(less(number(triangleRows), rows.get()), func() { f.set(rows, number(triangleRows)) })
		f.scope(func() { body(i, rows, row) })
		f.advance(t.a, mul(rows.get(), t.ras.get()))
		f.advance(t.c, mul(rows.get(), t.ldc.get()))
		f.advance(i, rows.get())
	})
}

// eachRow passes over the rows of a block, given the addresses of a row of A and C.
func (f *function) eachRow(t triangular, rows, row local, body func(a, c expr)) {
	f.set(row, number(0))
	f.repeat(func() {
		f.scope(func() {
			body(add(t.a.get(), mul(row.get(), t.ras.get())), add(t.c.get(), mul(row.get(), t.ldc.get())))
		})
		f.advance(row, number(1))
	}, less(row.get(), rows.get()))
}

// product calls gemm for a part of a product, with sums that start from s, which is c or
// nil.
func (f *function) product(t triangular, m, k, a, b, c, s expr) {
	f.do(f.call("gemm", m, t.n.get(), k, a, t.ras4.get(), t.cas4.get(), b, t.ldb4.get(), c, t.ldc4.get(),
		s, t.ldc4.get(), number(0)))
}
