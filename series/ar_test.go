package series

import (
	"context"
	"math"
	"testing"
	"time"

	"foretell/internal/needs"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// autoregressive returns n values of the process x = Σ φ_i x_{−i} + e.
func autoregressive(seed uint64, n int, phi ...float64) []float64 {
	x := noise(seed, n)
	for t := range x {
		for i, c := range phi {
			if t > i {
				x[t] += c * x[t-1-i]
			}
		}
	}
	return x
}

// fitted returns a forecaster's model of values.
func fitted(t testing.TB, f Forecaster, values []float64, season int) Model {
	t.Helper()
	m, err := f.Fit(t.Context(), Past{Values: values, Season: season})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Burg's method finds the coefficients, also from segments between missing values.
func TestBurgFindsTheProcess(t *testing.T) {
	whole := autoregressive(1, 100_000, 1.2, -0.5)
	gaps := append([]float64(nil), whole...)
	for i := 0; i < len(gaps); i += 17 {
		gaps[i] = math.NaN()
	}
	for _, values := range [][]float64{whole, gaps} {
		m := fitted(t, AR{Order: 2}, values, 0).(*autoregression)
		near(t, "φ₁", m.phi[0], 1.2, 0.012)
		near(t, "φ₂", m.phi[1], -0.5, 0.012)
		near(t, "σ²", m.variance, 1, 0.015)
	}
	none := 0
	for seed := range uint64(40) { // AIC finds order 0 in 71 % of noise (Shibata 1976)
		none += int(indicator(fitted(t, AR{}, noise(seed, 500), 0).Name() == "AR(0)"))
	}
	if none < 20 || none > 37 {
		t.Errorf("%d of 40 noises have order 0", none)
	}
}

// While values are missing, forecasts are the conditional normal distribution given those
// that are known, which linear algebra computes from the autocovariances.
func TestMissingValuesAreConditionedOn(t *testing.T) {
	phi := []float64{0.9, -0.4, 0.2}
	m := &autoregression{phi: phi, variance: 1, last: make([]float64, 3)}
	values := []float64{0.3, -1, 0.7, math.NaN(), 1.1, math.NaN(), 0.2}
	m.start(values)
	if m.unsure == nil {
		t.Fatal("the state is certain")
	}
	// x = A e + (what the first three values give), by the recursion of unit vectors
	n, known := 9, []int{4, 6}
	path := func(errors []float64) []float64 {
		x := append([]float64(nil), values[:3]...)
		for t := 3; t < n; t++ {
			x = append(x, floats.Dot(phi, []float64{x[t-1], x[t-2], x[t-3]})+errors[t])
		}
		return x
	}
	mean := path(make([]float64, n))
	covariance := mat.NewSymDense(n, nil)
	for j := 3; j < n; j++ {
		e := make([]float64, n)
		e[j] = 1
		a := mat.NewVecDense(n, path(e))
		a.SubVec(a, mat.NewVecDense(n, mean))
		covariance.SymRankOne(covariance, 1, a)
	}
	for k, d := range m.Forecast(2) {
		target := 7 + k
		s := mat.NewDense(2, 2, nil)
		c, gap := mat.NewVecDense(2, nil), mat.NewVecDense(2, nil)
		for i, a := range known {
			c.SetVec(i, covariance.At(target, a))
			gap.SetVec(i, values[a]-mean[a])
			for j, b := range known {
				s.Set(i, j, covariance.At(a, b))
			}
		}
		var weights mat.VecDense
		if err := weights.SolveVec(s, c); err != nil {
			t.Fatal(err)
		}
		near(t, "mean", d.Mean(), mean[target]+mat.Dot(&weights, gap), 1e-9)
		near(t, "deviation", d.(Normal).Sigma, math.Sqrt(covariance.At(target, target)-mat.Dot(&weights, c)), 1e-9)
	}
	for _, x := range []float64{0.1, 0.4, -0.2} {
		m.Observe(x)
	}
	if m.unsure != nil {
		t.Error("three known values leave the state uncertain")
	}
}

// Forecasts further ahead approach the mean and the deviation of the process.
func TestARFarAhead(t *testing.T) {
	values := autoregressive(5, 20_000, 0.8)
	_, deviation := momentsOf(values)
	d := fitted(t, AR{Order: 1}, values, 0).Forecast(200)
	near(t, "one step", d[0].(Normal).Sigma, 1, 0.02)
	near(t, "200 steps", d[199].(Normal).Sigma, deviation, 0.02)
	near(t, "mean after 200 steps", d[199].Mean(), 0, 0.1)
}

func TestARRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (AR{}).Fit(ended, Past{Values: noise(1, 100)}); err != context.Canceled {
		t.Error(err)
	}
	for _, bad := range [][]float64{nil, {1, 2, 3}, make([]float64, 50)} {
		if _, err := (AR{}).Fit(t.Context(), Past{Values: bad}); err == nil {
			t.Errorf("a fit of %d values", len(bad))
		}
	}
	if _, err := (AR{Order: 30}).Fit(t.Context(), Past{Values: noise(1, 100)}); err == nil {
		t.Error("order 30 of 100 values")
	}
}

// Ten million samples take seconds.
func TestARIsFast(t *testing.T) {
	n, most := 10_000_000, 60*time.Second
	if testing.Short() {
		n, most = 200_000, 10*time.Second
	} else {
		needs.Soak(t, "fits ten million samples")
	}
	values := autoregressive(9, n, 0.5)
	start := time.Now()
	m := fitted(t, AR{}, values, 0)
	t.Logf("%s of %d samples in %v", m.Name(), n, time.Since(start))
	if taken := time.Since(start); taken > most {
		t.Errorf("%d samples took %v", n, taken)
	}
}
