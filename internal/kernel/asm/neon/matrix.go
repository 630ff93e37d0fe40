package neon

// matrix writes the elementwise sum and product of vectors, the column sums, and the
// transpose.
func matrix(c *asm) {
	c.entries("sum", c.add)
	c.entries("product", c.mul)
	columnSums(c)
	transpose(c)
}

// entries writes a function that sets dst = x op y, element by element.
func (c *asm) entries(name string, op func(a, b vec) vec) {
	c.function(name, "func(dst, x, y *float32, n int)")
	dst, x, y := c.param("dst"), c.param("x"), c.param("y")
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		c.store(op(c.load(at(x), k), c.load(at(y), k)), at(dst), k)
	}, dst, x, y)
	c.end()
}

// columnSums writes the kernel of ColumnSums. It moves down the rows with the sums of
// four registers of columns, and of one register at a time for the remaining columns.
func columnSums(c *asm) {
	c.function("columnSums", "func(db, dy *float32, ldy, rows, n int)")
	db, dy, ldy, n := c.param("db"), c.param("dy"), c.stride("ldy"), c.param("n")
	down := func(registers int, k *part) {
		acc := make([]vec, registers)
		for v := range acc {
			acc[v] = c.load(mem{db, 16 * v}, k)
		}
		p := c.copyOf(dy)
		c.rows(func() {
			for v := range acc {
				c.addInto(acc[v], c.load(mem{p, 16 * v}, k))
			}
			c.step(p, ldy)
		})
		for v := range acc {
			c.store(acc[v], mem{db, 16 * v}, k)
		}
		c.stepBy(db, 16*registers)
		c.stepBy(dy, 16*registers)
	}
	for _, registers := range []int{4, 1} {
		c.tiles(n, []int{4 * registers}, func(int) { down(registers, nil) })
	}
	c.unlessZero(n, func() { down(1, &part{count: n}) })
	c.end()
}

// transpose writes the transpose of 4 rows, 4 columns at a time, in two rounds: the first
// interleaves rows 0 with 2 and 1 with 3, the second the two results.
func transpose(c *asm) {
	c.function("transpose4", "func(dst *float32, ldd int, src *float32, lds, blocks int)")
	dst, ldd, src, lds := c.param("dst"), c.stride("ldd"), c.param("src"), c.stride("lds")
	interleave := func(a, b vec) (low, high vec) {
		low, high = c.vec(), c.vec()
		c.op("VZIP1 V%d.S4, V%d.S4, V%d.S4", b, a, def{low})
		c.op("VZIP2 V%d.S4, V%d.S4, V%d.S4", b, a, def{high})
		return low, high
	}
	c.repeat(c.param("blocks"), func() {
		var row, column [4]vec
		p := c.copyOf(src)
		for i := range row {
			row[i] = c.load(mem{base: p}, nil)
			c.step(p, lds)
		}
		even01, even23 := interleave(row[0], row[2]) // columns 0, 1 and columns 2, 3
		odd01, odd23 := interleave(row[1], row[3])
		column[0], column[1] = interleave(even01, odd01)
		column[2], column[3] = interleave(even23, odd23)
		for _, v := range column {
			c.store(v, mem{base: dst}, nil)
			c.step(dst, ldd)
		}
		c.stepBy(src, 16)
	})
	c.end()
}
