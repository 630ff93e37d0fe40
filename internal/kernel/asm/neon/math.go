package neon

// The constants of package kernel's math.go. A test there compares the results of the
// assembly with the Go functions bit for bit.
var (
	expTerms = []float32{0x1.6a23cep-10, 0x1.123a20p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2, 1, 1}
	erfP     = []float32{0x1.9ce4c8p-20, 0x1.c115d8p-13, 0x1.73be7ap-9, 0x1.44fc2ap-5, 0x1.2572fcp-3, 0x1.b25342p-1}
	erfQ     = []float32{0x1.dfe2ecp-16, 0x1.cabd84p-11, 0x1.711ab2p-7, 0x1.5f9a84p-4, 0x1.82a352p-2, 0x1.80e926p-1}
)

const (
	expHigh    = 89
	expLow     = -104
	log2E      = 0x1.715476p+0
	roundMagic = 0x1.8p23
	ln2High    = 0x1.62e4p-1
	ln2Low     = 0x1.7f7d1cp-20
	erfHigh    = 3.925 * 3.925
)

// horner returns a·x + b in the register of b, a step of a polynomial.
func (c *asm) horner(a, x, b vec) vec {
	c.fma(b, a, x)
	return b
}

// polynomial returns the value at x of a polynomial with the given coefficients, highest
// degree first.
func (c *asm) polynomial(x vec, terms []float32) vec {
	y := c.all(terms[0])
	for _, t := range terms[1:] {
		y = c.horner(y, x, c.all(t))
	}
	return y
}

// exp is exp32 of package kernel.
func (c *asm) exp(x vec) vec {
	x = c.fmin(c.all(expHigh), x)
	x = c.fmax(c.all(expLow), x)
	shifted := c.horner(x, c.all(log2E), c.all(roundMagic))
	n := c.sub(shifted, c.all(roundMagic))
	c.fnma(x, n, c.all(ln2High))
	c.fnma(x, n, c.all(ln2Low))
	y := c.polynomial(x, expTerms)
	// 2ⁿ = 2^⌊n/2⌋ · 2^(n−⌊n/2⌋), both in the normal range; only the second
	// product can round.
	whole, half, rest := c.vec(), c.vec(), c.vec()
	c.op("VSUB V%d.S4, V%d.S4, V%d.S4", c.all(roundMagic), shifted, def{whole})
	c.word(0x4f3f0400, "sshr v%d.4s, v%d.4s, #1", def{half}, whole)
	c.op("VSUB V%d.S4, V%d.S4, V%d.S4", half, whole, def{rest})
	for _, exponent := range []vec{half, rest} {
		power := c.vec()
		c.op("VADD V%d.S4, V%d.S4, V%d.S4", c.allBits(127), exponent, def{power})
		c.op("VSHL $23, V%d.S4, V%d.S4", power, def{power})
		y = c.mul(y, power)
	}
	return y
}

// erf is erf32 of package kernel.
func (c *asm) erf(x vec) vec {
	t := c.fmin(c.all(erfHigh), c.mul(x, x))
	p, q := c.polynomial(t, erfP), c.polynomial(t, erfQ)
	y := c.div(c.mul(x, p), q)
	return c.fmax(c.all(-1), c.fmin(c.all(1), y))
}

// logistic is 1/(1 + exp(minusX)).
func (c *asm) logistic(minusX vec) vec {
	return c.div(c.all(1), c.add(c.exp(minusX), c.all(1)))
}
