package probe

import (
	"math"
	"testing"

	"foretell/internal/random"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// pattern returns a (T, T) pattern with log A[d][s] = intercept(s) + slope·(d−s) +
// noise·ε.
func pattern(t int, slope, noise float64, intercept func(s int) float64) []float64 {
	stream := random.New(1, "probe/decay")
	a := make([]float64, t*t)
	for d := range t {
		for s := 0; s <= d; s++ {
			a[d*t+s] = math.Exp(intercept(s) + slope*float64(d-s) + noise*stream.Normal())
		}
	}
	return a
}

// Eq. 13 exactly: the slope is log ζ for each source, with whatever factor, and the
// diagonal plays no part.
func TestFitDecayRecovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 20).Draw(t, "T")
		slope := rapid.Float64Range(-3, 1).Draw(t, "slope")
		a := pattern(n, slope, 0, func(s int) float64 { return math.Sin(float64(7 * s)) })
		for i := range n {
			a[i*n+i] = 0
		}
		got := FitDecay(a, n)
		if math.Abs(got-slope) > 1e-12 {
			t.Errorf("slope %g, want %g", got, slope)
		}
	})
}

// With noise and gaps the slope is that of least squares with an indicator column for
// each source, by the normal equations.
func TestFitDecayAgainstNormalEquations(t *testing.T) {
	const n = 9
	a := pattern(n, math.Log(0.55), 0.3, func(s int) float64 { return 0.2 * float64(s*s%5) })
	a[3*n+1], a[7*n+0] = 0, -1
	var y []float64
	design := []float64{}
	for d := range n {
		for s := range d {
			if a[d*n+s] <= 0 {
				continue
			}
			row := make([]float64, n) // the distance, and an indicator for each of the n − 1 sources
			row[0], row[1+s] = float64(d-s), 1
			design = append(design, row...)
			y = append(y, math.Log(a[d*n+s]))
		}
	}
	wantClose(t, "slope", []float64{FitDecay(a, n)}, []float64{solveNormal(design, y, n)}, 1e-11)
}

// solveNormal returns the first coefficient of least squares on a design with k columns.
func solveNormal(design, y []float64, k int) float64 {
	x := mat.NewDense(len(y), k, design)
	var gram, inverse, coef mat.Dense
	gram.Mul(x.T(), x)
	if err := inverse.Inverse(&gram); err != nil {
		panic(err)
	}
	target := mat.NewDense(len(y), 1, y)
	coef.Mul(x.T(), target)
	coef.Mul(&inverse, mat.DenseCopyOf(&coef))
	return coef.At(0, 0)
}

func TestFitDecayOfNothing(t *testing.T) {
	for _, n := range []int{1, 2} { // no pair, and one
		if got := FitDecay(pattern(n, -1, 0, func(int) float64 { return 0 }), n); !math.IsNaN(got) {
			t.Errorf("%d positions: %g", n, got)
		}
	}
	if got := FitDecay(make([]float64, 16), 4); !math.IsNaN(got) {
		t.Errorf("of zeros: %g", got)
	}
	wantPanic(t, "shape", func() { FitDecay(make([]float64, 5), 2) })
}
