package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// attention writes the kernels of causal attention for 16 heads side by side: the 16
// elements of a vector belong to different heads, and no operation crosses heads. A
// function computes as many heads as a register has elements.
func attention(c *asm) {
	headsMove(c, true)
	headsMove(c, false)
	headsPattern(c)
	headsSlopes(c)
	c.function("headsLower", "func(c, a, b *float32, T, dh int)")
	headsProduct(c, true)
	c.function("headsUpper", "func(c, a, b *float32, T, dh int)")
	headsProduct(c, false)
}

// sideBySide is the distance in bytes between the elements of a matrix of one head.
const sideBySide = 4 * 16

// pass moves a pointer forward by n elements.
func (c *asm) pass(p, n gp) {
	bytes := c.sameAs(n)
	c.SHLQ(operand.Imm(6), bytes)
	c.ADDQ(bytes, p)
}

// sameAs returns a new register with the value of r.
func (c *asm) sameAs(r gp) gp {
	s := c.GP64()
	c.MOVQ(r, s)
	return s
}

// dot returns the chain Σ a·b over a row of each of two matrices, which has n elements, a
// multiple of four. The pointer b advances to the next row.
func (c *asm) dot(n, a, b gp) vec {
	sum, count := c.zero(), c.sameAs(n)
	a = c.sameAs(a)
	c.SHRQ(operand.Imm(2), count)
	c.rows("dot", count, func() {
		for i := range 4 {
			c.fma(sum, c.load(beside(a, i), nil), beside(b, i))
		}
		c.ADDQ(operand.I32(4*sideBySide), a)
		c.ADDQ(operand.I32(4*sideBySide), b)
	})
	return sum
}

// beside returns the address of element i of 16 matrices.
func beside(p gp, i int) mem { return mem{Base: p, Disp: sideBySide * i} }

// down writes a loop over the first n rows of the matrices at the given pointers, whose
// rows are single elements.
func (c *asm) down(label string, n gp, body func(at []mem), pointers ...gp) {
	at, here := []mem{}, []gp{}
	for _, p := range pointers {
		here = append(here, c.sameAs(p))
		at = append(at, mem{Base: here[len(here)-1]})
	}
	c.rows(label, c.sameAs(n), func() {
		body(at)
		for _, p := range here {
			c.ADDQ(operand.Imm(sideBySide), p)
		}
	})
}

// treeSum returns the sum of 16 elements in the order of reduce.
func (c *asm) treeSum(x gp) vec {
	var sums [8]vec
	for i := range sums {
		sums[i] = c.add(c.load(beside(x, i), nil), beside(x, i+8))
	}
	for d := 4; d > 0; d /= 2 {
		for i := range d {
			sums[i] = c.add(sums[i], sums[i+d])
		}
	}
	return sums[0]
}

// clear16 sets 16 elements to +0.
func (c *asm) clear16(x gp) {
	zero := c.zero()
	for i := range 16 {
		c.store(zero, beside(x, i), nil)
	}
}

// headsMove writes the kernel that copies matrices of single heads to a matrix of heads
// side by side, or back. It copies four elements of a row at a time; the last four
// overlap those before them if their number is not a multiple of four.
func headsMove(c *asm, gather bool) {
	name := "headsScatter"
	if gather {
		name = "headsGather"
	}
	c.function(name, "func(x, heads *float32, at *int, ld, rows, n int)")
	x, heads, at, ld := c.param("x"), c.param("heads"), c.param("at"), c.stride("ld")
	c.rows("row", c.param("rows"), func() {
		rest, step, here := c.param("n"), c.GP64(), c.sameAs(heads)
		c.SUBQ(operand.Imm(4), rest)
		of := func(head int) mem {
			offset := c.GP64()
			c.MOVQ(mem{Base: at, Disp: 8 * head}, offset)
			return mem{Base: here, Index: offset, Scale: 4}
		}
		c.Label("four")
		var r [4]vec
		for i := range r {
			if gather {
				r[i] = c.quarters(func(q int) mem { return of(4*q + i) })
			} else {
				r[i] = c.load(beside(x, i), nil)
			}
		}
		for i, v := range c.transposeQuarters(r) {
			if gather {
				c.store(v, beside(x, i), nil)
			} else {
				c.storeQuarters(v, func(q int) mem { return of(4*q + i) })
			}
		}
		c.MOVQ(operand.I32(4), step)
		c.CMPQ(rest, step)
		c.CMOVQLT(rest, step)
		c.LEAQ(mem{Base: here, Index: step, Scale: 4}, here)
		c.pass(x, step)
		c.SUBQ(step, rest)
		c.TESTQ(step, step)
		c.JNE(operand.LabelRef("four"))
		c.ADDQ(operand.I32(4*sideBySide), x)
		c.ADDQ(ld, heads)
	})
	c.end()
}

// quarters loads a register, four elements from each address.
func (c *asm) quarters(at func(q int) mem) vec {
	v := c.vec()
	c.VMOVUPS(at(0), v.AsX())
	for q := 1; q < c.width()/4; q++ {
		if c.isa == avx512 {
			c.VINSERTF32X4(operand.Imm(uint64(q)), at(q), v, v)
		} else {
			c.VINSERTF128(operand.Imm(uint64(q)), at(q), v, v)
		}
	}
	return v
}

// storeQuarters stores a register, four elements to each address.
func (c *asm) storeQuarters(v vec, at func(q int) mem) {
	c.VMOVUPS(v.AsX(), at(0))
	for q := 1; q < c.width()/4; q++ {
		if c.isa == avx512 {
			c.VEXTRACTF32X4(operand.Imm(uint64(q)), v, at(q))
		} else {
			c.VEXTRACTF128(operand.Imm(uint64(q)), v, at(q))
		}
	}
}

