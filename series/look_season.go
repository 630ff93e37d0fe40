package series

import (
	"context"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Season is a number of values after which a series repeats.
type Season struct {
	Period int `json:"period"` // in values
	// Name is the period in time, such as "12 months", or "about 11 years" if it is not
	// steady.
	Name string `json:"name"`
	// Correlation is the autocorrelation of the series without its line, at the period.
	Correlation float64 `json:"correlation"`
	// Threshold is what the correlation must exceed to be found.
	Threshold float64 `json:"threshold"`
	// Steady says that at the double, triple and fourfold period, up to half of the length,
	// values are as much alike as after one period, up to 30 %: the seasons keep their
	// time. It is false if there are fewer than four seasons.
	Steady bool `json:"steady"`
	// Given says that the caller gave the period.
	Given bool `json:"given"`
}

// Bounds of the search for a season.
const (
	mostLags   = 1 << 20
	falseAlarm = 0.05 // on white noise
)

// lookForSeason sets the season that is given, or is found.
func (f *Facts) lookForSeason(ctx context.Context, s *Series, given int) error {
	n := len(s.Values)
	if given == 1 || n < 8 {
		return nil
	}
	rest := withoutLine(s.Values)
	if isFlat(rest, max(math.Abs(f.Min), math.Abs(f.Max))) {
		return nil
	}
	r, err := autocorrelations(ctx, rest, min(n/2, mostLags))
	if err != nil {
		return err
	}
	present := float64(n - f.Missing)
	season := Season{Given: given != 0}
	season.Period, season.Threshold = findSeason(r[:min(len(r), n/3+2)], present, given)
	if season.Period == 0 {
		return nil
	}
	season.Steady = isSteady(rest, season.Period)
	if !season.Steady && !season.Given {
		season.Period = refined(rest, season.Period)
	}
	if season.Period < len(r) {
		season.Correlation = r[season.Period]
	}
	season.Name = s.named(season.Period, !season.Steady && !season.Given)
	f.Season = &season
	return nil
}

// findSeason returns the season and its threshold, by the rule of [Look]; r are the
// autocorrelations from lag 0, of a number of values that are present. If a season is
// given, it returns the threshold for it. 0 means no season.
func findSeason(r []float64, present float64, given int) (period int, threshold float64) {
	z := distuv.UnitNormal.Quantile(1 - falseAlarm/float64(len(r)))
	thresholds := make([]float64, len(r))
	squares, crossed := 0.0, false
	var found []int
	best := 0
	for k := 1; k+1 < len(r); k++ {
		thresholds[k] = z * math.Sqrt((1+2*squares)/present)
		squares += r[k] * r[k]
		crossed = crossed || r[k] <= 0
		if !crossed || r[k] < r[k-1] || r[k] <= r[k+1] || r[k] <= thresholds[k] {
			continue
		}
		found = append(found, k)
		if best == 0 || r[k] > r[best] {
			best = k
		}
	}
	if given != 0 {
		return given, thresholds[min(given, len(r)-1)]
	}
	for _, k := range found {
		ratio := float64(best) / float64(k)
		whole := math.Abs(ratio-math.Round(ratio)) < 0.05
		if whole && r[k] >= r[best]-2/math.Sqrt(present) {
			return k, thresholds[k]
		}
	}
	return 0, 0
}

// isSteady reports whether values are alike at multiples of a period, see
// [Season.Steady]. The period may be off by half a value.
func isSteady(values []float64, period int) bool {
	once := alike(values, period)
	for m := 2; m <= 4; m++ {
		highest := math.Inf(-1)
		for k := m*period - m/2; k <= min(m*period+m/2, len(values)/2); k++ {
			highest = max(highest, alike(values, k))
		}
		if m > 2 && math.IsInf(highest, -1) {
			return true
		}
		if highest < 0.7*once {
			return false
		}
	}
	return true
}

// alike returns the correlation of the values with those k later, each divided by the
// deviation of its part, so that a growing amplitude does not lower it.
func alike(values []float64, k int) float64 {
	var products, early, late float64
	for i, x := range values[k:] {
		if y := values[i]; !math.IsNaN(x) && !math.IsNaN(y) {
			products += x * y
			early += y * y
			late += x * x
		}
	}
	if products == 0 {
		return 0
	}
	return products / math.Sqrt(early*late)
}

// refined returns the period, within a sixth of one, of the sinusoid that fits best: over
// all cycles, not only from one to the next.
func refined(values []float64, period int) int {
	best, highest := period, 0.0
	reach := period / 6
	for k := period - reach; k <= period+reach; k += 1 + reach/30 {
		turn, wave, sum := cmplx.Rect(1, 2*math.Pi/float64(k)), complex(1, 0), complex(0, 0)
		for i, x := range values {
			if i%k == 0 {
				wave = 1 // so that rounding errors do not grow
			}
			if !math.IsNaN(x) {
				sum += complex(x, 0) * wave
			}
			wave *= turn
		}
		if power := cmplx.Abs(sum); power > highest {
			best, highest = k, power
		}
	}
	return best
}

// isFlat reports whether values are only the rounding errors of numbers as large as size.
func isFlat(values []float64, size float64) bool {
	for _, x := range values {
		if math.Abs(x) > 1e-12*size {
			return false
		}
	}
	return true
}

// withoutLine returns values minus the line that least squares fit to them; missing
// values stay NaN.
func withoutLine(values []float64) []float64 {
	var n, meanT, meanX, tt, tx float64
	for i, x := range values {
		if math.IsNaN(x) {
			continue
		}
		n++
		dt, dx := float64(i)-meanT, x-meanX
		meanT += dt / n
		meanX += dx / n
		tt += dt * (float64(i) - meanT)
		tx += dt * (x - meanX)
	}
	slope := 0.0
	if tt > 0 {
		slope = tx / tt
	}
	rest := make([]float64, len(values))
	for i, x := range values {
		rest[i] = x - meanX - slope*(float64(i)-meanT)
	}
	return rest
}

// autocorrelations returns the autocorrelations of values with mean 0 at lags 0 to lags:
// the mean product of the pairs that are present, times 1 − lag/n, divided by the value
// at lag 0.
func autocorrelations(ctx context.Context, values []float64, lags int) ([]float64, error) {
	n, zeroed := float64(len(values)), values
	var present []float64
	if slices.ContainsFunc(values, math.IsNaN) {
		zeroed, present = slices.Clone(values), make([]float64, len(values))
		for i, x := range values {
			present[i] = 1
			if math.IsNaN(x) {
				zeroed[i], present[i] = 0, 0
			}
		}
	}
	r, err := lagged(ctx, zeroed, lags, 4*mostLags)
	if err != nil {
		return nil, err
	}
	if present != nil {
		pairs, err := lagged(ctx, present, lags, 4*mostLags)
		if err != nil {
			return nil, err
		}
		for k := range r {
			r[k] *= (n - float64(k)) / max(1, pairs[k])
		}
	}
	for k := lags; k >= 0; k-- {
		r[k] /= r[0]
	}
	return r, nil
}

// lagged returns the sums of x[i]·x[i+k] for k = 0 … lags, by Fourier transforms of at
// most a number of values that is larger than lags.
func lagged(ctx context.Context, x []float64, lags, most int) ([]float64, error) {
	size := 1
	for size < min(len(x)+lags, most) {
		size *= 2
	}
	fft, block := fourier.NewFFT(size), size-lags
	padded := make([]float64, size)
	a, b, sum := make([]complex128, size/2+1), make([]complex128, size/2+1), make([]complex128, size/2+1)
	for begin := 0; begin < len(x); begin += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(padded)
		copy(padded[:block], x[begin:])
		fft.Coefficients(a, padded)
		copy(padded, x[begin:])
		fft.Coefficients(b, padded)
		for i := range sum {
			sum[i] += complex(real(a[i]), -imag(a[i])) * b[i]
		}
	}
	fft.Sequence(padded, sum)
	sums := padded[:lags+1]
	for k := range sums {
		sums[k] /= float64(size)
	}
	return sums, nil
}
