package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// The constants of ../math.go. A test there compares the results of the assembly with the
// Go functions bit for bit.
var (
	expTerms  = []konst{0x1.6a23cep-10, 0x1.123a20p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2, 1, 1}
	erfP      = []konst{0x1.9ce4c8p-20, 0x1.c115d8p-13, 0x1.73be7ap-9, 0x1.44fc2ap-5, 0x1.2572fcp-3, 0x1.b25342p-1}
	erfQ      = []konst{0x1.dfe2ecp-16, 0x1.cabd84p-11, 0x1.711ab2p-7, 0x1.5f9a84p-4, 0x1.82a352p-2, 0x1.80e926p-1}
	roundBits = math.Float32bits(0x1.8p23)
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

// polynomial returns the value at x of a polynomial with the given coefficients, highest
// degree first.
func (c *asm) polynomial(x vec, terms []konst) vec {
	y := c.all(float32(terms[0]))
	for _, t := range terms[1:] {
		c.horner(y, x, t)
	}
	return y
}

// exp is exp32 of package kernel. If x is NaN, so is the result, because min and max
// return their second operand when it is NaN.
func (c *asm) exp(x vec) vec { return c.expOfLow(c.min(c.all(expHigh), x)) }

// expOfLow is exp for x up to expHigh. Differences x − max x, as in a softmax, never
// exceed it.
func (c *asm) expOfLow(x vec) vec {
	x = c.max(c.all(expLow), x)
	shifted := c.all(log2E)
	c.horner(shifted, x, konst(roundMagic))
	n := c.sub(shifted, konst(roundMagic))
	c.fnma(x, n, konst(ln2High))
	c.fnma(x, n, konst(ln2Low))
	y := c.polynomial(x, expTerms)
	if c.isa == avx512 {
		c.VSCALEFPS(n, y, y)
		return y
	}
	// 2ⁿ = 2^⌊n/2⌋ · 2^(n−⌊n/2⌋), both in the normal range; only the second
	// product can round.
	whole, half := c.vec(), c.vec()
	c.VPSUBD(c.bits(roundBits), shifted, whole)
	c.VPSRAD(operand.Imm(1), whole, half)
	c.VPSUBD(half, whole, whole)
	for _, e := range []vec{half, whole} {
		c.VPADDD(c.bits(127), e, e)
		c.VPSLLD(operand.Imm(23), e, e)
		y = c.mul(y, e)
	}
	return y
}

// erf is erf32 of package kernel.
func (c *asm) erf(x vec) vec {
	t := c.min(c.all(erfHigh), c.mul(x, x))
	p, q := c.polynomial(t, erfP), c.polynomial(t, erfQ)
	y := c.div(c.mul(x, p), q)
	return c.max(c.all(-1), c.min(c.all(1), y))
}

// logistic is 1/(1 + exp(minusX)).
func (c *asm) logistic(minusX vec) vec {
	return c.div(c.all(1), c.add(c.exp(minusX), konst(1)))
}
