package kernel

import (
	"math"

	"foretell/internal/portable"
)

// The elementary functions. In float32 they are fixed sequences of operations, which the
// assembly repeats one by one. Each error bound is the maximum over all float32
// arguments, in units in the last place (ulp) of the exact result. In float64, where
// architectures need not agree to the last bit, exp and erf come from the standard
// library.

// exp is eˣ.
func exp[F Float](x F) F {
	if single[F]() {
		return F(exp32(float32(x)))
	}
	return F(math.Exp(float64(x)))
}

// erf is the error function.
func erf[F Float](x F) F {
	if single[F]() {
		return F(erf32(float32(x)))
	}
	return F(math.Erf(float64(x)))
}

// logistic is 1/(1 + e⁻ˣ), given −x.
func logistic[F Float](minusX F) F { return 1 / (1 + exp(minusX)) }

// log is the natural logarithm. The float64 result is within 1 ulp; after rounding to
// float32 the error is at most 0.51 ulp.
func log[F Float](x F) F { return F(portable.Log(float64(x))) }

// exp32 splits x = n·ln 2 + r with |r| ≤ ln 2/2, computes eʳ with a polynomial and
// multiplies by 2ⁿ. The error is at most 0.9 ulp, and infinities and denormal results are
// correct.
//
// The polynomial 1 + r + r²·p(r) is minimax for the relative error, 3·10⁻⁹; its
// coefficients were then adjusted by a few units to minimise the error after rounding.
func exp32(x float32) float32 {
	x = min32(expHigh, x)
	x = max32(expLow, x)
	n := fma32(x, log2E, roundMagic) - roundMagic // the integer nearest to x/ln 2
	r := fma32(-n, ln2High, x)
	r = fma32(-n, ln2Low, r)
	y := float32(expC6)
	for _, c := range [...]float32{expC5, expC4, expC3, expC2, 1, 1} {
		y = fma32(y, r, c)
	}
	return float32(math.Ldexp(float64(y), int(n)))
}

const (
	expHigh    = 89   // e⁸⁹ overflows
	expLow     = -104 // e⁻¹⁰⁴ rounds to 0
	log2E      = 0x1.715476p+0
	roundMagic = 0x1.8p23 // adding it to a number rounds the number to an integer
	ln2High    = 0x1.62e4p-1
	ln2Low     = 0x1.7f7d1cp-20

	expC2 = 0x1.fffffcp-2
	expC3 = 0x1.555492p-3
	expC4 = 0x1.5558f2p-5
	expC5 = 0x1.123a20p-7
	expC6 = 0x1.6a23cep-10
)

// erf32 is x·P(x²)/Q(x²), a minimax rational function for |x| ≤ 3.925; beyond that erf
// rounds to ±1. Its relative error is 2·10⁻⁸. The common factor of P and Q was chosen to
// minimise the error of the rounded coefficients. The error is at most 5.9 ulp, near ±1.
func erf32(x float32) float32 {
	t := min32(erfHigh, float32(x*x))
	p, q := float32(erfP5), float32(erfQ5)
	for _, c := range [...]float32{erfP4, erfP3, erfP2, erfP1, erfP0} {
		p = fma32(p, t, c)
	}
	for _, c := range [...]float32{erfQ4, erfQ3, erfQ2, erfQ1, erfQ0} {
		q = fma32(q, t, c)
	}
	return max32(-1, min32(1, float32(x*p)/q))
}

const (
	erfHigh = 3.925 * 3.925

	erfP0 = 0x1.b25342p-1
	erfP1 = 0x1.2572fcp-3
	erfP2 = 0x1.44fc2ap-5
	erfP3 = 0x1.73be7ap-9
	erfP4 = 0x1.c115d8p-13
	erfP5 = 0x1.9ce4c8p-20

	erfQ0 = 0x1.80e926p-1
	erfQ1 = 0x1.82a352p-2
	erfQ2 = 0x1.5f9a84p-4
	erfQ3 = 0x1.711ab2p-7
	erfQ4 = 0x1.cabd84p-11
	erfQ5 = 0x1.dfe2ecp-16
)

// min32 returns a if a < b, else b, like the machine instruction: if b is NaN, the result
// is NaN.
func min32(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

// max32 returns a if a > b, else b: if b is NaN, the result is NaN.
func max32(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}
