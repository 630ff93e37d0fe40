package neon

// gram writes the kernels of C = Zᵀ·Z, in float64, from panels of 8 columns of Z. A block
// of C, 8 rows by the 8 columns of a panel, is computed in tiles of 4 rows; a tile is 16
// registers of two elements.
func gram(c *asm) {
	const rows = 4
	c.function("gram8", "func(rows int, a, b, c *float64, ldc int)")
	a, cp, ldc := c.param("a"), c.param("c"), c.doubles("ldc")
	for tile := range 8 / rows {
		ap, bp, row := c.copyOf(a), c.param("b"), c.copyOf(cp)
		c.stepBy(ap, 8*rows*tile)
		acc := make([][]vec, rows)
		for r := range acc {
			acc[r] = c.quarters(row)
			c.step(row, ldc)
		}
		c.repeat(c.param("rows"), func() {
			left, right := [2]vec{c.load(mem{ap, 0}, nil), c.load(mem{ap, 16}, nil)}, c.quarters(bp)
			for r := range acc {
				for v, b := range right {
					c.fmaElement(acc[r][v], b, left[r/2], r%2)
				}
			}
			c.stepBy(ap, 64)
			c.stepBy(bp, 64)
		})
		for r := range acc {
			for v, sum := range acc[r] {
				c.store(sum, mem{cp, 16 * v}, nil)
			}
			c.step(cp, ldc)
		}
	}
	c.end()
	gramRow(c)
}

// quarters loads the four registers of a row of a panel.
func (c *asm) quarters(p gp) (row []vec) {
	for v := range 4 {
		row = append(row, c.load(mem{p, 16 * v}, nil))
	}
	return row
}

// doubles loads a parameter that counts elements of float64, converted to bytes.
func (c *asm) doubles(name string) gp {
	r := c.param(name)
	c.op("LSL $3, R%d, R%d", r, def{r})
	return r
}

// fmaElement sets acc += a·b[element] in float64, where element is 0 or 1.
func (c *asm) fmaElement(acc, a, b vec, element int) {
	if element == 0 {
		c.word(0x4fc01000, "fmla v%d.2d, v%d.2d, v%d.d[0]", mod{acc}, a, b)
	} else {
		c.word(0x4fc01800, "fmla v%d.2d, v%d.2d, v%d.d[1]", mod{acc}, a, b)
	}
}

// gramRow writes the kernel of GramRow: it stores the row x, times root, in the panels z,
// and adds x, times w, to sum.
func gramRow(c *asm) {
	c.function("gramRow", "func(panels int, z *float64, panel int, sum, x *float64, root, w float64)")
	z, panel, sum, x := c.param("z"), c.doubles("panel"), c.param("sum"), c.param("x")
	root, w := c.double("root"), c.double("w")
	times := func(a, b vec) vec {
		dst := c.vec()
		c.word(0x6e60dc00, "fmul v%d.2d, v%d.2d, v%d.2d", def{dst}, a, b)
		return dst
	}
	c.repeat(c.param("panels"), func() {
		for v, xs := range c.quarters(x) {
			c.store(times(root, xs), mem{z, 16 * v}, nil)
			total := c.load(mem{sum, 16 * v}, nil)
			c.word(0x4e60d400, "fadd v%d.2d, v%d.2d, v%d.2d", mod{total}, total, times(w, xs))
			c.store(total, mem{sum, 16 * v}, nil)
		}
		c.step(z, panel)
		c.stepBy(x, 64)
		c.stepBy(sum, 64)
	})
	c.end()
}

// double broadcasts a float64 parameter to a vector register.
func (c *asm) double(name string) vec {
	f, v, both := c.field(name), c.vec(), c.vec()
	c.op("FMOVD %s+%d(FP), F%d", f.name, f.offset, def{v})
	c.op("VDUP V%d.D[0], V%d.D2", v, def{both})
	return both
}