// transposeQuarters returns the transpose of each (4,4) matrix that a quarter of the four
// registers holds.
func (c *asm) transposeQuarters(r [4]vec) (t [4]vec) {
	var pairs [4]vec
	for i := range 2 {
		pairs[i], pairs[2+i] = c.vec(), c.vec()
		c.VUNPCKLPS(r[2*i+1], r[2*i], pairs[i])   // columns 0 and 1 of rows 2i, 2i+1
		c.VUNPCKHPS(r[2*i+1], r[2*i], pairs[2+i]) // columns 2 and 3
	}
	for i := range 2 {
		t[2*i], t[2*i+1] = c.vec(), c.vec()
		c.VUNPCKLPD(pairs[2*i+1], pairs[2*i], t[2*i])
		c.VUNPCKHPD(pairs[2*i+1], pairs[2*i], t[2*i+1])
	}
	return t
}

// headsPattern writes the patterns of attention. row holds a row of exponentials.
func headsPattern(c *asm) {
	c.function("headsPattern", "func(pattern, q, k, row *float32, T, dh int, scale float32)")
	pattern, q, row, dh := c.param("pattern"), c.param("q"), c.param("row"), c.param("dh")
	scale, n := c.scalar("scale"), c.GP64()
	c.clear16(row)
	c.MOVQ(operand.I32(1), n)
	c.rows("row", c.param("T"), func() {
		k, greatest := c.param("k"), c.all(float32(math.Inf(-1)))
		c.down("score", n, func(at []mem) {
			score := c.mul(c.dot(dh, q, k), scale)
			c.store(score, at[0], nil)
			c.maxInto(greatest, score, nil)
		}, row)
		c.down("exp", n, func(at []mem) {
			c.store(c.expOfLow(c.sub(c.load(at[0], nil), greatest)), at[0], nil)
		}, row)
		inverse := c.div(c.all(1), c.treeSum(row))
		c.down("scale", n, func(at []mem) {
			c.store(c.mul(c.load(at[0], nil), inverse), at[1], nil)
		}, row, pattern)
		c.pass(q, dh)
		c.pass(pattern, c.param("T"))
		c.INCQ(n)
	})
	c.end()
}

// headsSlopes writes the gradients of the scores. row holds the products of a row,
// whose sum is subtracted.
func headsSlopes(c *asm) {
	c.function("headsSlopes", "func(ds, pattern, dz, v, row *float32, T, dh int, scale float32)")
	ds, pattern, dz, row, dh := c.param("ds"), c.param("pattern"), c.param("dz"), c.param("row"), c.param("dh")
	scale, n := c.scalar("scale"), c.GP64()
	c.clear16(row)
	c.MOVQ(operand.I32(1), n)
	c.rows("row", c.param("T"), func() {
		v := c.param("v")
		c.down("slope", n, func(at []mem) {
			slope, product := c.dot(dh, dz, v), c.zero()
			c.store(slope, at[0], nil)
			c.fma(product, slope, at[1])
			c.store(product, at[2], nil)
		}, ds, pattern, row)
		mean := c.treeSum(row)
		c.down("scale", n, func(at []mem) {
			d := c.sub(c.load(at[0], nil), mean)
			c.store(c.mul(c.mul(d, at[1]), scale), at[0], nil)
		}, ds, pattern)
		c.pass(dz, dh)
		c.pass(ds, c.param("T"))
		c.pass(pattern, c.param("T"))
		c.INCQ(n)
	})
	c.end()
}

// headsProduct writes lower or upper of ../triangle.go.
func headsProduct(c *asm, lower bool) {
	out, a, b, T, dh := c.param("c"), c.param("a"), c.param("b"), c.param("T"), c.param("dh")
	stepA, stepB, n := operand.Op(operand.Imm(sideBySide)), c.GP64(), c.GP64()
	c.MOVQ(dh, stepB)
	c.SHLQ(operand.Imm(6), stepB)
	c.MOVQ(operand.I32(1), n)
	if !lower {
		c.MOVQ(T, n)
		next := c.GP64()
		c.MOVQ(T, next)
		c.SHLQ(operand.Imm(6), next)
		stepA = next
	}
	c.rows("row", c.sameAs(T), func() {
		column, columns := c.sameAs(b), c.sameAs(dh)
		c.SHRQ(operand.Imm(2), columns)
		c.rows("columns", columns, func() {
			var sums [4]vec
			for i := range sums {
				sums[i] = c.zero()
			}
			x, y := c.sameAs(a), c.sameAs(column)
			c.rows("sum", c.sameAs(n), func() {
				v := c.load(mem{Base: x}, nil)
				for i, sum := range sums {
					c.fma(sum, v, beside(y, i))
				}
				c.ADDQ(stepA, x)
				c.ADDQ(stepB, y)
			})
			for i, sum := range sums {
				c.store(sum, beside(out, i), nil)
			}
			c.ADDQ(operand.I32(4*sideBySide), column)
			c.ADDQ(operand.I32(4*sideBySide), out)
		})
		if lower {
			c.pass(a, T)
			c.INCQ(n)
		} else { // to the diagonal element and to the row of b below
			c.ADDQ(stepA, a)
			c.ADDQ(operand.Imm(sideBySide), a)
			c.ADDQ(stepB, b)
			c.DECQ(n)
		}
	})
	c.end()
}
