package probe

import (
	"math"
	"testing"

	"foretell/internal/random"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// falls returns a (T, T) pattern of factor(s)·λ^(d−s) + noise·ε + floor for d > s.
func falls(t int, lambda, noise, floor float64, factor func(s int) float64) []float64 {
	stream := random.New(3, "probe/exponential")
	a := make([]float64, t*t)
	for d := range t {
		for s := range d {
			a[d*t+s] = factor(s)*math.Pow(lambda, float64(d-s)) + noise*stream.Normal() + floor
		}
	}
	return a
}

// An exact decay is found exactly, whatever each source's factor and whatever stands at
// the lags and sources that are left out.
func TestFitExponentialRecovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 16).Draw(t, "T")
		lambda := rapid.Float64Range(0.02, 1.9).Draw(t, "lambda")
		lags := Lags{From: rapid.IntRange(1, 2).Draw(t, "from"), To: rapid.IntRange(3, 6).Draw(t, "to"), Without: rapid.IntRange(0, 2).Draw(t, "without")}
		a := falls(n, lambda, 0, 0, func(s int) float64 { return 1.2 + math.Sin(float64(7*s)) })
		pairs := 0
		for d := range n {
			for s := range n {
				if m := d - s; m < lags.From || m > lags.To || s < lags.Without {
					a[d*n+s] = math.NaN()
				} else {
					pairs++
				}
			}
		}
		got := FitExponential(a, n, lags)
		if math.Abs(got.Lambda-lambda) > 1e-9 || got.Pairs != pairs || got.Freedom > 0 && !(got.Error < 1e-7) {
			t.Errorf("%+v, want λ = %g of %d pairs", got, lambda, pairs)
		}
	})
	// Without a factor for each source there is one for all.
	got := FitExponential(falls(8, 0.6, 0, 0, func(int) float64 { return 0.4 }), 8, NearLags)
	wantClose(t, "λ", []float64{got.Lambda, got.Pooled}, []float64{0.6, 0.6}, 1e-12)
}

// With noise λ is a minimum of the sum of squares, and its error that of the linear
// regression on the model's derivatives, by a dense design.
func TestFitExponentialAgainstDesign(t *testing.T) {
	const n = 9
	a := falls(n, 0.55, 0.02, 0, func(s int) float64 { return 0.5 + 0.1*float64(s%3) })
	got := FitExponential(a, n, NearLags)
	lambda, standardError, freedom := byDesign(t, a, n, NearLags, got.Lambda, func(s int) int { return s })
	wantClose(t, "by source", []float64{got.Lambda, got.Error}, []float64{lambda, standardError}, 1e-9)
	if got.Freedom != freedom {
		t.Errorf("%d degrees of freedom, want %d", got.Freedom, freedom)
	}
	lambda, standardError, _ = byDesign(t, a, n, NearLags, got.Pooled, func(int) int { return 0 })
	wantClose(t, "pooled", []float64{got.Pooled, got.PooledError}, []float64{lambda, standardError}, 1e-9)

	low, high := got.Interval()
	if !(low < 0.55 && 0.55 < high) {
		t.Errorf("the interval %g to %g leaves out what made the pattern", low, high)
	}
	reach := distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile(0.975) * got.Error
	wantClose(t, "interval", []float64{low, high}, []float64{got.Lambda - reach, got.Lambda + reach}, 1e-12)
}

// byDesign takes one step of Gauss and Newton from λ, which leaves it where it is if it
// is the least-squares one, with a column for each group of sources and one for λ.
func byDesign(t *testing.T, a []float64, n int, lags Lags, lambda float64, group func(s int) int) (stepped, standardError float64, freedom int) {
	t.Helper()
	var design []float64
	var y []float64
	groups := 0
	type pair struct{ group, lag int }
	var pairs []pair
	for s := lags.Without; s < n; s++ {
		for d := s + lags.From; d < n && d-s <= lags.To; d++ {
			pairs, y = append(pairs, pair{group(s), d - s}), append(y, a[d*n+s])
			groups = max(groups, group(s)+1)
		}
	}
	used := map[int]int{} // groups that have a pair, to columns
	numerator, denominator := make([]float64, groups), make([]float64, groups)
	for i, p := range pairs {
		if _, ok := used[p.group]; !ok {
			used[p.group] = len(used) + 1
		}
		numerator[p.group] += y[i] * math.Pow(lambda, float64(p.lag))
		denominator[p.group] += math.Pow(lambda, float64(2*p.lag))
	}
	columns := len(used) + 1
	residual := make([]float64, len(y))
	for i, p := range pairs {
		factor := numerator[p.group] / denominator[p.group]
		row := make([]float64, columns)
		row[0] = factor * float64(p.lag) * math.Pow(lambda, float64(p.lag-1))
		row[used[p.group]] = math.Pow(lambda, float64(p.lag))
		design = append(design, row...)
		residual[i] = y[i] - factor*row[used[p.group]]
	}
	x := mat.NewDense(len(y), columns, design)
	var step mat.Dense
	if err := step.Solve(x, mat.NewDense(len(y), 1, residual)); err != nil {
		t.Fatal(err)
	}
	var gram, inverse mat.Dense
	gram.Mul(x.T(), x)
	if err := inverse.Inverse(&gram); err != nil {
		t.Fatal(err)
	}
	size := mat.Norm(mat.NewDense(len(y), 1, residual), 2)
	return lambda + step.At(0, 0), math.Sqrt(size * size / float64(len(y)-columns) * inverse.At(0, 0)), len(y) - columns
}

