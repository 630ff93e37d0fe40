package neon

const (
	sqrtHalf      = 0.70710678118654752440
	invSqrtTwoPi  = 0.39894228040143267794
	geluNewLinear = 1.59576912160573071176
	geluNewCubic  = 0.044715 * geluNewLinear
)

// activation writes each activation and its backward pass: the formulas of package
// kernel's activation.go, operation by operation.
func activation(c *asm) {
	c.forward("relu", func(x vec) vec { return c.without(x, c.negative(x)) })
	c.forward("gelu", func(x vec) vec {
		half := c.mul(x, c.all(0.5))
		return c.horner(half, c.erf(c.mul(x, c.all(sqrtHalf))), c.copyVec(half))
	})
	c.forward("geluNew", func(x vec) vec { return c.mul(x, c.geluNewGate(x)) })
	c.forward("silu", func(x vec) vec { return c.mul(x, c.siluGate(x)) })

	c.slopes("gelu", func(x vec) (y, slope vec) {
		half, e := c.mul(x, c.all(0.5)), c.erf(c.mul(x, c.all(sqrtHalf)))
		cdf := c.horner(e, c.all(0.5), c.all(0.5))
		y = c.horner(half, e, c.copyVec(half))
		pdf := c.mul(c.exp(c.mul(c.mul(x, c.all(-0.5)), x)), c.all(invSqrtTwoPi))
		return y, c.horner(x, pdf, cdf)
	})
	c.slopes("geluNew", func(x vec) (y, slope vec) {
		gate := c.geluNewGate(x)
		return c.mul(x, gate), c.geluNewSlope(gate, x)
	})
	c.slopes("silu", func(x vec) (y, slope vec) {
		gate := c.siluGate(x)
		return c.mul(x, gate), c.siluSlope(gate, x)
	})

	c.backward("relu", func(dy, x vec) vec { return c.and(dy, c.positive(x)) })
	c.backward("gelu", func(dy, x vec) vec {
		pdf := c.mul(c.exp(c.mul(c.mul(x, c.all(-0.5)), x)), c.all(invSqrtTwoPi))
		cdf := c.horner(c.erf(c.mul(x, c.all(sqrtHalf))), c.all(0.5), c.all(0.5))
		return c.mul(dy, c.horner(x, pdf, cdf))
	})
	c.backward("geluNew", func(dy, x vec) vec {
		return c.mul(dy, c.geluNewSlope(c.geluNewGate(x), x))
	})
	c.backward("silu", func(dy, x vec) vec {
		return c.mul(dy, c.siluSlope(c.siluGate(x), x))
	})
}

func (c *asm) geluNewGate(x vec) vec {
	minus := c.horner(c.mul(x, x), c.all(-geluNewCubic), c.all(-geluNewLinear))
	return c.logistic(c.mul(x, minus))
}

// geluNewSlope returns the derivative of geluNew, given its gate 1/(1 + exp(−2u)).
func (c *asm) geluNewSlope(gate, x vec) vec {
	slope := c.horner(c.mul(x, x), c.all(3*geluNewCubic), c.all(geluNewLinear))
	y := c.mul(c.mul(x, gate), c.sub(c.all(1), gate))
	return c.horner(y, slope, gate)
}

func (c *asm) siluGate(x vec) vec { return c.logistic(c.mul(x, c.all(-1))) }

// siluSlope returns the derivative of silu, given its gate 1/(1 + exp(−x)).
func (c *asm) siluSlope(gate, x vec) vec {
	rest := c.sub(c.all(1), gate)
	return c.horner(c.mul(x, gate), rest, gate)
}

// forward writes an assembly function that sets y = f(x) for n elements.
func (c *asm) forward(name string, f func(x vec) vec) {
	c.function(name, "func(y, x *float32, n int)")
	y, x := c.param("y"), c.param("x")
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		c.store(f(c.load(at(x), k)), at(y), k)
	}, y, x)
	c.end()
}

// slopes writes an assembly function that sets y, slope = f(x) for n elements.
func (c *asm) slopes(name string, f func(x vec) (y, slope vec)) {
	c.function(name+"Slope", "func(y, slope, x *float32, n int)")
	y, slope, x := c.param("y"), c.param("slope"), c.param("x")
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		value, derivative := f(c.load(at(x), k))
		c.store(value, at(y), k)
		c.store(derivative, at(slope), k)
	}, y, slope, x)
	c.end()
}

// backward writes an assembly function that sets dx = f(dy, x) for n elements.
func (c *asm) backward(name string, f func(dy, x vec) vec) {
	c.function(name+"Backward", "func(dx, dy, x *float32, n int)")
	dx, dy, x := c.param("dx"), c.param("dy"), c.param("x")
	c.elements(c.param("n"), func(at func(gp) mem, k *part) {
		c.store(f(c.load(at(dy), k), c.load(at(x), k)), at(dx), k)
	}, dx, dy, x)
	c.end()
}
