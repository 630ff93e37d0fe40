package kernel

import (
	"math"
	"unsafe"
)

// Float is the element type of every kernel: float32 to train, float64 to analyse.
type Float interface{ float32 | float64 }

// single reports whether F is float32.
func single[F Float]() bool { return unsafe.Sizeof(F(0)) == 4 }

// f32 is x itself where F is float32.
func f32[F Float](x []F) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// fma returns a·b + c: in float32 rounded once, in float64 with the product
// rounded before the sum (the conversion forbids the compiler to fuse them on
// the architectures where it otherwise may).
func fma[F Float](a, b, c F) F {
	if single[F]() {
		return F(fma32(float32(a), float32(b), float32(c)))
	}
	return F(a*b) + c
}

// fma32 returns a·b + c rounded once to float32, as the machine's fused
// multiply-add does.
//
// In float64 the product is exact (24+24 ≤ 53 bits, exponents within −298 …
// 256). The sum s is rounded to 53 bits, and once more to float32, which can
// differ from one rounding only if s lies exactly between two float32 numbers
// although the true sum does not; then the true sum's side decides. In the
// range of normal numbers such an s ends in a one and 28 zeros. Below it the
// rounding is that of round to odd, right for every number of bits up to 51
// (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if awkward(s) {
		s = oddSum(p, float64(c), s)
	}
	return float32(s)
}

// axpy is y[j] = fma(a, x[j], y[j]), with fma written out: the compiler does
// not inline it.
func axpy[F Float](a F, x, y []F) {
	y = y[:len(x)]
	for j, v := range x {
		p := float64(float64(a) * float64(v))
		s := p + float64(y[j])
		if single[F]() && awkward(s) {
			s = oddSum(p, float64(y[j]), s)
		}
		y[j] = F(s)
	}
}

// awkward reports whether a sum rounded to float64 may round wrongly to
// float32: a tie, or below the normal numbers (zero among them).
func awkward(s float64) bool {
	const minNormal = (1023 - 126) << 52 // bits of 2⁻¹²⁶
	bits := math.Float64bits(s)
	return bits&(1<<29-1) == 1<<28 || bits&^(1<<63) < minNormal
}

// oddSum returns x+y rounded to odd, given its rounding s to nearest: s if the
// sum is exact, else the neighbour of the true sum whose last bit is one.
func oddSum(x, y, s float64) float64 {
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	// Knuth's TwoSum: x + y = s + rest exactly.
	yy := s - x
	rest := (x - (s - yy)) + (y - yy)
	bits := math.Float64bits(s)
	if rest == 0 || bits&1 == 1 {
		return s
	}
	// s is even, so the true sum's other neighbour is odd: one unit away from
	// zero if the rest has the sign of s, else one towards zero.
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
