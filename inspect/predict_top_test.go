package inspect

import (
	"strings"
	"testing"
)

// Of many tokens the likeliest stand first, of a signal with their values, and the rest
// is counted.
func TestPrintOfASignal(t *testing.T) {
	p := &Prediction{
		Model: []float64{0.1, 0.6, 0.3}, Values: []float64{-1, 0, 0.5},
		Optimality: &Optimality{Optimal: []float64{0, 1, 0}, KL: 0.25},
	}
	p.Forecast, p.OptimalForecast = forecastOf(p.Model, p.Values), forecastOf([]float64{0.5, 0, 0.5}, p.Values)
	var text strings.Builder
	(&Predicted{Prediction: p, Names: []string{"0", "1", "2"}, Top: 2}).Forms("").Print(&text)
	const want = "next token\tvalue\tmodel\toptimal\n1\t0\t0.600000\t1.000000\n2\t0.5\t0.300000\t0.000000\n" +
		"and 1 less likely token\nKL(optimal‖model) = 2.50e-01 nats\n" +
		"model: mean 0.05; 90 % of the probability: 0–0.5\noptimal: mean -0.25; 90 % of the probability: -1 and 0.5\n"
	if text.String() != want {
		t.Errorf("got  %q\nwant %q", text.String(), want)
	}
}
