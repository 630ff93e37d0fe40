package entropy

import (
	"math"
	"reflect"
	"testing"

	"foretell/claim"
	"foretell/internal/random"
)

// allSources are the sources by name.
func allSources(t *testing.T) map[string]source {
	t.Helper()
	list, err := exactSources(t.Context(), &claim.Study{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]source{}
	for _, s := range list {
		byName[s.name] = s
	}
	return byName
}

// Sources are stationary, and their rates are exact and not memorised. A tree of the
// depth makes the chains of finite memory, and not the even process or RRXOR.
func TestSources(t *testing.T) {
	sources := allSources(t)
	for _, out := range []string{
		"coin", "interleaved", "mackey_glass", "routing", "recording", "mess3_mixture", "bloch_walk",
	} {
		if _, ok := sources[out]; ok {
			t.Errorf("%s is a source", out)
		}
	}
	for name, tree := range map[string]bool{
		"iid": true, "markov": true, "golden_mean": true, "periodic": true, "mess3": true,
		"even": false, "rrxor": false, "parentheses": false,
	} {
		s, ok := sources[name]
		if !ok || s.isTree() != tree || s.gap() < -1e-12 || s.excess < -2*mostWithin {
			t.Errorf("%s: %+v, want a tree: %v", name, s, tree)
		}
	}
	if h := sources["golden_mean"].rate; math.Abs(h-2./3*math.Ln2) > 1e-12 {
		t.Errorf("golden mean: %v", h)
	}
}

func TestDepthFor(t *testing.T) {
	for alphabet, want := range map[int]int{2: 10, 3: 10, 4: 8, 6: 6, 32: 3, 256: 2} {
		if got := depthFor(alphabet); got != want {
			t.Errorf("%d symbols: %d, want %d", alphabet, got, want)
		}
	}
}

// The optimal predictor loses about the entropy rate, on the symbols after the first ones
// that the tree does not code.
func TestOptimalLosses(t *testing.T) {
	sources := allSources(t)
	fair := sources["iid"]
	x := make([]int32, 5000)
	fair.process.Sample(x, random.New(1, "entropy/iid"))
	for _, got := range optimalLosses(fair, x, []int{11, 5000}) {
		if math.Abs(got-math.Ln2) > 1e-12 {
			t.Errorf("a fair coin: %v", got)
		}
	}
	even := sources["even"]
	even.process.Sample(x, random.New(1, "entropy/even"))
	got := optimalLosses(even, x, []int{1000, 5000})
	predictor, next, sum := even.process.Predictor(), make([]float64, 2), 0.0
	for i, symbol := range x[:1000] {
		predictor.Next(next)
		if i >= even.depth {
			sum -= math.Log(next[symbol])
		}
		if err := predictor.Observe(int(symbol)); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 2 || math.Abs(got[0]-sum/990) > 1e-12 || math.Abs(got[1]-even.rate) > 0.03 {
		t.Errorf("the even process: %v, rate %v", got, even.rate)
	}
}

// The same sequence is measured alike by any number of workers, and its shorter parts are
// what short sequences give.
func TestMeasurementIsDeterministic(t *testing.T) {
	measure := func(workers int, lengths ...int) measured {
		l := &lab{profile: profile{lengths: lengths, seeds: 2}, only: []string{"golden_mean", "sine"}}
		m, err := l.measure(t.Context(), &claim.Study{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one, two := measure(1, 200, 400), measure(3, 200, 400)
	for i, j := range one.sources {
		for seed, e := range j.runs {
			other := two.sources[i].runs[seed]
			if !reflect.DeepEqual(e, other) {
				t.Errorf("%s, seed %d: %v and %v", j.name, seed, e, other)
			}
		}
	}
	if n := len(one.sources); n != 2 {
		t.Errorf("%d sources", n)
	}
}
