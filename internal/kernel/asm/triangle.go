package main

import "github.com/mmcloughlin/avo/operand"

const triangleSignature = "func(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)"

// triangle writes the products with a triangular A (m,m), in panels like gemm. The rows
// of a tile share a rectangle of A, processed like a tile of gemm, and a small triangle
// on the diagonal, whose steps are unrolled: each step skips the rows whose element of A
// is in the half that is not used. The code of a tile grows with the square of its
// height, so there are few heights.
func triangle(c *asm) {
	for _, lower := range []bool{true, false} {
		if c.isa == avx512 {
			trianglePanel(c, lower, shape{"64", []int{6, 4, 2, 1}, 4, false, foldNone})
			trianglePanel(c, lower, shape{"32", []int{12, 4, 2, 1}, 2, false, foldNone})
			trianglePanel(c, lower, shape{"Tail32", []int{12, 4, 2, 1}, 2, true, foldNone})
			trianglePanel(c, lower, shape{"16", []int{12, 4, 2, 1}, 1, false, foldAll})
			trianglePanel(c, lower, shape{"Tail16", []int{12, 4, 2, 1}, 1, true, foldAll})
			continue
		}
		trianglePanel(c, lower, shape{"16", []int{6, 4, 2, 1}, 2, false, foldNone})
		trianglePanel(c, lower, shape{"Tail16", []int{4, 2, 1}, 2, true, foldNone})
		trianglePanel(c, lower, shape{"Tail8", []int{8, 4, 2, 1}, 1, true, foldNone})
	}
}

func trianglePanel(c *asm, lower bool, s shape) {
	name := "upper"
	if lower {
		name = "lower"
	}
	c.function(name+s.name, triangleSignature)
	m, a, ras, cas := c.param("m"), c.param("a"), c.stride("ras"), c.stride("cas")
	ldb, cp, ldc := c.stride("ldb"), c.param("c"), c.stride("ldc")
	ras3 := c.GP64()
	c.LEAQ(mem{Base: ras, Index: ras, Scale: 2}, ras3)
	ks := s.masks(c)
	var above, b gp // lower: number of rows above the tile; upper: address of the row of B at the tile's diagonal
	if lower {
		above = c.GP64()
		c.XORQ(above, above)
	} else {
		b = c.param("b")
	}
	s.eachHeight(c, m, func(label string, rows int) {
		t := newTile(c, s, rows, ras, ras3, cas, ldb, ks)
		if lower {
			t.begin(a, c.param("b"))
			t.rectangle(label, above)
			for p := range rows {
				t.step(p, rows)
			}
			c.ADDQ(operand.Imm(uint64(rows)), above)
		} else {
			bp := c.GP64()
			c.MOVQ(b, bp)
			t.begin(a, bp)
			for p := range rows {
				t.step(0, p+1)
			}
			t.rectangle(label, m)
			c.skip(a, cas, rows)
			c.skip(b, ldb, rows)
		}
		t.store(cp, ldc)
		c.skip(a, ras, rows)
	})
	c.end()
}

// rectangle writes a loop of depth steps, each for all rows of the tile; depth may be 0.
func (t *tile) rectangle(label string, depth gp) {
	k := t.GP64()
	t.MOVQ(depth, k)
	t.TESTQ(k, k)
	t.JE(operand.LabelRef(label + "end"))
	t.Label(label + "loop")
	t.step(0, len(t.acc))
	t.DECQ(k)
	t.JNE(operand.LabelRef(label + "loop"))
	t.Label(label + "end")
}
