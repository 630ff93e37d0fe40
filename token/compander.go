package token

import (
	"fmt"
	"math"

	"foretell/internal/portable"
)

var muLawTokenizer = Tokenizer{
	Name: "mu_law",
	Params: []Param{
		{"levels", 256, 2, mostLevels, true, "number of levels (tokens)"},
		{"mu", 255, 1e-3, 1e6, false, "μ; larger values give finer steps near zero"},
	},
	Summary: "logarithmic steps by the μ-law, up to the largest magnitude of the training samples",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitCompanded(x, MuLaw(p["mu"]), p.whole("levels")))
	},
}

var aLawTokenizer = Tokenizer{
	Name: "a_law",
	Params: []Param{
		{"levels", 256, 2, mostLevels, true, "number of levels (tokens)"},
		{"a", 87.6, 1, 1e6, false, "A; larger values give finer steps near zero"},
	},
	Summary: "steps by the A-law: linear below 1/A, logarithmic above",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitCompanded(x, ALaw(p["a"]), p.whole("levels")))
	},
}

// Compander is an increasing odd function F from [−1, 1] onto itself. F is applied before
// a uniform quantiser, and its inverse after the quantiser.
type Compander interface {
	// Compress returns F(x) for −1 ≤ x ≤ 1.
	Compress(x float64) float64
	// Expand returns F⁻¹(y) for −1 ≤ y ≤ 1.
	Expand(y float64) float64
	// Check returns an error if the parameter of the law is out of range.
	Check() error
}

// MuLaw is the compander F(x) = sgn(x)·ln(1 + μ|x|)/ln(1 + μ) with 0.001 ≤ μ ≤ 10⁶.
// (ITU-T G.711 approximates the law with μ = 255 by line segments; this type uses the
// formula.)
type MuLaw float64

// Check returns an error if μ is out of range.
func (mu MuLaw) Check() error { return checkLaw("mu_law: mu", float64(mu), 1e-3, 1e6) }

// Compress returns F(x).
func (mu MuLaw) Compress(x float64) float64 {
	m := float64(mu)
	return math.Copysign(portable.Log(1+float64(m*math.Abs(x)))/portable.Log(1+m), x)
}

// Expand returns F⁻¹(y) = sgn(y)·((1 + μ)^|y| − 1)/μ.
func (mu MuLaw) Expand(y float64) float64 {
	m := float64(mu)
	return math.Copysign((portable.Exp(float64(math.Abs(y)*portable.Log(1+m)))-1)/m, y)
}

// ALaw is the compander F(x) = sgn(x)·A|x|/(1 + ln A) for |x| < 1/A and sgn(x)·(1 +
// ln(A|x|))/(1 + ln A) above, with 1 ≤ A ≤ 10⁶. (ITU-T G.711 approximates the law with A
// = 87.6 by line segments; this type uses the formula.) A = 1 is the identity.
type ALaw float64

// Check returns an error if A is out of range.
func (a ALaw) Check() error { return checkLaw("a_law: a", float64(a), 1, 1e6) }

// Compress returns F(x).
func (a ALaw) Compress(x float64) float64 {
	y := float64(float64(a) * math.Abs(x))
	if y > 1 {
		y = 1 + portable.Log(y)
	}
	return math.Copysign(y/(1+portable.Log(float64(a))), x)
}

// Expand returns F⁻¹(y).
func (a ALaw) Expand(y float64) float64 {
	x := float64(math.Abs(y) * (1 + portable.Log(float64(a))))
	if x > 1 {
		x = portable.Exp(x - 1)
	}
	return math.Copysign(x/float64(a), y)
}

func checkLaw(name string, value, low, high float64) error {
	if !(value >= low && value <= high) {
		return fmt.Errorf("%s = %g is outside [%g, %g]", name, value, low, high)
	}
	return nil
}

// FitCompanded returns the companded quantiser with the largest magnitude in x as its
// peak. It uses no other property of x, so there may be more levels than samples.
func FitCompanded(x []float64, law Compander, levels int) (*Scalar, error) {
	if err := checkTraining("companded", x); err != nil {
		return nil, err
	}
	peak := 0.0
	for _, v := range x {
		peak = max(peak, math.Abs(v))
	}
	return NewCompanded(law, peak, levels)
}

// NewCompanded returns a quantiser that applies a compander to samples and then quantises
// them with B uniform levels on [−1, 1]. The token of x is
//
//	round((F(x/peak) + 1)(B − 1)/2), x clipped to [−peak, peak],
//
// with halves rounded to the even token. Token t decodes to peak·F⁻¹(2t/(B − 1) − 1). The
// quantiser encodes by thresholds. Each threshold is the smallest float64 at which the
// formula gives the next token. NewCompanded returns an error if the law's parameter, the
// number of levels or the peak is out of range, or if float64 cannot distinguish the
// levels.
func NewCompanded(law Compander, peak float64, levels int) (*Scalar, error) {
	const name = "companded"
	if err := law.Check(); err != nil {
		return nil, err
	}
	if err := checkLevels(name, "levels", levels); err != nil {
		return nil, err
	}
	if !(peak >= 1/hugest && usable(peak)) {
		return nil, fmt.Errorf("%s: peak = %g is outside [%g, %g]", name, peak, 1/hugest, hugest)
	}
	thresholds, points := make([]float64, levels-1), make([]float64, levels)
	for t := range points {
		points[t] = peak * law.Expand(float64(2*t-levels+1)/float64(levels-1))
	}
	low := -peak
	for k := range thresholds {
		low = firstAbove(low, peak, func(x float64) bool { return companded(law, peak, levels, x) > float64(k) })
		thresholds[k] = low
	}
	return newScalar(name, thresholds, points)
}

// companded returns the token of x by the formula of [NewCompanded].
func companded(law Compander, peak float64, levels int, x float64) float64 {
	y := law.Compress(min(max(x/peak, -1), 1))
	return math.RoundToEven(float64((y+1)*float64(levels-1)) / 2)
}

// firstAbove returns the smallest float64 x in [low, high] for which holds(x) is true, or
// `high` if there is no such number. If holds(x) is true, it must also be true for all
// larger numbers.
func firstAbove(low, high float64, holds func(x float64) bool) float64 {
	a, b := ordinal(low), ordinal(high)
	for a < b {
		middle := a>>1 + b>>1 + a&b&1
		if holds(fromOrdinal(middle)) {
			b = middle
		} else {
			a = middle + 1
		}
	}
	return fromOrdinal(a)
}

// ordinal returns the rank of x among the float64 values. The rank of 0 is 0, and
// neighbouring values have neighbouring ranks.
func ordinal(x float64) int64 {
	if n := int64(math.Float64bits(x)); n >= 0 {
		return n
	}
	return math.MinInt64 - int64(math.Float64bits(x))
}

func fromOrdinal(n int64) float64 {
	if n < 0 {
		n = math.MinInt64 - n
	}
	return math.Float64frombits(uint64(n))
}
