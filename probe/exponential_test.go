package probe

import (
	"math"
	"testing"

	"foretell/internal/random"

	"gonum.org/v1/gonum/mat"
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
		for d := range n {
			for s := range n {
				if m := d - s; m < lags.From || m > lags.To || s < lags.Without {
					a[d*n+s] = math.NaN()
				}
			}
		}
		got := FitExponential(a, n, lags)
		if math.Abs(got-lambda) > 1e-9 {
			t.Errorf("λ = %g, want %g", got, lambda)
		}
	})
}

// With noise λ is a minimum of the sum of squares, by a dense design.
func TestFitExponentialAgainstDesign(t *testing.T) {
	const n = 9
	a := falls(n, 0.55, 0.02, 0, func(s int) float64 { return 0.5 + 0.1*float64(s%3) })
	got := FitExponential(a, n, NearLags)
	wantClose(t, "λ", []float64{got}, []float64{byDesign(t, a, n, NearLags, got, func(s int) int { return s })}, 1e-9)
}

// byDesign takes one step of Gauss and Newton from λ, which leaves it where it is if it
// is the least-squares one, with a column for each group of sources and one for λ.
func byDesign(t *testing.T, a []float64, n int, lags Lags, lambda float64, group func(s int) int) float64 {
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
	return lambda + step.At(0, 0)
}

// A softmax has a floor: here attention falls by 0.48 a step to half a percent. A fit of
// log A over all pairs reads a decay that is not there; least squares in A hardly sees
// the floor.
func TestTheFloorOfASoftmaxRulesLogarithms(t *testing.T) {
	const n, lambda = 10, 0.48
	a := falls(n, lambda, 0, 0.005, func(int) float64 { return 0.52 / lambda })
	if byLog := math.Exp(FitDecay(a, n)); byLog < lambda+0.05 {
		t.Errorf("the slope of log A reads %g", byLog)
	}
	if got := FitExponential(a, n, NearLags); math.Abs(got-lambda) > 0.015 {
		t.Errorf("least squares in A read %g", got)
	}
	if all := FitExponential(a, n, Lags{From: 1, To: 9, Without: 1}); math.Abs(all-lambda) > 0.015 {
		t.Errorf("at all lags, %g", all)
	}
}

func TestFitExponentialAtTheEdges(t *testing.T) {
	near := func(n int, at func(d, s int) float64) float64 {
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
	if next > 1e-15 {
		t.Errorf("attention to the previous token falls by %g", next)
	}
	if got := near(6, func(d, s int) float64 { return 0.1 }); math.Abs(got-1) > 1e-12 {
		t.Errorf("even attention falls by %g", got)
	}
	if got := near(6, func(d, s int) float64 { return math.Pow(5, float64(d-s)) }); got != 2 {
		t.Errorf("attention that grows fivefold has λ = %g, want the largest that is sought", got)
	}
	for n, got := range map[int]float64{
		1: near(1, nil), 2: near(2, func(d, s int) float64 { return 1 }), 3: near(3, func(d, s int) float64 { return 1 }),
		6: near(6, func(d, s int) float64 { return 0 }),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%d positions: %g", n, got)
		}
	}
	four := near(4, func(d, s int) float64 { return math.Pow(0.5, float64(d-s)) }) // two sources, three pairs
	if math.Abs(four-0.5) > 1e-12 {
		t.Errorf("three pairs: %g", four)
	}
	wantPanic(t, "shape", func() { FitExponential(make([]float64, 5), 2, NearLags) })
	wantPanic(t, "lags", func() { FitExponential(make([]float64, 4), 2, Lags{From: 0, To: 4}) })
	wantPanic(t, "lags", func() { FitExponential(make([]float64, 4), 2, Lags{From: 3, To: 2}) })
	wantPanic(t, "sources", func() { FitExponential(make([]float64, 4), 2, Lags{From: 1, To: 2, Without: -1}) })
}
