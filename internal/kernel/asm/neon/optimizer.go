package neon

// optimizer writes the kernels of one step of Adam and of SGD.
func optimizer(c *asm) {
	c.function("adam", "func(w, grad, m, v *float32, n int, s *float32)")
	w, g, m, v, s := c.param("w"), c.param("grad"), c.param("m"), c.param("v"), c.param("s")
	field := func(i int) vec { return c.broadcast(mem{s, 4 * i}) }
	shrink, decay := field(0), field(1)
	beta1, rest1, beta2, rest2 := field(2), field(3), field(4), field(5)
	invRoot2, step, eps := field(6), field(7), field(8)
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		wi := c.mul(c.load(at(w), k), shrink)
		gi := c.load(at(g), k)
		c.fma(gi, decay, wi)
		mi := c.mul(c.load(at(m), k), beta1)
		c.fma(mi, rest1, gi)
		c.store(mi, at(m), k)
		vi := c.mul(c.load(at(v), k), beta2)
		c.fma(vi, c.mul(gi, rest2), gi)
		c.store(vi, at(v), k)
		root := c.horner(c.sqrt(vi), invRoot2, c.copyVec(eps))
		c.fnma(wi, step, c.div(mi, root))
		c.store(wi, at(w), k)
	}, w, g, m, v)
	c.end()

	c.function("sgd", "func(w, grad, v *float32, n int, lr, momentum, decay float32)")
	w, g, v = c.param("w"), c.param("grad"), c.param("v")
	lr, momentum, decay := c.scalar("lr"), c.scalar("momentum"), c.scalar("decay")
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		wi, d := c.load(at(w), k), c.load(at(g), k)
		c.fma(d, decay, wi)
		c.unlessZero(v, func() {
			c.fma(d, momentum, c.load(at(v), k))
			c.store(d, at(v), k)
		})
		c.fnma(wi, lr, d)
		c.store(wi, at(w), k)
	}, w, g, v)
	c.end()
}
