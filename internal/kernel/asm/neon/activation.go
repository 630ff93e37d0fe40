package neon

const (
	sqrtHalf      = 0.70710678118654752440
	invSqrtTwoPi  = 0.39894228040143267794
	geluNewLinear = 1.59576912160573071176
	geluNewCubic  = 0.044715 * geluNewLinear
)

// activation writes each activation and its backward: the formulas of package
// kernel's activation.go, operation by operation.
func activation(c *asm) {
	c.forward("relu", func(x vec) vec { return c.without(x, c.negative(x)) })
	c.forward("gelu", func(x vec) vec {
		half := c.mul(x, c.all(0.5))
		return c.horner(half, c.erf(c.mul(x, c.all(sqrtHalf))), c.copyVec(half))
	})
	c.forward("geluNew", func(x vec) vec { return c.mul(x, c.geluNewGate(x)) })
	c.forward("silu", func(x vec) vec { return c.mul(x, c.siluGate(x)) })

	c.backward("relu", func(dy, x vec) vec { return c.and(dy, c.positive(x)) })
	c.backward("gelu", func(dy, x vec) vec {
		pdf := c.mul(c.exp(c.mul(c.mul(x, c.all(-0.5)), x)), c.all(invSqrtTwoPi))
		cdf := c.horner(c.erf(c.mul(x, c.all(sqrtHalf))), c.all(0.5), c.all(0.5))
		return c.mul(dy, c.horner(x, pdf, cdf))
	})
	c.backward("geluNew", func(dy, x vec) vec {
		gate := c.geluNewGate(x)
		slope := c.horner(c.mul(x, x), c.all(3*geluNewCubic), c.all(geluNewLinear))
		y := c.mul(c.mul(x, gate), c.sub(c.all(1), gate))
		return c.mul(dy, c.horner(y, slope, gate))
	})
	c.backward("silu", func(dy, x vec) vec {
		gate := c.siluGate(x)
		rest := c.sub(c.all(1), gate)
		return c.mul(dy, c.horner(c.mul(x, gate), rest, gate))
	})
}

func (c *asm) geluNewGate(x vec) vec {
	minus := c.horner(c.mul(x, x), c.all(-geluNewCubic), c.all(-geluNewLinear))
	return c.logistic(c.mul(x, minus))
}

func (c *asm) siluGate(x vec) vec { return c.logistic(c.mul(x, c.all(-1))) }

// forward writes y = f(x) over n elements.
func (c *asm) forward(name string, f func(x vec) vec) {
	c.function(name, "func(y, x *float32, n int)")
	y, x := c.param("y"), c.param("x")
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		c.store(f(c.load(at(x), k)), at(y), k)
	}, y, x)
	c.end()
}

// backward writes dx = f(dy, x) over n elements.
func (c *asm) backward(name string, f func(dy, x vec) vec) {
	c.function(name+"Backward", "func(dx, dy, x *float32, n int)")
	dx, dy, x := c.param("dx"), c.param("dy"), c.param("x")
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		c.store(f(c.load(at(dy), k), c.load(at(x), k)), at(dx), k)
	}, dx, dy, x)
	c.end()
}
