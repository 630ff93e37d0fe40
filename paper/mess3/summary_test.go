package mess3

import (
	"math"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		sorted []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 9}, 2}, {[]float64{1, 2, 4, 9}, 3}} {
		if got := median(test.sorted); got != test.want {
			t.Errorf("median of %v is %v", test.sorted, got)
		}
	}
}

func TestSummarise(t *testing.T) {
	if got, want := summarise([]float64{-9, 1, -2, 4}, math.Abs), (summary{1, 3, 9}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
