package main

import "math"

// softmax writes the passes over rows of logits or scores.
func softmax(c *asm) {
	c.function("softmaxRow", "func(y, x *float32, n int, weight float32) (m, s float32)")
	x, n := c.param("x"), c.param("n")
	greatest, total := c.softmaxRow(c.param("y"), x, c.newRow(n), c.scalar("weight"))
	c.result("m", greatest)
	c.result("s", total)
	c.end()

	causalSoftmax(c)

	c.function("softmaxRowBackward", "func(ds, p *float32, n int, scale float32)")
	ds, p, n := c.param("ds"), c.param("p"), c.param("n")
	c.softmaxRowBackward(ds, p, n, c.scalar("scale"))
	c.end()

	c.function("causalSoftmaxBackward", "func(ds *float32, ldds int, p *float32, ldp, first, rows int, scale float32)")
	ds, p, n = c.param("ds"), c.param("p"), c.param("first")
	c.INCQ(n)
	scale := c.scalar("scale")
	c.rows("next", c.param("rows"), func() {
		c.softmaxRowBackward(ds, p, n, scale)
		c.advance(c.param("ldds"), ds)
		c.advance(c.param("ldp"), p)
		c.INCQ(n)
	})
	c.end()
}

// softmaxRowBackward writes the code that replaces ds, the n gradients of a softmax's
// output p, by the gradients of its input.
func (c *asm) softmaxRowBackward(ds, p, n gp, scale vec) {
	r := c.newRow(n)
	acc := c.lanes(0)
	r.each("dot", func(h int, at func(gp) mem, k mask) {
		c.fma(acc[h], c.load(at(p), k), c.load(at(ds), k))
	})
	mean := c.reduce(acc, c.VADDPS)
	r.each("ds", func(_ int, at func(gp) mem, k mask) {
		d := c.sub(c.load(at(ds), k), mean)
		c.store(c.mul(c.mul(c.load(at(p), k), d), scale), at(ds), k)
	})
}

// causalSoftmax makes three passes over all rows, instead of three passes over each row:
// the maximum and the sum of a row end long chains of operations, which overlap if the
// next operation belongs to another row.
func causalSoftmax(c *asm) {
	c.function("causalSoftmax", "func(y *float32, ldy int, x *float32, ldx, first, rows int, scale float32)")
	ldx, scale := c.param("ldx"), c.scalar("scale")
	spare := func(x gp) mem { return mem{Base: x, Index: ldx, Scale: 4, Disp: -4} }
	pass := func(label string, body func(x, n gp, r *row)) {
		x, n := c.param("x"), c.param("first")
		c.INCQ(n)
		c.rows(label, c.param("rows"), func() {
			body(x, n, c.newRow(n))
			c.advance(ldx, x)
			c.INCQ(n)
		})
	}
	pass("max", func(x, _ gp, r *row) {
		acc := c.lanes(float32(math.Inf(-1)))
		r.each("max", func(h int, at func(gp) mem, k mask) {
			c.maxInto(acc[h], c.mul(c.load(at(x), k), scale), k)
		})
		c.VMOVSS(c.reduceToOne(acc, c.VMAXPS), spare(x))
	})
	pass("exp", func(x, _ gp, r *row) {
		acc, greatest := c.lanes(0), c.vec()
		c.VBROADCASTSS(spare(x), greatest)
		r.each("exp", func(h int, at func(gp) mem, k mask) {
			v := c.mul(c.load(at(x), k), scale)
			e := c.keep(c.expOfLow(c.sub(v, greatest)), k)
			c.store(e, at(x), k)
			c.VADDPS(e, acc[h], acc[h])
		})
		inverse := c.inverse(c.reduceToOne(acc, c.VADDPS))
		c.VMOVSS(inverse.AsX(), spare(x))
	})
	y, ldy := c.param("y"), c.param("ldy")
	pass("scale", func(x, _ gp, r *row) {
		inverse := c.vec()
		c.VBROADCASTSS(spare(x), inverse)
		r.each("scale", func(_ int, at func(gp) mem, k mask) {
			c.store(c.mul(c.load(at(x), k), inverse), at(y), k)
		})
		c.advance(ldy, y)
	})
	c.end()
}

// softmaxRow writes the softmax of x, times weight, to y, and returns the maximum of x
// and the sum of exponentials.
//
// The last elements, fewer than 16, stay in registers between passes, because a load soon
// after a masked store would have to wait for it.
func (c *asm) softmaxRow(y, x gp, r *row, weight vec) (greatest, total vec) {
	last := c.lanes(0)
	acc := c.lanes(float32(math.Inf(-1)))
	r.each("max", func(h int, at func(gp) mem, k mask) {
		v := c.load(at(x), k)
		if k != nil {
			c.VMOVAPS(v, last[h])
		}
		c.maxInto(acc[h], v, k)
	})
	greatest = c.reduce(acc, c.VMAXPS)

	acc = c.lanes(0)
	r.each("exp", func(h int, at func(gp) mem, k mask) {
		v := last[h]
		if k == nil {
			v = c.load(at(x), nil)
		}
		e := c.keep(c.expOfLow(c.sub(v, greatest)), k)
		if k != nil {
			c.VMOVAPS(e, last[h])
		} else {
			c.store(e, at(y), nil)
		}
		c.VADDPS(e, acc[h], acc[h])
	})
	total = c.reduce(acc, c.VADDPS)
	inverse := c.inverse(total)
	r.each("scale", func(h int, at func(gp) mem, k mask) {
		e := last[h]
		if k == nil {
			e = c.load(at(y), nil)
		}
		c.store(c.mul(c.mul(e, inverse), weight), at(y), k)
	})
	return greatest, total
}

// maxInto sets acc to v in the elements where v is greater. A NaN is never greater.
func (c *asm) maxInto(acc, v vec, k mask) {
	c.VMAXPS(acc, c.replace(v, k, acc), acc)
}
