package signals

import (
	"math"

	"foretell/internal/portable"
	"foretell/internal/random"
	"foretell/token"
)

// arCoefficient is ρ of the correlated source x[n+1] = ρ·x[n] + √(1−ρ²)·w[n], of variance
// 1, with w normal.
const arCoefficient = 0.9

// sinePeriod keeps samples of the sine apart; of the lecture's, of period 16, 9 values
// are all there is, and 9 levels have no error.
const sinePeriod = 16.4852

// source is a signal whose samples are quantised: those to fit on, and those to measure.
type source struct {
	name        string
	train, held []float64
	variance    float64 // of what is measured; the true one where it is known
	// bound is the least distortion at a rate in bits a sample that Shannon allows, as a
	// share of the variance; for signals that are not Gaussian it is nil.
	bound func(rate float64) float64
}

// The sources by name, in this order.
const (
	gaussianSource = "Gaussian, i.i.d."
	arSource       = "AR(1), ρ = 0.9"
	sineSource     = "sine"
	glassSource    = "Mackey–Glass"
	stepSource     = "steps"
)

// sources returns the signals of S10, with so many samples to fit on and as many to
// measure.
func sources(samples int) []source {
	glass, _ := recorded(lectureDelay, 2*samples)
	return []source{
		newSource(gaussianSource, autoregression(0, 2*samples), 1, shannonBound),
		newSource(arSource, autoregression(arCoefficient, 2*samples), 1, arBound()),
		newSource(sineSource, longSine(2*samples), 0, nil),
		newSource(glassSource, glass, 0, nil),
		newSource(stepSource, steps(2*samples), 0, nil),
	}
}

// newSource halves samples; a variance of 0 is to be measured.
func newSource(name string, x []float64, variance float64, bound func(rate float64) float64) source {
	s := source{name, x[:len(x)/2], x[len(x)/2:], variance, bound}
	if variance == 0 {
		s.variance = meanSquare(s.held)
	}
	return s
}

// distortion returns the mean squared error of samples of the source, as a share of its
// variance.
func (s source) distortion(x, decoded []float64) (d float64) {
	for i, v := range x {
		d += (v - decoded[i]) * (v - decoded[i]) / (s.variance * float64(len(x)))
	}
	return d
}

// meanSquare returns the mean squared distance of samples from their mean.
func meanSquare(x []float64) (variance float64) {
	middle := mean(x)
	for _, v := range x {
		variance += (v - middle) * (v - middle) / float64(len(x))
	}
	return variance
}

// autoregression returns samples of x[n+1] = ρ·x[n] + √(1−ρ²)·w[n] from the stationary
// distribution on; with ρ = 0 they are independent.
func autoregression(rho float64, n int) []float64 {
	x, src := make([]float64, n), random.New(10, "signals: source")
	x[0] = src.Normal()
	for i := 1; i < n; i++ {
		x[i] = float64(rho*x[i-1]) + float64(math.Sqrt(1-rho*rho)*src.Normal())
	}
	return x
}

// stepLength is how long a level of the steps lasts, in the mean.
const stepLength = 64

// steps holds a normally distributed level for a geometrically distributed time: a signal
// that changes only at a few time points.
func steps(n int) []float64 {
	x, src := make([]float64, n), random.New(11, "signals: source")
	for i := range x {
		if i == 0 || src.IntN(stepLength) == 0 {
			x[i] = src.Normal()
			continue
		}
		x[i] = x[i-1]
	}
	return x
}

func longSine(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i], _ = portable.Sincos(2 * math.Pi * math.Mod(float64(i)/sinePeriod, 1))
	}
	return x
}

// shannonBound is D/σ² = 2^(−2R), of independent Gaussian samples.
func shannonBound(rate float64) float64 { return token.ReverseWaterFilling([]float64{1}, rate)[0] }

// arBound is that of the correlated source: reverse water-filling of its spectrum,
// (1−ρ²)/(1 − 2ρ·cos ω + ρ²).
func arBound() func(rate float64) float64 {
	const frequencies = 2048
	spectrum := make([]float64, frequencies)
	for k := range spectrum {
		_, cos := portable.Sincos(math.Pi * (float64(k) + 0.5) / frequencies)
		spectrum[k] = (1 - arCoefficient*arCoefficient) / (1 + arCoefficient*arCoefficient - 2*arCoefficient*cos)
	}
	return func(rate float64) float64 {
		sum := 0.0
		for _, d := range token.ReverseWaterFilling(spectrum, rate*frequencies) {
			sum += d / frequencies
		}
		return sum
	}
}
