package process

import (
	"math"
	"testing"
)

// Eq. 21–23 of seed 001, with α = 0.6, β = 0.2, x = 0.15, y = 0.7.
func TestMess3IsEq21To23(t *testing.T) {
	const a, b, x, y = 0.6, 0.2, 0.15, 0.7
	h := mustMess3(t, x, a)
	for z, want := range [][]float64{
		{a * y, b * x, b * x, a * x, b * y, b * x, a * x, b * x, b * y},
		{b * y, a * x, b * x, b * x, a * y, b * x, b * x, a * x, b * y},
		{b * y, b * x, a * x, b * x, b * y, a * x, b * x, b * x, a * y},
	} {
		if d := distance(h.Transition(z), want); d > 1e-15 {
			t.Errorf("T^(%d) is %v, want %v", z, h.Transition(z), want)
		}
	}
}

func TestBuildDefaults(t *testing.T) {
	for _, entry := range Catalogue() {
		p, err := Build(entry.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := p.(*HMM)
		if len(h.Params()) != len(entry.Params) {
			t.Errorf("%s has the parameters %v", entry.Name, h.Params())
		}
		for _, param := range entry.Params {
			if got := h.Params()[param.Name]; got != param.Default {
				t.Errorf("%s: %s is %g, its default is %g", entry.Name, param.Name, got, param.Default)
			}
			if param.Range == "" || param.Summary == "" {
				t.Errorf("%s: %s is not described", entry.Name, param.Name)
			}
		}
		if entry.Kind == "" || entry.Summary == "" {
			t.Errorf("%s is not described", entry.Name)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		params map[string]float64
		want   string
	}{
		{"mess3", map[string]float64{"x": 0.7}, "mess3: x = 0.7 is outside (0, 0.5]"},
		{"mess3", map[string]float64{"x": 0}, "mess3: x = 0 is outside (0, 0.5]"},
		{"mess3", map[string]float64{"x": math.NaN()}, "mess3: x = NaN is outside (0, 0.5]"},
		{"mess3", map[string]float64{"a": 1.5}, "mess3: a = 1.5 is outside [0, 1]"},
		{"mess3", map[string]float64{"a": math.NaN()}, "mess3: a = NaN is outside [0, 1]"},
		{"iid", map[string]float64{"n": 2.5}, "iid: n = 2.5 is not a whole number in [1, 65536]"},
		{"even", map[string]float64{"p": -0.1}, "even: p = -0.1 is outside [0, 1]"},
		{"golden_mean", map[string]float64{"p": 2}, "golden_mean: p = 2 is outside [0, 1]"},
		{"z1r", map[string]float64{"p": 2}, "z1r: p = 2 is outside [0, 1]"},
		{"mess3", map[string]float64{"X": 0.6, "b": 1}, `mess3: unknown parameter "X": did you mean "x"?`},
		{"mess3", map[string]float64{"qq": 0.6, "rr": 1}, `mess3: unknown parameter "qq": want one of x, a`},
		{"mes3", nil, `unknown process "mes3": did you mean "mess3"?`},
		{"weather", nil, `unknown process "weather": want one of mess3, z1r, even, golden_mean, iid`},
	} {
		p, err := Build(c.name, c.params)
		if err == nil || err.Error() != c.want || p != nil {
			t.Errorf("%s %v: %v, %v\nwant %s", c.name, c.params, p, err, c.want)
		}
	}
}