// A softmax has a floor: here attention falls by 0.48 a step to half a percent. A fit of
// log A over all pairs reads a decay that is not there; least squares in A hardly sees
// the floor.
func TestTheFloorOfASoftmaxRulesLogarithms(t *testing.T) {
	const n, lambda = 10, 0.48
	a := falls(n, lambda, 0, 0.005, func(int) float64 { return 0.52 / lambda })
	if byLog := math.Exp(FitDecay(a, n).Slope); byLog < lambda+0.05 {
		t.Errorf("the slope of log A reads %g", byLog)
	}
	if got := FitExponential(a, n, NearLags); math.Abs(got.Lambda-lambda) > 0.015 || math.Abs(got.Pooled-lambda) > 0.015 {
		t.Errorf("least squares in A read %+v", got)
	}
	if all := FitExponential(a, n, Lags{From: 1, To: 9, Without: 1}); math.Abs(all.Lambda-lambda) > 0.015 {
		t.Errorf("at all lags, %+v", all)
	}
}

func TestFitExponentialAtTheEdges(t *testing.T) {
	near := func(n int, at func(d, s int) float64) Exponential {
		a := make([]float64, n*n)
		for d := range n {
			for s := range d {
				a[d*n+s] = at(d, s)
			}
		}
		return FitExponential(a, n, NearLags)
	}
	next := near(6, func(d, s int) float64 { // the previous token alone
		if d == s+1 {
			return 1
		}
		return 0
	})
	if next.Lambda > 1e-15 || next.Pooled > 1e-15 {
		t.Errorf("attention to the previous token falls by %g", next.Lambda)
	}
	if got := near(6, func(d, s int) float64 { return 0.1 }); math.Abs(got.Lambda-1) > 1e-12 {
		t.Errorf("even attention falls by %g", got.Lambda)
	}
	if got := near(6, func(d, s int) float64 { return math.Pow(5, float64(d-s)) }); got.Lambda != 2 {
		t.Errorf("attention that grows fivefold has λ = %g, want the largest that is sought", got.Lambda)
	}
	for n, got := range map[int]Exponential{
		1: near(1, nil), 2: near(2, func(d, s int) float64 { return 1 }), 3: near(3, func(d, s int) float64 { return 1 }),
		6: near(6, func(d, s int) float64 { return 0 }),
	} {
		if !math.IsNaN(got.Lambda) || !math.IsNaN(got.Error) || !math.IsNaN(got.Pooled) {
			t.Errorf("%d positions: %+v", n, got)
		}
	}
	four := near(4, func(d, s int) float64 { return math.Pow(0.5, float64(d-s)) }) // two sources, three pairs
	if low, high := four.Interval(); !math.IsNaN(low) || !math.IsNaN(high) || math.Abs(four.Lambda-0.5) > 1e-12 || four.Freedom != 0 {
		t.Errorf("three pairs: %+v, interval %g to %g", four, low, high)
	}
	wantPanic(t, "shape", func() { FitExponential(make([]float64, 5), 2, NearLags) })
	wantPanic(t, "lags", func() { FitExponential(make([]float64, 4), 2, Lags{From: 0, To: 4}) })
	wantPanic(t, "lags", func() { FitExponential(make([]float64, 4), 2, Lags{From: 3, To: 2}) })
	wantPanic(t, "sources", func() { FitExponential(make([]float64, 4), 2, Lags{From: 1, To: 2, Without: -1}) })
}
