package mess3

import (
	"math"
	"testing"
)

func TestSummarise(t *testing.T) {
	if got, want := summarise([]float64{-9, 1, -2, 4}, math.Abs), (summary{1, 3, 9}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
