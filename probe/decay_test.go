package probe

import (
	"math"
	"testing"

	"foretell/internal/random"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
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
		if math.Abs(got.Slope-slope) > 1e-12 || got.Pairs != n*(n-1)/2 || got.Skipped != 0 {
			t.Errorf("%+v, want slope %g", got, slope)
		}
		if n > 3 && !(got.SlopeError < 1e-12) {
			t.Errorf("error %g of an exact line", got.SlopeError)
		}
	})
}

// With noise and gaps the slope and its error are those of least squares with an
// indicator column for each source, by the normal equations; the pooled slope is
// gonum's simple regression.
func TestFitDecayAgainstNormalEquations(t *testing.T) {
	const n = 9
	a := pattern(n, math.Log(0.55), 0.3, func(s int) float64 { return 0.2 * float64(s*s%5) })
	a[3*n+1], a[7*n+0] = 0, -1
	var x, y []float64
	design := []float64{}
	for d := range n {
		for s := range d {
			if a[d*n+s] <= 0 {
				continue
			}
			row := make([]float64, n) // the distance, and an indicator for each of the n − 1 sources
			row[0], row[1+s] = float64(d-s), 1
			design = append(design, row...)
			x, y = append(x, float64(d-s)), append(y, math.Log(a[d*n+s]))
		}
	}
	got := FitDecay(a, n)
	if got.Pairs != len(y) || got.Pairs != n*(n-1)/2-2 || got.Skipped != 2 {
		t.Errorf("%d pairs, %d skipped", got.Pairs, got.Skipped)
	}
	slope, standardError := solveNormal(design, y, n)
	wantClose(t, "slope and its error", []float64{got.Slope, got.SlopeError}, []float64{slope, standardError}, 1e-11)

	_, pooled := stat.LinearRegression(x, y, nil, false)
	design = design[:0]
	for _, m := range x {
		design = append(design, m, 1)
	}
	_, standardError = solveNormal(design, y, 2)
	wantClose(t, "pooled slope and its error", []float64{got.Pooled, got.PooledError}, []float64{pooled, standardError}, 1e-11)
	if math.Abs(got.Slope-math.Log(0.55)) > 4*got.SlopeError {
		t.Errorf("slope %g ± %g is far from %g, which made the pattern", got.Slope, got.SlopeError, math.Log(0.55))
	}
}

// solveNormal returns the first coefficient of least squares on a design with k
// columns, and its standard error.
func solveNormal(design, y []float64, k int) (coefficient, standardError float64) {
	x := mat.NewDense(len(y), k, design)
	var gram, inverse, coef, residual mat.Dense
	gram.Mul(x.T(), x)
	if err := inverse.Inverse(&gram); err != nil {
		panic(err)
	}
	target := mat.NewDense(len(y), 1, y)
	coef.Mul(x.T(), target)
	coef.Mul(&inverse, mat.DenseCopyOf(&coef))
	residual.Mul(x, &coef)
	residual.Sub(target, &residual)
	norm := mat.Norm(&residual, 2)
	return coef.At(0, 0), math.Sqrt(norm * norm / float64(len(y)-k) * inverse.At(0, 0))
}

func TestFitDecayOfNothing(t *testing.T) {
	for _, n := range []int{1, 2} { // no pair, and one
		got := FitDecay(pattern(n, -1, 0, func(int) float64 { return 0 }), n)
		if !math.IsNaN(got.Slope) || !math.IsNaN(got.SlopeError) || !math.IsNaN(got.Pooled) || got.Pairs != n-1 {
			t.Errorf("%d positions: %+v", n, got)
		}
	}
	got := FitDecay(make([]float64, 16), 4)
	if !math.IsNaN(got.Slope) || got.Pairs != 0 || got.Skipped != 6 {
		t.Errorf("of zeros: %+v", got)
	}
	wantPanic(t, "shape", func() { FitDecay(make([]float64, 5), 2) })
}
