package neon

import "math"

// softmax writes the passes over rows of logits or scores.
func softmax(c *asm) {
	c.function("softmaxRow", "func(y, x *float32, n int, weight float32) (m, s float32)")
	y, x, n, weight := c.param("y"), c.param("x"), c.param("n"), c.scalar("weight")
	logit := func(at func(gp) mem, k *part) vec { return c.load(at(x), k) }
	m, s := c.exponentials(y, x, n, logit)
	c.result("m", m)
	c.result("s", s)
	inverse := c.div(c.all(1), s)
	c.elements(n, func(at func(gp) mem, k *part) {
		c.store(c.mul(c.mul(c.load(at(y), k), inverse), weight), at(y), k)
	}, y)
	c.end()

	causalSoftmax(c)

	c.function("softmaxRowBackward", "func(ds, p *float32, n int, scale float32)")
	c.softmaxRowBackward(c.param("ds"), c.param("p"), c.param("n"), c.scalar("scale"))
	c.end()

	causalSoftmaxBackward(c)
}

// exponentials writes exp(v − m) to each element of y, where v is the logit that the
// function logit makes from the element of x and m is the largest v. It returns m and the
// sum of the exponentials.
func (c *asm) exponentials(y, x, n gp, logit func(at func(gp) mem, k *part) vec) (m, s vec) {
	acc := c.lanes(float32(math.Inf(-1)))
	c.eachLane(n, func(h int, at func(gp) mem, k *part) {
		v := logit(at, k)
		if k != nil { // elements past the end of the row are −Inf
			c.op("VBIF V%d.B16, V%d.B16, V%d.B16", k.mask, c.all(float32(math.Inf(-1))), mod{v})
		}
		c.raise(acc[h], v)
	}, x)
	m = c.greatest(acc)

	acc = c.lanes(0)
	c.eachLane(n, func(h int, at func(gp) mem, k *part) {
		e := c.keep(c.exp(c.sub(logit(at, k), m)), k)
		c.store(e, at(y), k)
		c.addInto(acc[h], e)
	}, x, y)
	return m, c.sum(acc)
}

func causalSoftmax(c *asm) {
	c.function("causalSoftmax", "func(y *float32, ldy int, x *float32, ldx, first, rows int, scale float32)")
	y, ldy, x, ldx, scale := c.param("y"), c.param("ldy"), c.param("x"), c.param("ldx"), c.scalar("scale")
	n := c.param("first")
	c.stepBy(n, 1)
	c.rows(func() {
		_, s := c.exponentials(y, x, n, func(at func(gp) mem, k *part) vec { return c.mul(c.load(at(x), k), scale) })
		inverse := c.div(c.all(1), s)
		c.elements(n, func(at func(gp) mem, k *part) {
			c.store(c.mul(c.load(at(y), k), inverse), at(y), k)
		}, y)
		c.advance(ldx, x)
		c.advance(ldy, y)
		c.stepBy(n, 1)
	})
	c.end()
}

func causalSoftmaxBackward(c *asm) {
	c.function("causalSoftmaxBackward", "func(ds *float32, ldds int, p *float32, ldp, first, rows int, scale float32)")
	ds, ldds, p, ldp, scale := c.param("ds"), c.param("ldds"), c.param("p"), c.param("ldp"), c.scalar("scale")
	n := c.param("first")
	c.stepBy(n, 1)
	c.rows(func() {
		c.softmaxRowBackward(ds, p, n, scale)
		c.advance(ldds, ds)
		c.advance(ldp, p)
		c.stepBy(n, 1)
	})
	c.end()
}

// softmaxRowBackward writes the code that replaces ds, the n gradients of a softmax's
// output p, by the gradients of its input.
func (c *asm) softmaxRowBackward(ds, p, n gp, scale vec) {
	acc := c.lanes(0)
	c.eachLane(n, func(h int, at func(gp) mem, k *part) {
		c.fma(acc[h], c.load(at(p), k), c.load(at(ds), k))
	}, p, ds)
	mean := c.sum(acc)
	c.elements(n, func(at func(gp) mem, k *part) {
		d := c.sub(c.load(at(ds), k), mean)
		c.store(c.mul(c.mul(c.load(at(p), k), d), scale), at(ds), k)
	}, p, ds)
}
