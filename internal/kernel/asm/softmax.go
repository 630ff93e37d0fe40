package main

import "math"

// softmax writes the passes over rows of logits or scores.
func softmax(c *asm) {
	c.function("softmaxRow", "func(y, x *float32, n int, weight float32) (m, s float32)")
	x, n := c.param("x"), c.param("n")
	greatest, total := c.softmaxRow(c.param("y"), x, n, nil, c.scalar("weight"))
	c.result("m", greatest)
	c.result("s", total)
	c.end()

	c.function("sumExp", "func(x *float32, n int) (m, s float32)")
	x, n = c.param("x"), c.param("n")
	greatest, total = c.softmaxRow(nil, x, n, nil, nil)
	c.result("m", greatest)
	c.result("s", total)
	c.end()

	c.function("softmaxRows", "func(y *float32, ldy int, x *float32, ldx, rows, n, grow int, scale float32)")
	y, ldy, x, n := c.param("y"), c.param("ldy"), c.param("x"), c.param("n")
	c.rows(c.param("rows"), func() {
		c.softmaxRow(y, x, n, c.scalar("scale"), nil)
		rest, count := c.GP64(), c.GP64()
		c.LEAQ(mem{Base: y, Index: n, Scale: 4}, rest)
		c.MOVQ(ldy, count)
		c.SUBQ(n, count)
		zero := c.zero()
		c.elements("clear", count, func(at func(gp) mem, k mask) { c.store(zero, at(rest), k) })
		c.advance(ldy, y)
		c.advance(c.param("ldx"), x)
		c.ADDQ(c.Load(c.Param("grow"), c.GP64()), n)
	})
	c.end()

	c.function("softmaxRowsBackward", "func(ds *float32, ldds int, p *float32, ldp, rows, n, grow int, scale float32)")
	ds, p, n := c.param("ds"), c.param("p"), c.param("n")
	scale := c.scalar("scale")
	c.rows(c.param("rows"), func() {
		acc := c.lanes(0)
		c.row("dot", n, func(h int, at func(gp) mem, k mask) {
			c.fma(acc[h], c.load(at(p), k), c.load(at(ds), k))
		})
		mean := c.reduce(acc, c.VADDPS)
		c.row("ds", n, func(_ int, at func(gp) mem, k mask) {
			d := c.sub(c.load(at(ds), k), mean)
			c.store(c.mul(c.mul(c.load(at(p), k), d), scale), at(ds), k)
		})
		c.advance(c.param("ldds"), ds)
		c.advance(c.param("ldp"), p)
		c.ADDQ(c.Load(c.Param("grow"), c.GP64()), n)
	})
	c.end()
}

// softmaxRow writes the softmax of x·scale, times weight, to y, and returns the
// greatest x·scale and the sum of exponentials. A nil y, scale or weight is
// none, 1 and 1.
//
// The last elements, fewer than 16, stay in registers from pass to pass: a load
// soon after a masked store would wait for it.
func (c *asm) softmaxRow(y, x, n gp, scale, weight vec) (greatest, total vec) {
	last := c.lanes(0)
	acc := c.lanes(float32(math.Inf(-1)))
	c.row("max", n, func(h int, at func(gp) mem, k mask) {
		v := c.times(c.load(at(x), k), scale)
		if k != nil {
			c.VMOVAPS(v, last[h])
		}
		// v where v > acc, else acc: a NaN never gets in.
		c.VMAXPS(acc[h], c.replace(v, k, acc[h]), acc[h])
	})
	greatest = c.reduce(acc, c.VMAXPS)

	acc = c.lanes(0)
	c.row("exp", n, func(h int, at func(gp) mem, k mask) {
		var v vec
		if k == nil {
			v = c.times(c.load(at(x), nil), scale)
		} else {
			v = last[h]
		}
		e := c.keep(c.exp(c.sub(v, greatest)), k)
		switch {
		case k != nil:
			c.VMOVAPS(e, last[h])
		case y != nil:
			c.store(e, at(y), nil)
		}
		c.VADDPS(e, acc[h], acc[h])
	})
	total = c.reduce(acc, c.VADDPS)
	if y == nil {
		return greatest, total
	}

	inverse := c.div(c.all(1), total)
	c.row("scale", n, func(h int, at func(gp) mem, k mask) {
		e := last[h]
		if k == nil {
			e = c.load(at(y), nil)
		}
		c.store(c.times(c.mul(e, inverse), weight), at(y), k)
	})
	return greatest, total
}

// times is v·factor, or v itself where the factor is nil.
func (c *asm) times(v, factor vec) vec {
	if factor == nil {
		return v
	}
	return c.mul(v, factor)
}
