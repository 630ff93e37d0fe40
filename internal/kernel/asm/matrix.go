package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// matrix writes the elementwise sum and product of vectors, the tree and column sums, and
// the transpose.
func matrix(c *asm) {
	c.entries("sum", c.add)
	c.entries("product", c.mul)
	addTree(c, 4)
	addTree(c, 8)
	columnSums(c)
	if c.isa == avx2 { // AVX-512 uses the AVX2 transpose and copy, too
		transpose(c)
		copyMatrix(c)
	}
}

// entries writes a function that sets dst = x op y, element by element.
func (c *asm) entries(name string, op func(a vec, b any) vec) {
	c.function(name, "func(dst, x, y *float32, n int)")
	dst, x, y := c.param("dst"), c.param("x"), c.param("y")
	c.elements("", c.param("n"), func(at func(gp) mem, k mask) {
		c.store(op(c.load(at(x), k), c.load(at(y), k)), at(dst), k)
	})
	c.end()
}

// addTree writes the sum of the given number of vectors in one pass: pairs, then pairs of
// pairs.
func addTree(c *asm, terms int) {
	c.function(fmt.Sprintf("addTree%d", terms), "func(terms **float32, n int)")
	list, x := c.param("terms"), make([]gp, terms)
	for i := range x {
		x[i] = c.GP64()
		c.MOVQ(mem{Base: list, Disp: 8 * i}, x[i])
	}
	c.elements("", c.param("n"), func(at func(gp) mem, k mask) {
		sums := make([]vec, terms)
		for i := range sums {
			sums[i] = c.load(at(x[i]), k)
		}
		for stride := 1; stride < terms; stride *= 2 {
			for i := 0; i < terms; i += 2 * stride {
				c.VADDPS(sums[i+stride], sums[i], sums[i])
			}
		}
		c.store(sums[0], at(x[0]), k)
	})
	c.end()
}

// columnSums writes the kernel of ColumnSums. It moves down the rows with the sums of
// four registers of columns, and of one register at a time for the remaining columns.
func columnSums(c *asm) {
	c.function("columnSums", "func(db, dy *float32, ldy, rows, n int)")
	db, dy, ldy, n := c.param("db"), c.param("dy"), c.stride("ldy"), c.param("n")
	down := func(label string, ks []mask) {
		at := func(p gp, v int) mem { return mem{Base: p, Disp: 4 * c.width() * v} }
		acc := make([]vec, len(ks))
		for v, k := range ks {
			acc[v] = c.load(at(db, v), k)
		}
		p, rows := c.GP64(), c.param("rows")
		c.MOVQ(dy, p)
		c.Label(label + "down")
		for v, k := range ks {
			c.VADDPS(c.load(at(p, v), k), acc[v], acc[v])
		}
		c.ADDQ(ldy, p)
		c.DECQ(rows)
		c.JNE(operand.LabelRef(label + "down"))
		for v, k := range ks {
			c.store(acc[v], at(db, v), k)
		}
		step := operand.I32(4 * c.width() * len(ks))
		c.ADDQ(step, db)
		c.ADDQ(step, dy)
	}
	four, one := operand.I32(4*c.width()), operand.I32(c.width())
	c.Label("four")
	c.CMPQ(n, four)
	c.JL(operand.LabelRef("one"))
	down("four", make([]mask, 4))
	c.SUBQ(four, n)
	c.JMP(operand.LabelRef("four"))
	c.Label("one")
	c.CMPQ(n, one)
	c.JL(operand.LabelRef("tail"))
	down("one", make([]mask, 1))
	c.SUBQ(one, n)
	c.JMP(operand.LabelRef("one"))
	c.Label("tail")
	c.TESTQ(n, n)
	c.JE(operand.LabelRef("done"))
	down("tail", c.masks(n, 1))
	c.Label("done")
	c.end()
}

// copyMatrix writes the copy of a matrix, four columns at a time.
func copyMatrix(c *asm) {
	c.function("copy4", "func(dst *float32, ldd int, src *float32, lds, rows, blocks int)")
	dst, ldd, src, lds, v := c.param("dst"), c.stride("ldd"), c.param("src"), c.stride("lds"), c.XMM()
	c.rows("block", c.param("blocks"), func() {
		from, to := c.sameAs(src), c.sameAs(dst)
		c.rows("next", c.param("rows"), func() {
			c.VMOVUPS(mem{Base: from}, v)
			c.VMOVUPS(v, mem{Base: to})
			c.ADDQ(lds, from)
			c.ADDQ(ldd, to)
		})
		c.ADDQ(operand.Imm(16), src)
		c.ADDQ(operand.Imm(16), dst)
	})
	c.end()
}

// transpose writes the transpose of 8 rows, 8 columns at a time, in three rounds, which
// interleave elements, pairs of elements, and halves.
func transpose(c *asm) {
	c.function("transpose8", "func(dst *float32, ldd int, src *float32, lds, blocks int)")
	dst, ldd, src, lds, blocks := c.param("dst"), c.stride("ldd"), c.param("src"), c.stride("lds"), c.param("blocks")
	lds3 := c.GP64()
	c.LEAQ(mem{Base: lds, Index: lds, Scale: 2}, lds3)
	c.Label("loop")
	low := c.GP64()
	c.LEAQ(mem{Base: src, Index: lds, Scale: 4}, low)
	var r [8]vec
	for i := range r {
		m := mem{Base: src}
		if i >= 4 {
			m.Base = low
		}
		switch i % 4 {
		case 1, 2:
			m.Index, m.Scale = lds, uint8(i%4)
		case 3:
			m.Index, m.Scale = lds3, 1
		}
		r[i] = c.load(m, nil)
	}
	var pairs, quads [8]vec
	for i := 0; i < 8; i += 2 {
		pairs[i], pairs[i+1] = c.YMM(), c.YMM()
		c.VUNPCKLPS(r[i+1], r[i], pairs[i])   // columns 0, 1 and 4, 5 of rows i, i+1
		c.VUNPCKHPS(r[i+1], r[i], pairs[i+1]) // columns 2, 3 and 6, 7
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			quads[i+2*j], quads[i+2*j+1] = c.YMM(), c.YMM()
			c.VUNPCKLPD(pairs[i+2+j], pairs[i+j], quads[i+2*j]) // columns 2j and 2j+4 of rows i … i+3
			c.VUNPCKHPD(pairs[i+2+j], pairs[i+j], quads[i+2*j+1])
		}
	}
	out := c.GP64()
	c.MOVQ(dst, out)
	for column := range 8 {
		const lowHalves, highHalves = 0x20, 0x31
		halves := operand.Imm(lowHalves)
		if column >= 4 {
			halves = operand.Imm(highHalves)
		}
		v := c.YMM()
		c.VPERM2F128(halves, quads[4+column%4], quads[column%4], v)
		c.store(v, mem{Base: out}, nil)
		if column < 7 {
			c.ADDQ(ldd, out)
		}
	}
	c.ADDQ(operand.Imm(32), src)
	c.LEAQ(mem{Base: dst, Index: ldd, Scale: 8}, dst)
	c.DECQ(blocks)
	c.JNE(operand.LabelRef("loop"))
	c.end()
}
