package mess3

import "testing"

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

func TestCosine(t *testing.T) {
	for _, test := range []struct {
		a, b [2]float64
		want float64
	}{{[2]float64{3, 4}, [2]float64{3, 4}, 1}, {[2]float64{1, 0}, [2]float64{0, 2}, 0}, {[2]float64{0, 2}, [2]float64{0, -1}, -1}} {
		if got := cosine(test.a, test.b); got != test.want {
			t.Errorf("cosine of %v and %v is %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
