package seeds

import (
	"fmt"
	"math"
	"testing"

	"foretell/figure"
)

func TestText(t *testing.T) {
	for _, test := range []struct {
		bySeed []float64
		want   string
	}{
		{[]float64{1, 2, 3}, "2.00 ± 1.00"},
		{[]float64{0.5, 0.5}, "0.50 ± 0.00"},
		{[]float64{7}, "7.00"}, // one seed has no deviation
	} {
		if got := Text("%.2f", test.bySeed); got != test.want {
			t.Errorf("%v: %s, want %s", test.bySeed, got, test.want)
		}
	}
}

func TestStdDev(t *testing.T) {
	// That of a sample: divided by one less than their number.
	if got, want := StdDev([]float64{1, 3}), math.Sqrt2; math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Points and bars stand at the mean and reach over the range.
func TestPointAndBar(t *testing.T) {
	var series figure.Series
	var bars figure.BarSeries
	for i, bySeed := range [][]float64{{1, 6, 2}, {4}} {
		AddPoint(&series, float64(i), bySeed)
		bars = Bar(bars, bySeed)
	}
	if got, want := fmt.Sprint(series.X, series.Y, series.Lo, series.Hi), "[0 1] [3 4] [1 4] [6 4]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprint(bars.Y, bars.Lo, bars.Hi), "[3 4] [1 4] [6 4]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		sorted []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 9}, 2}, {[]float64{1, 2, 4, 9}, 3}} {
		if got := Median(test.sorted); got != test.want {
			t.Errorf("median of %v is %v", test.sorted, got)
		}
	}
}
