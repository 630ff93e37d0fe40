// Package portable provides the float64 functions used in training and in reported
// results, with identical bits on every architecture.
//
// Package math does not promise that: some of its functions are written in assembly on
// some architectures only, and Go may round a product and sum once (arm64) or twice
// (amd64). Here every product is converted to float64 before it is added, which forbids
// fusing by the language specification.
package portable

import "math"

// ln 2 in two parts. The first has so few digits that its product with an exponent is
// exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// Log returns the natural logarithm of x, like math.Log. It implements FreeBSD's e_log.c;
// the error is below 1 ulp.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	fraction, exponent := frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	f, k := fraction-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s4*logC7) + logC5
	odd = float64(s4*odd) + logC3
	odd = float64(s2 * (float64(s4*odd) + logC1))
	even := float64(s4*logC6) + logC4
	even = float64(s4 * (float64(s4*even) + logC2))
	half := float64(0.5 * f * f)
	rest := float64(s*(half+(odd+even))) + float64(k*ln2Low)
	return float64(k*ln2High) - ((half - rest) - f)
}

// frexp is math.Frexp for finite x > 0: x = fraction·2^exponent, ½ ≤ fraction < 1.
func frexp(x float64) (fraction float64, exponent int) {
	const mantissa, bias = 1<<52 - 1, 1022
	bits := math.Float64bits(x)
	if exponent = int(bits >> 52); exponent == 0 { // denormal
		return math.Frexp(x)
	}
	return math.Float64frombits(bits&mantissa | bias<<52), exponent - bias
}

const (
	logC1 = 6.666666666666735130e-01
	logC2 = 3.999999999940941908e-01
	logC3 = 2.857142874366239149e-01
	logC4 = 2.222219843214978396e-01
	logC5 = 1.818357216161805012e-01
	logC6 = 1.531383769920937332e-01
	logC7 = 1.479819860511658591e-01
)

// Exp returns eˣ, like math.Exp. It implements FreeBSD's e_exp.c (x = k·ln 2 + r, and a
// rational function for eʳ); the error is below 1 ulp.
func Exp(x float64) float64 {
	const overflow, underflow = 7.09782712893383973096e+02, -7.45133219101941108420e+02
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	k := math.RoundToEven(float64(x * math.Log2E))
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	t := float64(r * r)
	p := float64(t*expC5) + expC4
	p = float64(t*p) + expC3
	p = float64(t*p) + expC2
	p = float64(t*p) + expC1
	c := r - float64(t*p)
	y := 1 - ((low - float64(r*c)/(2-c)) - high)
	return math.Ldexp(y, int(k))
}

const (
	expC1 = 1.66666666666666657415e-01
	expC2 = -2.77777777770155933842e-03
	expC3 = 6.61375632143793436117e-05
	expC4 = -1.65339022054652515390e-06
	expC5 = 4.13813679705723846039e-08
)

// Sincos returns the sine and cosine of x, |x| < 2²⁸, like math.Sincos. It implements the
// Cephes library; the error is below 1 ulp or 10⁻¹⁶, whichever is greater.
func Sincos(x float64) (sin, cos float64) {
	quarter := math.RoundToEven(float64(x * (2 / math.Pi)))
	// π/2 in three parts. The first two have so few digits that their products with the
	// number of quarter turns are exact.
	z := x - float64(quarter*(2*7.85398125648498535156e-1))
	z -= float64(quarter * (2 * 3.77489470793079817668e-8))
	z -= float64(quarter * (2 * 2.69515142907905952645e-15))
	zz := float64(z * z)
	s, c := sinC[0], cosC[0]
	for i := range 5 {
		s = float64(s*zz) + sinC[i+1]
		c = float64(c*zz) + cosC[i+1]
	}
	s = z + float64(float64(z*zz)*s)
	c = 1 - float64(0.5*zz) + float64(float64(zz*zz)*c)
	switch int64(quarter) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

var sinC = [...]float64{
	1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136212857245213e-6,
	-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1,
}

var cosC = [...]float64{
	-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
	2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2,
}

// Power returns xⁿ for n ≥ 0, by repeated squaring.
func Power(x float64, n int) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y = float64(y * x)
		}
		x = float64(x * x)
	}
	return y
}

// Entropy returns −Σ p ln p of a distribution, in nats; 0·ln 0 is 0.
func Entropy(p []float64) float64 {
	h := 0.0
	for _, q := range p {
		if q > 0 {
			h -= float64(q * Log(q))
		}
	}
	return h
}
