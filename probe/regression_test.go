package probe

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/internal/random"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func regress(t testing.TB, x, y Table, weights []float64, folds Folds) *Regression {
	t.Helper()
	r, err := Regress(x, y, weights, folds)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sum returns a + f·b.
func sum(a Table, f float64, b Table) Table {
	c := Table{Data: make([]float64, len(a.Data)), Width: a.Width}
	for i := range c.Data {
		c.Data[i] = a.Data[i] + f*b.Data[i]
	}
	return c
}

// leastSquares is the reference: coefficients and intercept, the latter in the last
// row, of the weighted rows by a QR decomposition of the rows themselves.
func leastSquares(x, y Table, weights []float64) Table {
	a := mat.NewDense(x.Rows(), x.Width+1, nil)
	b := mat.NewDense(y.Rows(), y.Width, nil)
	for i, w := range weights {
		root := math.Sqrt(w)
		for j, v := range x.Row(i) {
			a.Set(i, j, root*v)
		}
		a.Set(i, x.Width, root)
		for j, v := range y.Row(i) {
			b.Set(i, j, root*v)
		}
	}
	var solution mat.Dense
	if err := solution.Solve(a, b); err != nil {
		panic(err)
	}
	return Table{Data: solution.RawMatrix().Data, Width: y.Width}
}

// randomWeights returns n weights that differ by orders of magnitude, as those of
// prefixes do.
func randomWeights(seed uint64, n int) []float64 {
	s := random.New(seed, "probe/weights")
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = math.Exp(3 * s.Normal())
	}
	return weights
}

// Noiseless linear data give back their coefficients.
func TestRegressRecovers(t *testing.T) {
	const n, d, k = 1000, 7, 3
	x := offset(times(normals(1, n, d), normals(2, d, d)), 10)
	coef := normals(3, d, k)
	y := times(x, coef)
	for i := range y.Data {
		y.Data[i] += float64(i % k) // the intercepts 0, 1, 2
	}
	r := regress(t, x, y, randomWeights(4, n), Folds{})
	wantClose(t, "coefficients", r.Coef.Data, coef.Data, 1e-9)
	wantClose(t, "intercept", r.Intercept, []float64{0, 1, 2}, 1e-8)
	wantClose(t, "predictions", r.Predict(x).Data, y.Data, 1e-11)
	wantClose(t, "held-out predictions", heldOut(r, x).Data, y.Data, 1e-11)
	if r.Rank != d || !(r.HeldOut.R2 > 1-1e-15) || !(r.HeldOut.RMSE < 1e-9) {
		t.Errorf("rank %d, held out %+v", r.Rank, r.HeldOut)
	}
}

// Each held-out prediction is that of a least-squares fit, by QR, to the rows of the
// other folds, and the scores are their definitions.
func TestRegressAgainstQR(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, k := rapid.IntRange(1, 6).Draw(t, "d"), rapid.IntRange(1, 3).Draw(t, "k")
		count := rapid.IntRange(3, 6).Draw(t, "folds")
		n := rapid.IntRange(count*(d+3), 700).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		x := offset(normals(seed, n, d), 2)
		y := sum(times(x, normals(seed+1, d, k)), 0.5, normals(seed+2, n, k))
		weights := make([]float64, n)
		s := random.New(seed, "probe/weights")
		for i := range weights {
			weights[i] = 0.1 + s.Float64()
		}
		r, err := Regress(x, y, weights, Folds{Count: count, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}

		all := leastSquares(x, y, weights)
		wantClose(t, "coefficients", append(r.Coef.Data, r.Intercept...), all.Data, 1e-9)

		predicted := heldOut(r, x)
		sizes := make([]int, count)
		for f := range count {
			others := make([]float64, n)
			for i, w := range weights {
				if r.foldOf(i) != f {
					others[i] = w
				} else {
					sizes[f]++
				}
			}
			fit := leastSquares(x, y, others)
			for i := range n {
				if r.foldOf(i) != f {
					continue
				}
				want := times(Table{Data: append(append([]float64{}, x.Row(i)...), 1), Width: d + 1}, fit)
				wantClose(t, "held-out prediction", predicted.Row(i), want.Data, 1e-8)
			}
			if sizes[f] < n/count || sizes[f] > n/count+1 {
				t.Errorf("folds of %d rows of %d", sizes, n)
			}
		}
		wantScore(t, "held out", r.HeldOut, y, predicted, weights)
		wantScore(t, "in sample", r.InSample, y, r.Predict(x), weights)
		if r.HeldOut.MSE < r.InSample.MSE {
			t.Errorf("held out %g is better than in sample %g", r.HeldOut.MSE, r.InSample.MSE)
		}
	})
}

