package series

import (
	"context"
	"math"
	"testing"
)

// The variance of an additive form is the closed form of Hyndman et al. 2008, Chapter 6.
func TestSmoothingVariance(t *testing.T) {
	const alpha, beta, gamma, phi, sigma = 0.4, 0.1, 0.3, 0.9, 2
	for _, form := range []smoothingForm{{'A', 'N', 'N', 1}, {'A', 'A', 'N', 1}, {'A', 'D', 'A', 4}} {
		m := &smoothing{smoothingForm: form, alpha: alpha, beta: beta, gamma: gamma, phi: 1, sigma: sigma}
		m.state = smoothingState{level: 10, slope: 1, season: []float64{1, 2, -3, 0}[:form.length]}
		if form.trend == 'D' {
			m.phi = phi
		}
		sum, slope := 1.0, 0.0
		for k, d := range m.Forecast(9) {
			near(t, m.Name(), d.(Normal).Sigma, sigma*math.Sqrt(sum), 1e-9)
			slope += math.Pow(m.phi, float64(k+1))
			c := alpha
			if form.trend != 'N' {
				c = alpha + beta*slope
			}
			if form.season != 'N' && (k+1)%4 == 0 {
				c += gamma
			}
			sum += c * c
		}
	}
}

// A missing value leaves the mean of later forecasts as it was, and the variance as if
// they were further ahead.
func TestSmoothingOverGaps(t *testing.T) {
	values := recording(t, "nottem", 1)[:120]
	for _, f := range []Forecaster{LastValue{}, SeasonalNaive{}, ETS{}, Theta{}, AR{}} {
		m := fitted(t, f, values, 12)
		want := m.Forecast(16)
		for range 3 {
			m.Observe(math.NaN())
		}
		for k, d := range m.Forecast(13) {
			near(t, m.Name()+" mean", d.Mean(), want[k+3].Mean(), 1e-6)
			near(t, m.Name()+" deviation", d.(Normal).Sigma, want[k+3].(Normal).Sigma, 1e-6)
		}
	}
}

// Missing values in the past change a fit little; many, and it still has no NaN.
func TestFitsOverGaps(t *testing.T) {
	values := recording(t, "nottem", 1)
	gaps := append([]float64(nil), values...)
	for i := 5; i < len(gaps); i += 23 {
		gaps[i] = math.NaN()
	}
	for _, f := range append(Forecasters(), AR{Order: 3}) {
		a, b := fitted(t, f, values, 12).Forecast(12), fitted(t, f, gaps, 12).Forecast(12)
		for k := range a {
			near(t, f.Name(), b[k].Mean(), a[k].Mean(), 6)
		}
	}
}

func TestSmoothingRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (ETS{}).Fit(ended, Past{Values: noise(1, 100)}); err != context.Canceled {
		t.Error(err)
	}
	for _, f := range []Forecaster{ETS{}, Theta{}, LastValue{}, SeasonalNaive{}, Unconditional{}, UnconditionalNormal{}} {
		if _, err := f.Fit(t.Context(), Past{Values: []float64{math.NaN(), math.NaN()}, Season: 12}); err == nil {
			t.Errorf("%s fits nothing", f.Name())
		}
	}
	for _, form := range smoothingForms([]float64{3, 0, 1}, 12) {
		if form.err == 'M' || form.season != 'N' {
			t.Errorf("form %v for three values with 0", form)
		}
	}
}
