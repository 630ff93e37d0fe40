package process

import (
	"math"
	"testing"
)

// Piotrowski et al. 2025, Eq. 21–23, with α = 0.6, β = 0.2, x = 0.15, y = 0.7.
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
		p, err := BuildSampler(entry.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, isHMM := p.(*HMM)
		for _, param := range entry.Params {
			if got, ok := param.Default.(float64); ok && isHMM && h.Params()[param.Name] != got && entry.Name != "mess3_mixture" {
				t.Errorf("%s: %s is %g, its default is %g", entry.Name, param.Name, h.Params()[param.Name], got)
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
	refusesToBuild(t, []refusedBuild{
		{"mess3", Params{"x": 0.7}, "mess3: x = 0.7 is outside (0, 0.5]"},
		{"mess3", Params{"x": 0}, "mess3: x = 0 is outside (0, 0.5]"},
		{"mess3", Params{"x": math.NaN()}, "mess3: x = NaN is outside (0, 0.5]"},
		{"mess3", Params{"a": 1.5}, "mess3: a = 1.5 is outside [0, 1]"},
		{"mess3", Params{"a": math.NaN()}, "mess3: a = NaN is outside [0, 1]"},
		{"iid", Params{"n": 2.5}, "iid: n = 2.5 is not a whole number in [1, 65536]"},
		{"even", Params{"p": -0.1}, "even: p = -0.1 is outside [0, 1]"},
		{"golden_mean", Params{"p": 2}, "golden_mean: p = 2 is outside [0, 1]"},
		{"z1r", Params{"p": 2}, "z1r: p = 2 is outside [0, 1]"},
		{"mess3", Params{"X": 0.6, "b": 1}, `mess3: unknown parameter "X": did you mean "x"?`},
		{"mess3", Params{"qq": 0.6, "rr": 1}, `mess3: unknown parameter "qq": want one of x, a`},
		{"mes3", nil, `unknown process "mes3": did you mean "mess3"?`},
		{"weather", nil, `unknown process "weather": want one of mess3, mess3_mixture, z1r, rrxor, even, golden_mean, golden_mean_5_3, sns, fractal2, teddy_bear, parentheses, bloch_walk, frdn, moon, coin, interleaved, random_chains, markov, periodic, iid, sine, mackey_glass, recording, switching_delay, brackets, routing, factored, mixture, noisy, mapped`},
	})
}

// refusedBuild is a process that Build refuses, and why.
type refusedBuild struct {
	name   string
	params Params
	want   string
}

func refusesToBuild(t *testing.T, list []refusedBuild) {
	t.Helper()
	for _, c := range list {
		p, err := Build(c.name, c.params)
		if err == nil || err.Error() != c.want || p != nil {
			t.Errorf("%s %v: %v, %v\nwant %s", c.name, c.params, p, err, c.want)
		}
	}
}
