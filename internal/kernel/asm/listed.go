package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// listed writes the products with listed rows of a matrix.
func listed(c *asm) {
	if c.isa == avx2 {
		listedDots(c)
	}
	listedSum(c)

	c.function("listedAdd", "func(b *float32, ldb int, rows *int32, t int, a, x *float32, n int)")
	b, ldb, list := c.param("b"), c.stride("ldb"), c.param("rows")
	a, x, n := c.param("a"), c.param("x"), c.param("n")
	c.rows("next", c.param("t"), func() {
		y, factor := c.listedRow(list, 0, ldb), c.vec()
		c.ADDQ(b, y)
		c.VBROADCASTSS(mem{Base: a}, factor)
		c.elements("add", n, func(at func(gp) mem, k mask) {
			sum := c.load(at(y), k)
			c.fma(sum, factor, c.load(at(x), k))
			c.store(sum, at(y), k)
		})
		c.ADDQ(operand.Imm(4), list)
		c.ADDQ(operand.Imm(4), a)
	})
	c.end()
}

// listedRow returns the offset of row list[j] in a matrix: list[j]·ld, in the unit of ld.
func (c *asm) listedRow(list gp, j int, ld operand.Op) gp {
	r := c.GP64()
	c.MOVLQSX(mem{Base: list, Disp: 4 * j}, r)
	c.IMULQ(ld, r)
	return r
}

// listedDots writes a loop for each number of rows: it multiplies one element of x by one
// element of each row, in one chain for each row. The general registers hold at most
// twelve row addresses; eight chains hide the latency.
func listedDots(c *asm) {
	const most = 12
	c.function("listedDots", "func(y, x, b *float32, ldb int, rows *int32, t, n int, scale float32)")
	t := c.param("t")
	for rows := most; rows > 1; rows-- {
		c.CMPQ(t, operand.Imm(uint64(rows)))
		c.JE(operand.LabelRef(fmt.Sprintf("rows%d", rows)))
	}
	for rows := 1; rows <= most; rows++ {
		label := fmt.Sprintf("rows%d", rows)
		c.Label(label)
		ends, sums := make([]gp, rows), make([]vec, rows)
		list, ldb := c.param("rows"), c.address("ldb")
		for j := range rows {
			ends[j], sums[j] = c.listedRow(list, j, ldb), c.zero()
		}
		// The index p runs from −n to 0; therefore the addresses point to the ends of the rows.
		p, b := c.param("n"), c.param("b")
		c.advance(p, b)
		for j := range rows {
			c.LEAQ(mem{Base: b, Index: ends[j], Scale: 4}, ends[j])
		}
		x := c.param("x")
		c.advance(p, x)
		c.NEGQ(p)
		c.Label(label + "loop")
		xp := c.XMM()
		c.VMOVSS(mem{Base: x, Index: p, Scale: 4}, xp)
		for j := range rows {
			c.VFMADD231SS(mem{Base: ends[j], Index: p, Scale: 4}, xp, sums[j].AsX())
		}
		c.INCQ(p)
		c.JNE(operand.LabelRef(label + "loop"))
		y, scale := c.param("y"), c.scalar("scale").AsX()
		for j, s := range sums {
			c.VMULSS(scale, s.AsX(), s.AsX())
			c.VMOVSS(s.AsX(), mem{Base: y, Disp: 4 * j})
		}
		c.end()
	}
}

// listedSum writes the kernel of listedSum. It divides the columns into panels, four, two
// and one registers wide; the sums of a panel stay in registers while j runs over the
// rows.
func listedSum(c *asm) {
	c.function("listedSum", "func(y *float32, n int, a, b *float32, ldb int, rows *int32, t int)")
	y, n, a, b := c.param("y"), c.param("n"), c.param("a"), c.param("b")
	ldb, list, t := c.stride("ldb"), c.param("rows"), c.param("t")
	panel := func(label string, ks []mask) {
		sums, at := make([]vec, len(ks)), func(p gp, v int) mem { return mem{Base: p, Disp: 4 * c.width() * v} }
		for v := range sums {
			sums[v] = c.zero()
		}
		j := c.GP64()
		c.XORQ(j, j)
		c.Label(label + "loop")
		row, factor := c.GP64(), c.vec()
		c.MOVLQSX(mem{Base: list, Index: j, Scale: 4}, row)
		c.IMULQ(ldb, row)
		c.ADDQ(b, row)
		c.VBROADCASTSS(mem{Base: a, Index: j, Scale: 4}, factor)
		for v, k := range ks {
			c.fma(sums[v], factor, c.load(at(row, v), k))
		}
		c.INCQ(j)
		c.CMPQ(j, t)
		c.JNE(operand.LabelRef(label + "loop"))
		for v, k := range ks {
			c.store(sums[v], at(y, v), k)
		}
	}
	for _, nv := range []int{4, 2, 1} {
		label, columns := fmt.Sprintf("columns%d", nv*c.width()), nv*c.width()
		c.Label(label)
		c.CMPQ(n, operand.I32(columns))
		c.JL(operand.LabelRef(label + "end"))
		panel(label, make([]mask, nv))
		c.ADDQ(operand.I32(4*columns), y)
		c.ADDQ(operand.I32(4*columns), b)
		c.SUBQ(operand.I32(columns), n)
		c.JMP(operand.LabelRef(label))
		c.Label(label + "end")
	}
	c.TESTQ(n, n)
	c.JE(operand.LabelRef("done"))
	panel("rest", c.masks(n, 1))
	c.Label("done")
	c.end()
}
