package kernel

import (
	"math"

	"foretell/internal/portable"
)

// The elementary functions. In float32 they are fixed sequences of operations,
// which the assembly repeats one by one; each bound on the error is the
// greatest over all float32 arguments, in units of the last place (ulp) of the
// exact result. In float64, which no two architectures need to agree on to the
// last bit, exp and erf are the standard library's.

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

// log is the natural logarithm. Its float64 is within 1 ulp, so at most 0.51 ulp
// remain once it is rounded to float32.
func log[F Float](x F) F { return F(portable.Log(float64(x))) }

// exp32 splits x = n·ln 2 + r with |r| ≤ ln 2/2, takes eʳ from a polynomial and
// multiplies by 2ⁿ. At most 0.9 ulp; infinities and denormal results come out
// right.
//
// The polynomial 1 + r + r²·p(r) is the minimax one for the relative error,
// 3·10⁻⁹, with coefficients then moved by a few units to make the rounded
// result best.
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
	roundMagic = 0x1.8p23 // a number added to it is rounded to an integer
	ln2High    = 0x1.62e4p-1
	ln2Low     = 0x1.7f7d1cp-20

	expC2 = 0x1.fffffcp-2
	expC3 = 0x1.555492p-3
	expC4 = 0x1.5558f2p-5
	expC5 = 0x1.123a20p-7
	expC6 = 0x1.6a23cep-10
)

// erf32 is x·P(x²)/Q(x²), a minimax rational for |x| ≤ 3.925, beyond which erf
// rounds to ±1. Its relative error is 2·10⁻⁸, and the common factor of P and Q
// is the one with which the rounded coefficients do best. At most 5.9 ulp, near ±1.
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

// min32 is a where a < b, else b, as the machine's instruction: NaN comes
// through if it is b.
func min32(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

// max32 is a where a > b, else b: NaN comes through if it is b.
func max32(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}
