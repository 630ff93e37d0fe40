package series

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/random"
	"foretell/run"
)

// A transformer learns what depends on a value eight steps back, which a context tree of
// depth 5 cannot see. After a missing value it has no forecast, then one from fewer
// values. What it was fitted to decides every bit.
func TestTransformer(t *testing.T) {
	const lag, flipped = 8, 0.1
	stream, values := random.New(5, "test/lag"), make([]float64, 3000)
	for i := range values {
		switch {
		case i < lag:
			values[i] = math.Floor(2 * stream.Float64())
		case stream.Float64() < flipped:
			values[i] = 1 - values[i-lag]
		default:
			values[i] = values[i-lag]
		}
	}
	s := &Series{Source: "lag", Values: values, Symbols: []string{"0", "1"}}
	r := examined(t, s, Request{Seed: 1, Train: true})
	nats := map[string]float64{}
	for _, row := range r.Forecasters {
		name, _, _ := strings.Cut(row.Name, "(")
		nats[name] = row.Nats
	}
	best := -flipped*math.Log(flipped) - (1-flipped)*math.Log(1-flipped)
	if !(nats["transformer"] < best+0.1) || nats["context tree"] < 0.68 || !strings.HasPrefix(r.Best, "transformer(") {
		t.Errorf("%s is the best of %v; the entropy rate is %.4f", r.Best, nats, best)
	}
	if p := r.Forecast[0].Probabilities; math.Abs(p[int(values[len(values)-lag])]-(1-flipped)) > 0.1 {
		t.Errorf("after %v the forecast is %v", values[len(values)-lag:], p)
	}
	m, err := Transformer{Seed: 1}.Fit(t.Context(), Past{Values: values[:400], Cells: r.cells})
	if err != nil {
		t.Fatal(err)
	}
	m.Observe(math.NaN())
	if d := m.Forecast(1)[0]; d != nil {
		t.Error("it forecasts after a missing value")
	}
	m.Observe(1)
	if all := m.Forecast(2); all[0] == nil || all[1] != nil {
		t.Errorf("forecasts %v of one and two steps", all)
	}
}

// The transformer of a series is a run, which other commands open.
func TestTransformerIsARun(t *testing.T) {
	s, err := Read("testdata/nile.csv", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, dir := examined(t, s, Request{}), t.TempDir()
	if err := r.Train(t.Context(), dir, 1); err != nil {
		t.Fatal(err)
	}
	trained, err := run.Open(filepath.Join(dir, "transformer"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Transformer{Seed: 1}.Fit(t.Context(), Past{Values: s.Values, Cells: r.cells})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := trained.Model.Checksum(), m.(*attentive).model.Checksum(); a != b {
		t.Errorf("the run has the weights %s, the forecaster %s", a, b)
	}
	if _, err := (Transformer{}).Fit(t.Context(), Past{Values: s.Values[:60], Cells: r.cells}); err == nil ||
		err.Error() != "transformer: 60 values without a gap are too few" {
		t.Errorf("60 values: %v", err)
	}
}