// foldOf returns the fold that holds row i whole.
func (r *Regression) foldOf(i int) int { return slices.Index(r.shares.Row(i), 1) }

// heldOut returns the prediction of each row by the fit that did not see it.
func heldOut(r *Regression, x Table) Table {
	predicted := Table{Data: make([]float64, x.Rows()*r.Coef.Width), Width: r.Coef.Width}
	for i := range x.Rows() {
		r.folds[r.foldOf(i)].predictor()(predicted.Row(i), x.Row(i))
	}
	return predicted
}

// wantScore checks a score against its definition, a column at a time.
func wantScore(t rapid.TB, what string, got Score, y, predicted Table, weights []float64) {
	t.Helper()
	k := y.Width
	residuals, variances, total := 0.0, 0.0, 0.0
	for _, w := range weights {
		total += w
	}
	for b := range k {
		mean, residual, variance := 0.0, 0.0, 0.0
		for i, w := range weights {
			mean += w * y.Row(i)[b] / total
		}
		for i, w := range weights {
			residual += w * math.Pow(y.Row(i)[b]-predicted.Row(i)[b], 2)
			variance += w * math.Pow(y.Row(i)[b]-mean, 2)
		}
		residuals += residual
		variances += variance
	}
	mse := residuals / total / float64(k)
	wantClose(t, what+" 1 − R²", []float64{1 - got.R2}, []float64{residuals / variances}, 1e-10)
	wantClose(t, what+" MSE", []float64{got.MSE, got.RMSE * got.RMSE}, []float64{mse, mse}, 1e-10)
}

// Activations that span r of d directions have rank r, even with the rounding of
// float32, and predict as well as the r numbers behind them.
func TestRegressRankDeficient(t *testing.T) {
	const n, r, d, k = 2000, 5, 16, 2
	z := normals(1, n, r)
	y := sum(times(z, normals(2, r, k)), 0.1, normals(3, n, k))
	want := regress(t, z, y, nil, Folds{})

	exact := times(z, normals(4, r, d))
	rounded := Table{Data: make([]float64, len(exact.Data)), Width: d}
	for i, v := range exact.Data {
		rounded.Data[i] = float64(float32(v))
	}
	for name, test := range map[string]struct {
		x         Table
		tolerance float64
	}{"float64": {exact, 1e-10}, "float32": {rounded, 1e-5}} {
		got := regress(t, test.x, y, nil, Folds{})
		if got.Rank != r || want.Rank != r {
			t.Errorf("%s: rank %d, want %d", name, got.Rank, r)
		}
		wantClose(t, name+": held-out predictions", heldOut(got, test.x).Data, heldOut(want, z).Data, test.tolerance)
	}

	constant := Table{Data: make([]float64, n), Width: 1}
	got := regress(t, constant, y, nil, Folds{})
	if got.Rank != 0 || got.InSample.R2 != 0 || math.Abs(got.HeldOut.R2) > 1e-2 {
		t.Errorf("a constant has rank %d and R² %g, %g", got.Rank, got.InSample.R2, got.HeldOut.R2)
	}
}

// A rotation of the activations, and a shift, change no prediction.
func TestRegressRotation(t *testing.T) {
	const n, d = 900, 9
	x := times(normals(1, n, d), normals(2, d, d))
	y := sum(times(x, normals(3, d, 2)), 1, normals(4, n, 2))
	weights := randomWeights(5, n)
	want := regress(t, x, y, weights, Folds{Seed: 1})
	rotated := offset(times(x, rotation(6, d)), 4)
	got := regress(t, rotated, y, weights, Folds{Seed: 1})
	wantClose(t, "held-out predictions", heldOut(got, rotated).Data, heldOut(want, x).Data, 1e-9)
	wantClose(t, "predictions", got.Predict(rotated).Data, want.Predict(x).Data, 1e-9)
}

