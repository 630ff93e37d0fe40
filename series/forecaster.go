package series

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A Past is what a forecaster may learn from: everything before the values that it
// forecasts.
type Past struct {
	// Values are the observations, in the unit of the data and the order of time. NaN is
	// a missing one.
	Values []float64
	// Season is the number of values in a season, 0 or 1 if there is no season.
	Season int
	// Cells are the cells of the quantiser that was fitted on Values. A forecaster of
	// symbols forecasts the symbols of these cells.
	Cells *Cells
}

// A Forecaster can be fitted on the past of a series.
type Forecaster interface {
	// Name is the name of the method, such as "AR". It does not depend on data, and differs
	// from the names of the forecasters that it is compared with.
	Name() string
	// Fit returns the fitted model, in the state after the last value of the past. It
	// returns an error if the past does not suffice, or if the context ends. It keeps no
	// reference to the values.
	Fit(ctx context.Context, past Past) (Model, error)
}

// A Model is a fitted forecaster. Its parameters are fixed. Its state changes with each
// observation.
type Model interface {
	// Name is the name with what was chosen by the fit, such as "AR(24)".
	Name() string
	// Observe gives the model the next value; NaN if it is missing.
	Observe(x float64)
	// Forecast returns the predictive distributions of the next h ≥ 1 values: element k is
	// about the value k+1 steps ahead. An element is nil if the model has no forecast for
	// it. The state does not change.
	Forecast(h int) []Distribution
}

// A Distribution is the forecast of one value, in the unit of the data.
type Distribution interface {
	// Mean returns the expectation.
	Mean() float64
	// CDF returns the probability of a value of at most x.
	CDF(x float64) float64
	// Quantile returns the smallest x with CDF(x) ≥ p, for p in (0, 1).
	Quantile(p float64) float64
	// CRPS returns the continuous ranked probability score if x is observed,
	// ∫ (CDF(y) − [x ≤ y])² dy, in the unit of the data. Less is better. For a
	// distribution that has all its mass at one point it is the absolute error.
	CRPS(x float64) float64
}

// Normal is the normal distribution; with a deviation of 0 it has all its mass at Mu.
type Normal struct {
	// Mu is the mean, Sigma ≥ 0 the standard deviation.
	Mu, Sigma float64
}

// Mean returns Mu.
func (d Normal) Mean() float64 { return d.Mu }

// CDF returns Φ((x − Mu)/Sigma).
func (d Normal) CDF(x float64) float64 {
	if d.Sigma == 0 {
		return indicator(x >= d.Mu)
	}
	return math.Erfc((d.Mu-x)/(d.Sigma*math.Sqrt2)) / 2
}

// Quantile returns the inverse of CDF.
func (d Normal) Quantile(p float64) float64 {
	return d.Mu - d.Sigma*math.Sqrt2*math.Erfcinv(2*p)
}

// CRPS returns the closed form of Gneiting & Raftery 2007, Section 4.2, with the sign
// reversed.
func (d Normal) CRPS(x float64) float64 {
	if d.Sigma == 0 {
		return math.Abs(x - d.Mu)
	}
	z := (x - d.Mu) / d.Sigma
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return d.Sigma * (z*math.Erf(z/math.Sqrt2) + 2*density - 1/math.Sqrt(math.Pi))
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Empirical is the distribution of a sample: each of its values has the same probability.
type Empirical struct {
	sorted []float64
	sums   []float64 // sums[k] is the sum of the k smallest values
	spread float64   // half the mean difference of two values
}

// NewEmpirical returns the distribution of the values that are not NaN, which it copies.
// It returns an error if all are missing.
func NewEmpirical(values []float64) (*Empirical, error) {
	sorted := withoutMissing(values)
	if len(sorted) == 0 {
		return nil, fmt.Errorf("empirical distribution: no values were given")
	}
	slices.Sort(sorted)
	d := &Empirical{sorted: sorted, sums: make([]float64, len(sorted)+1)}
	n := float64(len(sorted))
	for i, v := range sorted {
		d.sums[i+1] = d.sums[i] + v
		d.spread += (2*float64(i) + 1 - n) * (v - sorted[0]) / (n * n)
	}
	return d, nil
}

// Mean returns the mean of the sample.
func (d *Empirical) Mean() float64 { return d.sums[len(d.sorted)] / float64(len(d.sorted)) }

// count returns the number of values of at most x.
func (d *Empirical) count(x float64) int {
	k, _ := slices.BinarySearchFunc(d.sorted, x, func(v, x float64) int {
		if v <= x {
			return -1
		}
		return 1
	})
	return k
}

// CDF returns the share of the values that are at most x.
func (d *Empirical) CDF(x float64) float64 { return float64(d.count(x)) / float64(len(d.sorted)) }

// Quantile returns the smallest value with at least a share p of the sample at or below
// it.
func (d *Empirical) Quantile(p float64) float64 {
	k := int(math.Ceil(p*float64(len(d.sorted)))) - 1
	return d.sorted[min(max(k, 0), len(d.sorted)-1)]
}

// CRPS returns E|X − x| − E|X − X′|/2 for two independent draws X and X′ (Gneiting &
// Raftery 2007, Eq. 21).
func (d *Empirical) CRPS(x float64) float64 {
	n, k := len(d.sorted), d.count(x)
	distance := (float64(2*k-n)*x + d.sums[n] - 2*d.sums[k]) / float64(n)
	return distance - d.spread
}

// withoutMissing returns a copy of the values without those that are missing.
func withoutMissing(values []float64) []float64 {
	kept := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// momentsOf returns the mean of the values that are present and the root of their
// mean squared distance from it.
func momentsOf(values []float64) (mean, deviation float64) {
	n := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			n++
			mean += (v - mean) / n
		}
	}
	for _, v := range values {
		if !math.IsNaN(v) {
			deviation += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(deviation / n)
}
