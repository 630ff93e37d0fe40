package neon

// listed writes the products with listed rows of a matrix.
func listed(c *asm) {
	c.listedDots()
	c.listedSum()

	c.function("listedAdd", "func(b *float32, ldb int, rows *int32, t int, a, x *float32, n int)")
	b, ldb, list := c.param("b"), c.stride("ldb"), c.param("rows")
	a, x, n := c.param("a"), c.param("x"), c.param("n")
	c.repeat(c.param("t"), func() {
		y, factor := c.listedRow(b, list, 0, ldb), c.broadcast(mem{base: a})
		c.elements(n, func(at func(gp) mem, k *part) {
			sum := c.load(at(y), k)
			c.fma(sum, factor, c.load(at(x), k))
			c.store(sum, at(y), k)
		}, y, x)
		c.stepBy(list, 4)
		c.stepBy(a, 4)
	})
	c.end()
}

// listedRow returns the address of row list[j] of the matrix b.
func (c *asm) listedRow(b, list gp, j int, ld gp) gp {
	r := c.gp()
	c.op("MOVW %d(R%d), R%d", 4*j, list, def{r})
	c.op("MADD R%d, R%d, R%d, R%d", ld, b, r, def{r})
	return r
}

// listedDots writes the kernel of listedDots. It takes the rows in tiles of up to eight,
// and multiplies one element of x by one element of each row of the tile, in one chain
// for each row.
func (c *asm) listedDots() {
	c.function("listedDots", "func(y, x, b *float32, ldb int, rows *int32, t, n int, scale float32)")
	y, x, b, ldb, list := c.param("y"), c.param("x"), c.param("b"), c.stride("ldb"), c.param("rows")
	n, scale := c.param("n"), c.scalar("scale")
	c.tiles(c.param("t"), []int{8, 4, 2, 1}, func(rows int) {
		addresses, sums := make([]gp, rows), make([]vec, rows)
		for j := range rows {
			addresses[j], sums[j] = c.listedRow(b, list, j, ldb), c.zero()
		}
		p := c.number(0)
		element := func(base gp) vec {
			v := c.vec()
			c.op("FMOVS (R%d)(R%d), F%d", base, p, def{v})
			return v
		}
		c.repeat(c.copyOf(n), func() {
			xp := element(x)
			for j, address := range addresses {
				c.fma(sums[j], xp, element(address))
			}
			c.stepBy(p, 4)
		})
		for j, s := range sums {
			c.storeFirst(c.mul(s, scale), mem{y, 4 * j})
		}
		c.stepBy(y, 4*rows)
		c.stepBy(list, 4*rows)
	})
	c.end()
}

// listedSum writes the kernel of listedSum. It divides the columns into panels; the sums
// of a panel stay in registers while j runs over the rows.
func (c *asm) listedSum() {
	c.function("listedSum", "func(y *float32, n int, a, b *float32, ldb int, rows *int32, t int)")
	y, n, a, b := c.param("y"), c.param("n"), c.param("a"), c.param("b")
	ldb, list, t := c.stride("ldb"), c.param("rows"), c.param("t")
	for _, panel := range panels {
		c.tiles(n, []int{panel.columns}, func(columns int) {
			k := fewerThanFour(columns)
			sums := make([]vec, (columns+3)/4)
			for v := range sums {
				sums[v] = c.zero()
			}
			ap, lp := c.copyOf(a), c.copyOf(list)
			c.repeat(c.copyOf(t), func() {
				row, factor := c.listedRow(b, lp, 0, ldb), c.broadcast(mem{base: ap})
				for v, sum := range sums {
					c.fma(sum, factor, c.load(mem{row, 16 * v}, k))
				}
				c.stepBy(ap, 4)
				c.stepBy(lp, 4)
			})
			for v, sum := range sums {
				c.store(sum, mem{y, 16 * v}, k)
			}
			c.stepBy(y, 4*columns)
			c.stepBy(b, 4*columns)
		})
	}
	c.end()
}