// An integer weight is as many rows (of the fit to all: copies of a row may fall into
// different folds).
func TestRegressWeights(t *testing.T) {
	const n, d = 400, 5
	x := offset(normals(1, n, d), 1)
	y := sum(times(x, normals(2, d, 2)), 1, normals(3, n, 2))
	weights, manyX := integerWeights(x)
	_, manyY := integerWeights(y)
	got, want := regress(t, x, y, weights, Folds{}), regress(t, manyX, manyY, nil, Folds{})
	wantClose(t, "coefficients", got.Coef.Data, want.Coef.Data, 1e-12)
	wantClose(t, "intercept", got.Intercept, want.Intercept, 1e-12)
	wantClose(t, "R²", []float64{got.InSample.R2, got.InSample.MSE}, []float64{want.InSample.R2, want.InSample.MSE}, 1e-12)
}

// The same rows and seed give the same bits, another seed other folds.
func TestRegressIsDeterministic(t *testing.T) {
	x, y := normals(1, 500, 8), normals(2, 500, 2)
	first, second, other := regress(t, x, y, nil, Folds{Seed: 1}), regress(t, x, y, nil, Folds{Seed: 1}), regress(t, x, y, nil, Folds{Seed: 2})
	if fmt.Sprint(first) != fmt.Sprint(second) {
		t.Error("two regressions differ")
	}
	if first.HeldOut.MSE == other.HeldOut.MSE || math.Abs(first.InSample.MSE/other.InSample.MSE-1) > 1e-12 {
		t.Error("the seed changes the fit to all rows, or not the folds")
	}
}

func TestRegressRefuses(t *testing.T) {
	x, y := normals(1, 10, 2), normals(2, 10, 1)
	y.Data[3] = math.NaN()
	if _, err := Regress(x, y, nil, Folds{}); err == nil || err.Error() != "probe: column 0 of y holds numbers that are not finite" {
		t.Errorf("error %v", err)
	}
	y = normals(2, 10, 1)
	wantPanic(t, "rows", func() { _, _ = Regress(x, normals(2, 9, 1), nil, Folds{}) })
	wantPanic(t, "one fold", func() { _, _ = Regress(x, y, nil, Folds{Count: 1}) })
	wantPanic(t, "more folds than rows", func() { _, _ = Regress(x, y, nil, Folds{Count: 11}) })
	r := regress(t, x, y, nil, Folds{})
	wantPanic(t, "width", func() { r.Predict(normals(1, 10, 3)) })
}

// The paper's size: 3¹ + … + 3¹⁰ prefixes, d_model 64, beliefs over three states.
func BenchmarkRegress(b *testing.B) {
	for _, d := range []int{64, 256} {
		const n = 88_572
		x := normals(1, n, d)
		y := sum(times(x, normals(2, d, 3)), 1, normals(3, n, 3))
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			for b.Loop() {
				regress(b, x, y, nil, Folds{})
			}
		})
	}
}

func ExampleRegress() {
	// Activations (4 directions, of which the last repeats the first) and beliefs that
	// are linear in them.
	s := random.New(1, "example")
	var x, y Table
	x.Width, y.Width = 4, 2
	for range 500 {
		a, b, c := s.Normal(), s.Normal(), s.Normal()
		x.Data = append(x.Data, a, b, c, a)
		y.Data = append(y.Data, 0.5+0.1*a-0.2*b, 0.5-0.1*a+0.2*b)
	}
	r, err := Regress(x, y, nil, Folds{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("rank %d, held-out R² %.6f, intercept %.3f\n", r.Rank, r.HeldOut.R2, r.Intercept)
	// Output: rank 3, held-out R² 1.000000, intercept [0.500 0.500]
}

// Several targets at once are regressed as each is alone.
func TestRegressEach(t *testing.T) {
	const n, d = 300, 12
	x := normals(1, n, d)
	exact := times(x, normals(2, d, 2))
	noisy := sum(times(x, normals(3, d, 3)), 5, normals(4, n, 3))
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1 + float64(i%7)
	}
	list, err := RegressEach(x, []Table{exact, noisy}, weights, Folds{Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range []Table{exact, noisy} {
		alone, err := Regress(x, y, weights, Folds{Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		if list[i].Cutoff != alone.Cutoff || list[i].Rank != alone.Rank {
			t.Errorf("target %d: cut-off %g and rank %d, alone %g and %d", i, list[i].Cutoff, list[i].Rank, alone.Cutoff, alone.Rank)
		}
		wantClose(t, "coefficients", list[i].Coef.Data, alone.Coef.Data, 1e-12)
		wantClose(t, "scores", []float64{list[i].InSample.R2, list[i].HeldOut.R2, list[i].HeldOut.MSE}, []float64{alone.InSample.R2, alone.HeldOut.R2, alone.HeldOut.MSE}, 1e-12)
	}
}
