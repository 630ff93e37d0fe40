package main

import "github.com/mmcloughlin/avo/operand"

const (
	sqrtHalf      = 0.70710678118654752440
	invSqrtTwoPi  = 0.39894228040143267794
	geluNewLinear = 1.59576912160573071176
	geluNewCubic  = 0.044715 * geluNewLinear
)

// activation writes each activation and its backward pass: the formulas of
// ../activation.go, operation by operation.
func activation(c *asm) {
	c.forward("relu", func(x vec) vec { return c.max(c.zero(), x) })
	c.forward("gelu", func(x vec) vec {
		half := c.mul(x, konst(0.5))
		e := c.erf(c.mul(x, konst(sqrtHalf)))
		c.horner(e, half, half)
		return e
	})
	c.forward("geluNew", func(x vec) vec { return c.mul(c.geluNewGate(x), x) })
	c.forward("silu", func(x vec) vec { return c.mul(c.siluGate(x), x) })

	c.slopes("gelu", func(x vec) (y, slope vec) {
		e := c.erf(c.mul(x, konst(sqrtHalf)))
		y, cdf, half := c.mul(x, konst(0.5)), c.copyOf(e), c.all(0.5)
		c.horner(e, y, y)
		c.horner(cdf, half, half)
		slope = c.mul(c.exp(c.mul(c.mul(x, konst(-0.5)), x)), konst(invSqrtTwoPi))
		c.horner(slope, x, cdf)
		return e, slope
	})
	c.slopes("geluNew", func(x vec) (y, slope vec) {
		gate := c.geluNewGate(x)
		return c.mul(gate, x), c.geluNewSlope(gate, x)
	})
	c.slopes("silu", func(x vec) (y, slope vec) {
		gate := c.siluGate(x)
		return c.mul(gate, x), c.siluSlope(gate, x)
	})

	c.backward("relu", func(dy, x vec) vec {
		const greater = 0x1e // ordered, quiet
		if c.isa == avx512 {
			k := c.K()
			c.VCMPPS(operand.Imm(greater), c.zero(), x, k)
			return c.keep(dy, k)
		}
		k := c.YMM()
		c.VCMPPS(operand.Imm(greater), c.zero(), x, k)
		return c.keep(dy, k)
	})
	c.backward("gelu", func(dy, x vec) vec {
		slope := c.mul(c.exp(c.mul(c.mul(x, konst(-0.5)), x)), konst(invSqrtTwoPi))
		cdf := c.erf(c.mul(x, konst(sqrtHalf)))
		half := c.all(0.5)
		c.horner(cdf, half, half)
		c.horner(slope, x, cdf)
		return c.mul(dy, slope)
	})
	c.backward("geluNew", func(dy, x vec) vec {
		return c.mul(dy, c.geluNewSlope(c.geluNewGate(x), x))
	})
	c.backward("silu", func(dy, x vec) vec {
		return c.mul(dy, c.siluSlope(c.siluGate(x), x))
	})
}

func (c *asm) geluNewGate(x vec) vec {
	minus := c.all(-geluNewCubic)
	c.horner(minus, c.mul(x, x), konst(-geluNewLinear))
	return c.logistic(c.mul(x, minus))
}

// geluNewSlope returns the derivative of geluNew, given its gate 1/(1 + exp(−2u)).
func (c *asm) geluNewSlope(gate, x vec) vec {
	slope := c.all(3 * geluNewCubic)
	c.horner(slope, c.mul(x, x), konst(geluNewLinear))
	y := c.mul(c.mul(x, gate), c.sub(c.all(1), gate))
	c.horner(y, slope, gate)
	return y
}

func (c *asm) siluGate(x vec) vec { return c.logistic(c.mul(x, konst(-1))) }

// siluSlope returns the derivative of silu, given its gate 1/(1 + exp(−x)).
func (c *asm) siluSlope(gate, x vec) vec {
	y := c.mul(x, gate)
	c.horner(y, c.sub(c.all(1), gate), gate)
	return y
}

// forward writes an assembly function that sets y = f(x) for n elements.
func (c *asm) forward(name string, f func(x vec) vec) {
	c.function(name, "func(y, x *float32, n int)")
	y, x := c.param("y"), c.param("x")
	c.elements("", c.param("n"), func(at func(gp) mem, k mask) {
		c.store(f(c.load(at(x), k)), at(y), k)
	})
	c.end()
}

// slopes writes an assembly function that sets y, slope = f(x) for n elements.
func (c *asm) slopes(name string, f func(x vec) (y, slope vec)) {
	c.function(name+"Slope", "func(y, slope, x *float32, n int)")
	y, slope, x := c.param("y"), c.param("slope"), c.param("x")
	c.elements("", c.param("n"), func(at func(gp) mem, k mask) {
		value, derivative := f(c.load(at(x), k))
		c.store(value, at(y), k)
		c.store(derivative, at(slope), k)
	})
	c.end()
}

// backward writes an assembly function that sets dx = f(dy, x) for n elements.
func (c *asm) backward(name string, f func(dy, x vec) vec) {
	c.function(name+"Backward", "func(dx, dy, x *float32, n int)")
	dx, dy, x := c.param("dx"), c.param("dy"), c.param("x")
	c.elements("", c.param("n"), func(at func(gp) mem, k mask) {
		c.store(f(c.load(at(dy), k), c.load(at(x), k)), at(dx), k)
	})
	c.end()
}
