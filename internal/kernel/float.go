package kernel

import (
	"math"
	"unsafe"
)

// Float is the element type of every kernel: float32 to train, float64 to analyse.
type Float interface{ float32 | float64 }

// single reports whether F is float32.
func single[F Float]() bool { return unsafe.Sizeof(F(0)) == 4 }

// f32 returns x itself; F must be float32.
func f32[F Float](x []F) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// fma returns a·b + c. In float32 it rounds once; in float64 the product is rounded
// before it is added (the conversion prevents the compiler from fusing them on
// architectures where it could).
func fma[F Float](a, b, c F) F {
	if single[F]() {
		return F(fma32(float32(a), float32(b), float32(c)))
	}
	return F(a*b) + c
}

// fma32 returns a·b + c rounded once to float32, as the machine's fused
// multiply-add does.
//
// In float64 the product is exact (24+24 ≤ 53 bits, exponents within −298 … 256). The sum
// s is rounded to 53 bits, and then to float32. The result can differ from a single
// rounding only if s is exactly midway between two float32 numbers and the true sum is
// not; then the side of the true sum decides. For normal numbers such an s ends in a one
// and 28 zeros. Subnormal results use round to odd, which is correct for any number of
// bits up to 51 (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if awkward(s) {
		s = oddSum(p, float64(c), s)
	}
	return float32(s)
}

// axpy sets y[j] = fma(a, x[j], y[j]). fma is written out, because the compiler does not
// inline it.
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

// awkward reports whether rounding the sum s to float32 may be wrong: s is a tie, or is
// below the normal numbers (including zero).
func awkward(s float64) bool {
	const minNormal = (1023 - 126) << 52 // bits of 2⁻¹²⁶
	bits := math.Float64bits(s)
	return bits&(1<<29-1) == 1<<28 || bits&^(1<<63) < minNormal
}

// oddSum returns x+y rounded to odd, given the sum s rounded to nearest: s if the sum is
// exact, else the neighbour of the true sum whose last bit is one.
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
