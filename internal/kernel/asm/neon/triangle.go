package neon

import "fmt"

const triangleSignature = "func(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)"

// triangle writes the products with a triangular A (m,m), in panels like gemm. The rows
// of a tile share a rectangle of A, processed like a tile of gemm, and a small triangle
// on the diagonal, whose steps are unrolled: each step skips the rows whose element of A
// is in the half that is not used.
func triangle(c *asm) {
	for _, panel := range panels {
		c.lower(panel.columns, panel.tiles)
	}
	for _, panel := range panels {
		c.upper(panel.columns, panel.tiles)
	}
}

func (c *asm) lower(columns int, tiles []int) {
	c.function(fmt.Sprintf("lower%d", columns), triangleSignature)
	m, a, cp, ldc := c.param("m"), c.param("a"), c.param("c"), c.stride("ldc")
	s := c.strides()
	above := c.number(0) // number of rows above the tile
	c.tiles(m, tiles, func(rows int) {
		t := c.newTile(s, rows, columns)
		t.begin(a, c.param("b"))
		t.rectangle(above)
		for p := range rows {
			t.step(p, rows)
		}
		c.stepBy(above, rows)
		t.store(cp, ldc)
		c.skip(a, s.ras, rows)
	})
	c.end()
}

func (c *asm) upper(columns int, tiles []int) {
	c.function(fmt.Sprintf("upper%d", columns), triangleSignature)
	m, a, cp, ldc := c.param("m"), c.param("a"), c.param("c"), c.stride("ldc")
	s := c.strides()
	b := c.param("b") // address of the row of B at the tile's diagonal
	c.tiles(m, tiles, func(rows int) {
		t := c.newTile(s, rows, columns)
		t.begin(a, c.copyOf(b))
		for p := range rows {
			t.step(0, p+1)
		}
		t.rectangle(m)
		t.store(cp, ldc)
		c.skip(a, s.ras, rows)
		c.skip(a, s.cas, rows)
		c.skip(b, s.ldb, rows)
	})
	c.end()
}

// rectangle writes a loop of depth steps, each for all rows of the tile; depth may be 0.
func (t *tile) rectangle(depth gp) {
	t.unlessZero(depth, func() {
		t.repeat(t.copyOf(depth), func() { t.step(0, len(t.acc)) })
	})
}
