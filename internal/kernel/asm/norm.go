package main

import "github.com/mmcloughlin/avo/operand"

// norm writes layer norm and its backward pass, over all rows of a matrix.
func norm(c *asm) {
	c.function("layerNorm", "func(y, mean, rstd, x, w, b *float32, rows, n int, count, eps float32)")
	y, mean, rstd, x := c.param("y"), c.param("mean"), c.param("rstd"), c.param("x")
	w, b, n := c.param("w"), c.param("b"), c.param("n")
	count, eps := c.address("count"), c.address("eps")
	row := c.newRow(n)
	c.rows("next", c.param("rows"), func() {
		total := c.lanes(0)
		row.each("sum", func(h int, at func(gp) mem, k mask) {
			c.VADDPS(c.load(at(x), k), total[h], total[h])
		})
		m := c.reduceToOne(total, c.VADDPS)
		c.VDIVSS(count, m, m)
		c.VMOVSS(m, mem{Base: mean})
		mu := c.spread(m)
		squares := c.lanes(0)
		row.each("squares", func(h int, at func(gp) mem, k mask) {
			d := c.keep(c.sub(c.load(at(x), k), mu), k)
			c.store(d, at(y), k)
			c.fma(squares[h], d, d)
		})
		variance := c.reduceToOne(squares, c.VADDPS)
		c.VDIVSS(count, variance, variance)
		c.VADDSS(eps, variance, variance)
		c.VSQRTSS(variance, variance, variance)
		r := c.inverse(variance)
		c.VMOVSS(r.AsX(), mem{Base: rstd})
		row.each("scale", func(_ int, at func(gp) mem, k mask) {
			v := c.mul(c.load(at(y), k), r)
			c.unlessNil(w, func() { c.horner(v, c.load(at(w), k), c.load(at(b), k)) })
			c.store(v, at(y), k)
		})
		c.advance(n, x, y)
		c.ADDQ(operand.Imm(4), mean)
		c.ADDQ(operand.Imm(4), rstd)
	})
	c.end()

	c.function("layerNormBackward", "func(dx, dw, db, dy, x, mean, rstd, w *float32, rows, n int, count float32)")
	dx, dw, db, dy := c.param("dx"), c.param("dw"), c.param("db"), c.param("dy")
	x, mean, rstd, w = c.param("x"), c.param("mean"), c.param("rstd"), c.param("w")
	n = c.param("n")
	row = c.newRow(n)
	c.rows("next", c.param("rows"), func() {
		count := c.address("count")
		mu, r := c.vec(), c.vec()
		c.VBROADCASTSS(mem{Base: mean}, mu)
		c.VBROADCASTSS(mem{Base: rstd}, r)
		// gradient loads one register of dy, and computes g = dy·w and x̂ = (x−mean)·rstd for
		// its elements.
		gradient := func(at func(gp) mem, k mask) (d, g, xhat vec) {
			d = c.load(at(dy), k)
			g = c.vec()
			c.VMOVAPS(d, g)
			c.unlessNil(w, func() { c.VMULPS(c.load(at(w), k), g, g) })
			return d, g, c.keep(c.mul(c.sub(c.load(at(x), k), mu), r), k)
		}
		sumG, sumGX := c.lanes(0), c.lanes(0)
		row.each("sums", func(h int, at func(gp) mem, k mask) {
			_, g, xhat := gradient(at, k)
			c.VADDPS(g, sumG[h], sumG[h])
			c.fma(sumGX[h], g, xhat)
		})
		average := func(total lanes) vec {
			m := c.reduceToOne(total, c.VADDPS)
			c.VDIVSS(count, m, m)
			return c.spread(m)
		}
		m1, m2 := average(sumG), average(sumGX)
		row.each("dx", func(_ int, at func(gp) mem, k mask) {
			d, g, xhat := gradient(at, k)
			t := c.sub(g, m1)
			c.fnma(t, xhat, m2)
			c.horner(t, r, c.load(at(dx), k))
			c.store(t, at(dx), k)
			c.unlessNil(dw, func() {
				s := c.load(at(dw), k)
				c.fma(s, d, xhat)
				c.store(s, at(dw), k)
				c.store(c.add(c.load(at(db), k), d), at(db), k)
			})
		})
		c.advance(n, dx, dy, x)
		c.ADDQ(operand.Imm(4), mean)
		c.ADDQ(operand.Imm(4), rstd)
	})
	c.end()
}
