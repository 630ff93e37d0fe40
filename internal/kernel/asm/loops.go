package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// elements writes a loop over n elements, one register at a time; the last register is
// masked. body computes one register; at(p) is the address of the register's elements in
// the array p.
func (c *asm) elements(label string, n gp, body func(at func(p gp) mem, k mask)) {
	j, end := c.GP64(), c.GP64()
	c.XORQ(j, j)
	c.MOVQ(n, end)
	c.ANDQ(operand.I32(-c.width()), end)
	at := func(p gp) mem { return mem{Base: p, Index: j, Scale: 4} }
	c.Label(label + "loop")
	c.CMPQ(j, end)
	c.JGE(operand.LabelRef(label + "tail"))
	body(at, nil)
	c.ADDQ(operand.Imm(uint64(c.width())), j)
	c.JMP(operand.LabelRef(label + "loop"))
	c.Label(label + "tail")
	rest := c.GP64()
	c.MOVQ(n, rest)
	c.SUBQ(end, rest)
	c.JE(operand.LabelRef(label + "done"))
	body(at, c.masks(rest, 1)[0])
	c.Label(label + "done")
}

// lanes holds the 16 partial results of a reduction along a row, its virtual lanes: one
// register for AVX-512, two for AVX2.
type lanes []vec

func (c *asm) lanes(v float32) lanes {
	l := make(lanes, 16/c.width())
	for h := range l {
		if v == 0 {
			l[h] = c.zero()
		} else {
			l[h] = c.all(v)
		}
	}
	return l
}

// row is a row of n elements. Loops process 16 at a time; the remainder, fewer than 16,
// is masked.
type row struct {
	*asm
	end, rest gp     // 16·⌊n/16⌋ and n − end
	ks        []mask // AVX-512: masks of the row's last elements
	table     gp     // AVX2: the masks' address in memory; there are too few registers to hold them
}

func (c *asm) newRow(n gp) *row {
	r := &row{asm: c, end: c.GP64(), rest: c.GP64()}
	c.MOVQ(n, r.end)
	c.ANDQ(operand.I32(-16), r.end)
	c.MOVQ(n, r.rest)
	c.SUBQ(r.end, r.rest)
	if c.isa == avx512 {
		r.ks = c.masks(r.rest, 1)
	} else {
		r.table = c.maskAddress(r.rest)
	}
	return r
}

// each writes a loop over the row. body computes register h of the 16 lanes; at(p) is the
// address of the register's elements in the array p, and k is nil except for the last
// elements.
func (r *row) each(label string, body func(h int, at func(p gp) mem, k mask)) {
	j := r.GP64()
	write := func(ks []mask) {
		for h, k := range ks {
			at := func(p gp) mem { return mem{Base: p, Index: j, Scale: 4, Disp: 32 * h} }
			body(h, at, k)
		}
	}
	r.XORQ(j, j)
	r.TESTQ(r.end, r.end)
	r.JE(operand.LabelRef(label + "tail"))
	r.Label(label + "loop")
	write(make([]mask, 16/r.width()))
	r.ADDQ(operand.Imm(16), j)
	r.CMPQ(j, r.end)
	r.JL(operand.LabelRef(label + "loop"))
	r.Label(label + "tail")
	r.TESTQ(r.rest, r.rest)
	r.JE(operand.LabelRef(label + "done"))
	ks := r.ks
	if r.isa == avx2 {
		ks = r.loadMasks(r.table, 2)
	}
	write(ks)
	r.Label(label + "done")
}

// reduce combines 16 lanes pairwise at distances 8, 4, 2 and 1 by an operation such as
// add or max, and returns the result in every element of a register.
func (c *asm) reduce(l lanes, combine func(...operand.Op)) vec {
	return c.spread(c.reduceToOne(l, combine))
}

// spread returns the first element of x in every element of a register.
func (c *asm) spread(x vec) vec {
	v := c.vec()
	c.VBROADCASTSS(x, v)
	return v
}

// reduceToOne is reduce with the result in the first element of a small register, where a
// division or a root is much faster than in a full register.
func (c *asm) reduceToOne(l lanes, combine func(...operand.Op)) vec {
	y := c.YMM()
	if c.isa == avx512 {
		c.VEXTRACTF32X8(operand.Imm(1), l[0], y)
		combine(y, l[0].AsY(), y)
	} else {
		combine(l[1], l[0], y)
	}
	x := c.XMM()
	if c.isa == avx512 {
		c.VEXTRACTF32X4(operand.Imm(1), y, x)
	} else {
		c.VEXTRACTF128(operand.Imm(1), y, x)
	}
	combine(x, y.AsX(), x)
	for _, order := range []uint64{0b1110, 0b01} {
		other := c.XMM()
		c.VPERMILPS(operand.Imm(order), x, other)
		combine(other, x, x)
	}
	return x
}

// inverse returns 1/x[0] in every element of a register.
func (c *asm) inverse(x vec) vec {
	one := c.XMM()
	c.VMOVSS(c.bits(math.Float32bits(1)), one)
	c.VDIVSS(x.AsX(), one, one)
	return c.spread(one)
}

// keep returns v in the elements that the mask selects, and +0 in the others.
func (c *asm) keep(v vec, k mask) vec {
	if k == nil {
		return v
	}
	dst := c.vec()
	if c.isa == avx512 {
		c.VMOVAPS_Z(v, k, dst)
	} else {
		c.VANDPS(v, k, dst)
	}
	return dst
}

// replace returns the elements of v that the mask selects, and in the other places the
// elements of the register other.
func (c *asm) replace(v vec, k mask, other vec) vec {
	if k == nil {
		return v
	}
	dst := c.vec()
	if c.isa == avx512 {
		c.VBLENDMPS(v, other, k, dst)
	} else {
		c.VBLENDVPS(k, v, other, dst)
	}
	return dst
}

// rows writes a loop over the rows of a matrix, which has at least one row.
func (c *asm) rows(label string, count gp, body func()) {
	c.Label(label + "Row")
	body()
	c.DECQ(count)
	c.JNE(operand.LabelRef(label + "Row"))
}

// advance advances pointers by n elements.
func (c *asm) advance(n gp, pointers ...gp) {
	for _, p := range pointers {
		c.LEAQ(mem{Base: p, Index: n, Scale: 4}, p)
	}
}

// unlessNil writes code that is skipped if the pointer is nil.
func (c *asm) unlessNil(p gp, body func()) {
	c.labels++
	label := fmt.Sprintf("nil%d", c.labels)
	c.TESTQ(p, p)
	c.JE(operand.LabelRef(label))
	body()
	c.Label(label)
}
