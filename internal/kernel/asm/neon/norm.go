package neon

// norm writes layer norm and its backward pass, over all rows of a matrix.
func norm(c *asm) {
	layerNorm(c)
	layerNormBackward(c)
}

func layerNorm(c *asm) {
	c.function("layerNorm", "func(y, mean, rstd, x, w, b *float32, rows, n int, count, eps float32)")
	y, mean, rstd, x := c.param("y"), c.param("mean"), c.param("rstd"), c.param("x")
	w, b, n := c.param("w"), c.param("b"), c.param("n")
	count, eps := c.scalar("count"), c.scalar("eps")
	c.rows(func() {
		total := c.lanes(0)
		c.eachLane(n, func(h int, at func(gp) mem, k *part) {
			c.addInto(total[h], c.load(at(x), k))
		}, x)
		mu := c.div(c.sum(total), count)
		c.storeFirst(mu, mem{base: mean})
		squares := c.lanes(0)
		c.eachLane(n, func(h int, at func(gp) mem, k *part) {
			d := c.keep(c.sub(c.load(at(x), k), mu), k)
			c.store(d, at(y), k)
			c.fma(squares[h], d, d)
		}, x, y)
		variance := c.div(c.sum(squares), count)
		r := c.div(c.all(1), c.sqrt(c.add(variance, eps)))
		c.storeFirst(r, mem{base: rstd})
		c.elements(n, func(at func(gp) mem, k *part) {
			v := c.mul(c.load(at(y), k), r)
			c.unlessZero(w, func() { c.move(v, c.horner(v, c.load(at(w), k), c.load(at(b), k))) })
			c.store(v, at(y), k)
		}, y, w, b)
		c.advance(n, x, y)
		c.stepBy(mean, 4)
		c.stepBy(rstd, 4)
	})
	c.end()
}

func layerNormBackward(c *asm) {
	c.function("layerNormBackward", "func(dx, dw, db, dy, x, mean, rstd, w *float32, rows, n int, count float32)")
	dx, dw, db, dy := c.param("dx"), c.param("dw"), c.param("db"), c.param("dy")
	x, mean, rstd, w := c.param("x"), c.param("mean"), c.param("rstd"), c.param("w")
	n, count := c.param("n"), c.scalar("count")
	c.rows(func() {
		mu, r := c.broadcast(mem{base: mean}), c.broadcast(mem{base: rstd})
		// gradient loads one register of dy, and computes g = dy·w and x̂ = (x−mean)·rstd for
		// its elements.
		gradient := func(at func(gp) mem, k *part) (d, g, xhat vec) {
			d = c.load(at(dy), k)
			g = c.copyVec(d)
			c.unlessZero(w, func() { c.move(g, c.mul(g, c.load(at(w), k))) })
			return d, g, c.mul(c.sub(c.load(at(x), k), mu), r)
		}
		sumG, sumGX := c.lanes(0), c.lanes(0)
		c.eachLane(n, func(h int, at func(gp) mem, k *part) {
			_, g, xhat := gradient(at, k)
			c.addInto(sumG[h], g)
			c.fma(sumGX[h], g, c.keep(xhat, k))
		}, dy, w, x)
		m1, m2 := c.div(c.sum(sumG), count), c.div(c.sum(sumGX), count)
		c.elements(n, func(at func(gp) mem, k *part) {
			d, g, xhat := gradient(at, k)
			t := c.sub(g, m1)
			c.fnma(t, xhat, m2)
			c.store(c.horner(r, t, c.load(at(dx), k)), at(dx), k)
			c.unlessZero(dw, func() {
				s := c.load(at(dw), k)
				c.fma(s, d, xhat)
				c.store(s, at(dw), k)
				c.store(c.add(c.load(at(db), k), d), at(db), k)
			})
		}, dx, dy, w, x, dw, db)
		c.advance(n, dx, dy, x)
		c.stepBy(mean, 4)
		c.stepBy(rstd, 4)
	})
	c.end()
}
