package main

// optimizer writes the kernels of one step of Adam and of SGD.
func optimizer(c *asm) {
	c.function("adam", "func(w, grad, m, v *float32, n int, s *float32)")
	w, g, m, v, s := c.param("w"), c.param("grad"), c.param("m"), c.param("v"), c.param("s")
	field := func(i int) vec {
		r := c.vec()
		c.VBROADCASTSS(mem{Base: s, Disp: 4 * i}, r)
		return r
	}
	const shrink, decay, beta1, rest1, beta2, rest2, invRoot2, step, eps = 0, 1, 2, 3, 4, 5, 6, 7, 8
	c.elements("", c.param("n"), func(at func(gp) mem, k mask) {
		wi := c.mul(c.load(at(w), k), field(shrink))
		gi := c.load(at(g), k)
		c.fma(gi, field(decay), wi)
		mi := c.mul(c.load(at(m), k), field(beta1))
		c.fma(mi, field(rest1), gi)
		c.store(mi, at(m), k)
		vi := c.mul(c.load(at(v), k), field(beta2))
		c.fma(vi, c.mul(gi, field(rest2)), gi)
		c.store(vi, at(v), k)
		root := c.sqrt(vi)
		c.horner(root, field(invRoot2), field(eps))
		c.fnma(wi, field(step), c.div(mi, root))
		c.store(wi, at(w), k)
	})
	c.end()

	c.function("sgd", "func(w, grad, v *float32, n int, lr, momentum, decay float32)")
	w, g, v = c.param("w"), c.param("grad"), c.param("v")
	lr, momentum, decayed := c.scalar("lr"), c.scalar("momentum"), c.scalar("decay")
	c.elements("", c.param("n"), func(at func(gp) mem, k mask) {
		wi, d := c.load(at(w), k), c.load(at(g), k)
		c.fma(d, decayed, wi)
		c.unlessNil(v, func() {
			c.fma(d, momentum, c.load(at(v), k))
			c.store(d, at(v), k)
		})
		c.fnma(wi, lr, d)
		c.store(wi, at(w), k)
	})
	c.end()
}
