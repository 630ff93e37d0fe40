package series

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// testedValues is the number of latest values of the autocorrelation, which bounds its
// time.
const testedValues = 100_000

// Theta is the theta method of Assimakopoulos & Nikolopoulos 2000, as in R's thetaf:
// simple exponential smoothing with a drift of half the trend's slope. If the
// autocorrelation at one season is significant (one-sided, 5 %), the season is removed by
// the classical multiplicative decomposition and multiplied back. Unlike R, it keeps the
// season if a value is negative, because factors then mean nothing. Forecasts are normal,
// with the variance of simple exponential smoothing.
//
// The autocorrelation is computed from the latest 100,000 values, and the smoothing is
// fitted on the latest 4,000. The trend and the season are fitted on all values. A
// missing value has no part in the sums, and moves the level by its expectation.
type Theta struct{}

// Name returns "theta".
func (Theta) Name() string { return "theta" }

// Fit returns an error if too few values are present.
func (f Theta) Fit(_ context.Context, past Past) (Model, error) {
	m := &theta{figure: []float64{1}}
	values := past.Values
	recent := values[max(0, len(values)-testedValues):]
	if !hasNegative(values) && seasonalAutocorrelation(recent, past.Season) {
		figure := seasonalFigure(values, past.Season, true)
		if slices.Min(figure) >= 1e-4 {
			m.figure = figure
			values = deseasonal(values, figure, true)
		}
	}
	smoothed := values[max(0, len(values)-smoothedValues):]
	ses, _ := fitSmoothing(smoothed, smoothingForm{'A', 'N', 'N', 1})
	if ses == nil {
		return nil, fmt.Errorf("%s: %d values do not suffice", f.Name(), len(smoothed))
	}
	_, slope := line(values)
	m.ses, m.drift, m.n, m.place = ses, slope/2, float64(len(values)), len(values)%len(m.figure)
	return m, nil
}

// theta is a fitted theta method and its state.
type theta struct {
	ses    *smoothing
	drift  float64   // of each step
	n      float64   // values so far
	figure []float64 // factors of the season by place
	place  int       // place of the next value
}

func (m *theta) Name() string { return "theta" }

func (m *theta) Observe(x float64) {
	m.ses.Observe(x / m.figure[m.place])
	m.place = (m.place + 1) % len(m.figure)
	m.n++
}

// Forecast adds drift·(k + (1 − (1 − α)ⁿ)/α) to the level k+1 steps ahead (Hyndman &
// Billah 2003, Unmasking the theta method).
func (m *theta) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	gap := float64(m.ses.gap)
	lag := (1 - math.Pow(1-m.ses.alpha, m.n-gap)) / m.ses.alpha
	for k := range all {
		factor := m.figure[(m.place+k)%len(m.figure)]
		steps := gap + float64(k)
		mean := m.ses.state.level + m.drift*(steps+lag)
		all[k] = Normal{factor * mean, factor * m.ses.sigma * math.Sqrt(1+steps*m.ses.alpha*m.ses.alpha)}
	}
	return all
}

func hasNegative(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v < 0 })
}

// seasonalAutocorrelation reports whether the autocorrelation at one season is above the
// 95 % quantile of its distribution under Bartlett's formula.
func seasonalAutocorrelation(values []float64, season int) bool {
	if season < 2 || len(values) <= 2*season {
		return false
	}
	r := lagCorrelations(values, season)
	sum := 0.0
	for _, v := range r[1:season] {
		sum += v * v
	}
	return math.Abs(r[season]) > Normal{0, 1}.Quantile(0.95)*math.Sqrt((1+2*sum)/float64(len(values)))
}

// lagCorrelations returns the autocorrelations at lags 0 to most. Products with a
// missing value are left out.
func lagCorrelations(values []float64, most int) []float64 {
	mean, _ := momentsOf(values)
	r := make([]float64, most+1)
	for lag := range r {
		for t := lag; t < len(values); t++ {
			if p := (values[t] - mean) * (values[t-lag] - mean); p == p {
				r[lag] += p
			}
		}
	}
	for lag := most; lag >= 0; lag-- {
		r[lag] /= r[0]
	}
	return r
}

// seasonalFigure returns the season of the classical decomposition by place, as R's
// decompose: the mean over seasons of the values divided by (or minus) their centred
// moving average, with a mean of 1 (or 0). A place without such values has 1 (or 0).
func seasonalFigure(values []float64, season int, multiplicative bool) []float64 {
	figure, counts := make([]float64, season), make([]float64, season)
	half := season / 2
	for t := half; t+half < len(values); t++ {
		window := values[t-half : t+half+1]
		sum := 0.0
		for _, v := range window {
			sum += v
		}
		if season%2 == 0 {
			sum -= (window[0] + window[season]) / 2
		}
		detrended := values[t] - sum/float64(season)
		if multiplicative {
			detrended = values[t] * float64(season) / sum
		}
		if !math.IsNaN(detrended) && !math.IsInf(detrended, 0) {
			figure[t%season] += detrended
			counts[t%season]++
		}
	}
	neutral := indicator(multiplicative)
	for i := range figure {
		figure[i] /= counts[i]
		if counts[i] == 0 {
			figure[i] = neutral
		}
	}
	mean, _ := momentsOf(figure)
	for i := range figure {
		if multiplicative {
			figure[i] /= mean
		} else {
			figure[i] -= mean
		}
	}
	return figure
}

// deseasonal returns the values divided by the season's factors, or minus its terms.
func deseasonal(values, figure []float64, multiplicative bool) []float64 {
	adjusted := make([]float64, len(values))
	for t, v := range values {
		if multiplicative {
			adjusted[t] = v / figure[t%len(figure)]
		} else {
			adjusted[t] = v - figure[t%len(figure)]
		}
	}
	return adjusted
}

// line returns the least-squares line through the values that are present, at times 0, 1,
// …: its value at time 0 and its slope.
func line(values []float64) (level, slope float64) {
	n, meanTime := 0.0, 0.0
	for t, v := range values {
		if !math.IsNaN(v) {
			n++
			meanTime += (float64(t) - meanTime) / n
		}
	}
	mean, _ := momentsOf(values)
	product, square := 0.0, 0.0
	for t, v := range values {
		if !math.IsNaN(v) {
			product += (float64(t) - meanTime) * (v - mean)
			square += (float64(t) - meanTime) * (float64(t) - meanTime)
		}
	}
	if square > 0 {
		slope = product / square
	}
	return mean - slope*meanTime, slope
}
