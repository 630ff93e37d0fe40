package signals

import (
	"math"

	"foretell/internal/portable"
	"foretell/internal/random"
	"foretell/token"
)

// arCoefficient is the ρ of the correlated source x[n+1] = ρ·x[n] + √(1−ρ²)·w[n], where w
// is standard normal. The source has variance 1.
const arCoefficient = 0.9

// sinePeriod is the period of the sine, chosen so that samples do not repeat. With the
// lecture's period of 16 there would be only 9 values, and 9 levels would have no error.
const sinePeriod = 16.4852

// source is a signal to quantise, with samples to fit on and samples to measure on.
type source struct {
	name        string
	train, held []float64
	variance    float64 // variance of held; the true variance if it is known
	// bound returns Shannon's bound, the least distortion at a rate in bits a sample, as a
	// share of the variance. It is nil for signals that are not Gaussian.
	bound func(rate float64) float64
}

// The names of the sources, in order.
const (
	gaussianSource = "Gaussian, i.i.d."
	arSource       = "AR(1), ρ = 0.9"
	sineSource     = "sine"
	glassSource    = "Mackey–Glass"
	stepSource     = "steps"
)

// sources returns the signals of S10, with the given number of samples to fit on and the
// same number to measure on.
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

// newSource splits the samples x into two halves: to fit on, and to measure on. If the
// variance given is 0, it is measured.
func newSource(name string, x []float64, variance float64, bound func(rate float64) float64) source {
	s := source{name, x[:len(x)/2], x[len(x)/2:], variance, bound}
	if variance == 0 {
		s.variance = meanSquare(s.held)
	}
	return s
}

// distortion returns the mean squared error of decoded samples of the source, as a share
// of its variance.
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

// autoregression returns n samples of x[n+1] = ρ·x[n] + √(1−ρ²)·w[n]. The first sample
// has the stationary distribution. If ρ is 0, the samples are independent.
func autoregression(rho float64, n int) []float64 {
	x, src := make([]float64, n), random.New(10, "signals: source")
	x[0] = src.Normal()
	for i := 1; i < n; i++ {
		x[i] = float64(rho*x[i-1]) + float64(math.Sqrt(1-rho*rho)*src.Normal())
	}
	return x
}

// stepLength is the mean number of samples for which the step signal holds a level.
const stepLength = 64

// steps returns a signal that changes only at a few time points: it holds a normally
// distributed level for a geometrically distributed time.
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

// longSine returns n samples of the sine.
func longSine(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i], _ = portable.Sincos(2 * math.Pi * math.Mod(float64(i)/sinePeriod, 1))
	}
	return x
}

// shannonBound returns D/σ² = 2^(−2R), the bound for independent Gaussian samples.
func shannonBound(rate float64) float64 { return token.ReverseWaterFilling([]float64{1}, rate)[0] }

// arBound returns the bound for the correlated source, by reverse water-filling of its
// spectrum (1−ρ²)/(1 − 2ρ·cos ω + ρ²).
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
