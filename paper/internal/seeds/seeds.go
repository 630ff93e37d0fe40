// Package seeds summarises a quantity measured for several random seeds: as text (mean
// and standard deviation), in figures (mean and range), and as a verdict (confidence
// interval).
package seeds

import (
	"fmt"
	"slices"

	"foretell/document"
	"foretell/figure"

	"gonum.org/v1/gonum/stat"
)

// Mean returns the mean over seeds.
func Mean(bySeed []float64) float64 { return stat.Mean(bySeed, nil) }

// StdDev returns the sample standard deviation over seeds, and NaN for a single seed.
func StdDev(bySeed []float64) float64 { return stat.StdDev(bySeed, nil) }

// Median returns the median of sorted numbers: the mean of the two in the middle if their
// number is even, whereas gonum's quantiles return one of them.
func Median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Spread returns the mean and the standard deviation over seeds as a cell of a table.
func Spread(bySeed []float64) document.Spread {
	return document.Spread{Mean: Mean(bySeed), Deviation: StdDev(bySeed)}
}

// Text returns “mean ± standard deviation”, or the number alone for a single seed. The
// format, such as %.3f, is applied to each number.
func Text(format string, bySeed []float64) string {
	if len(bySeed) == 1 {
		return fmt.Sprintf(format, bySeed[0])
	}
	return fmt.Sprintf(format+" ± "+format, Mean(bySeed), StdDev(bySeed))
}

// AddPoint adds a point at x to a series, which shows the mean and the range over seeds.
func AddPoint(series *figure.Series, x float64, bySeed []float64) {
	series.AddInterval(x, Mean(bySeed), slices.Min(bySeed), slices.Max(bySeed))
}

// Dot returns the series with one more dot, which shows the mean and the range over
// seeds. The range includes the mean, which can differ from equal values by rounding.
func Dot(d figure.DotSeries, bySeed []float64) figure.DotSeries {
	mean := Mean(bySeed)
	d.X = append(d.X, mean)
	d.Lo = append(d.Lo, min(mean, slices.Min(bySeed)))
	d.Hi = append(d.Hi, max(mean, slices.Max(bySeed)))
	return d
}

// Bar returns the series with one more bar, which shows the mean and the range over
// seeds.
func Bar(b figure.BarSeries, bySeed []float64) figure.BarSeries {
	b.Y = append(b.Y, Mean(bySeed))
	b.Lo = append(b.Lo, slices.Min(bySeed))
	b.Hi = append(b.Hi, slices.Max(bySeed))
	return b
}
