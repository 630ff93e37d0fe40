package claim

import (
	"math"
	"slices"
	"testing"
)

// replicas is a condition of models with the numbers 1, 2, …, and ten times these numbers
// at random initialisation. Models whose reason is not empty have not converged.
func replicas(reasons ...string) BySeed[float64] {
	g := BySeed[float64]{Name: "x = 0.5"}
	for i, why := range reasons {
		x := float64(i + 1)
		g.Models = append(g.Models, Seeded[float64]{Seed: i + 1, Unconverged: why, Found: x, Random: 10 * x})
	}
	return g
}

func identity(x float64) float64 { return x }

// Only models that have converged count, with their own random initialisations, and the
// effect counts them among all.
func TestBySeed(t *testing.T) {
	g := replicas("", "still falling", "")
	e := g.AgainstRandom("KL", "nats", identity)
	if e.Estimate != 2 || e.Seeds != 2 || e.Control.Value != 20 || e.Reached.K != 2 || e.Reached.N != 3 {
		t.Errorf("%+v, control %+v, reached %+v", e, e.Control, e.Reached)
	}
	if got := g.All(identity); !slices.Equal(got, []float64{1, 2, 3}) {
		t.Errorf("all: %v", got)
	}
	if got := g.AllRandom(identity); !slices.Equal(got, []float64{10, 20, 30}) {
		t.Errorf("all random initialisations: %v", got)
	}
	if got := g.Why(); got != "seed 2: still falling" {
		t.Error(got)
	}
	if got := replicas().Why(); got != NotTrained {
		t.Error(got)
	}
	if got := replicas("", "").Why(); got != "" {
		t.Error(got)
	}
}

// An effect that is computed elsewhere is counted in the same way.
func TestCounted(t *testing.T) {
	ratio := replicas("", "still falling", "").Counted(Exactly("ratio", "", 3))
	if ratio.Estimate != 3 || ratio.Reached.K != 2 || ratio.Reached.N != 3 {
		t.Errorf("%+v, reached %+v", ratio, ratio.Reached)
	}
}

// A condition is judged if enough models have converged, and is open otherwise.
func TestJudge(t *testing.T) {
	rule := func(converged []Seeded[float64]) Condition {
		return Condition{Verdict: Holds, Obtained: "judged"}
	}
	for _, c := range []struct {
		reasons []string
		fewest  int
		judged  bool
		why     string
	}{
		{nil, 0, false, NotTrained},
		{[]string{"a", ""}, 0, true, ""},
		{[]string{"a", "b"}, 0, false, "seed 1: a"},
		{[]string{"a", ""}, 2, false, "seed 1: a"},
		{[]string{"", ""}, 2, true, ""},
		{[]string{""}, 2, true, ""},
		{[]string{"a"}, 2, false, "seed 1: a"},
	} {
		g := replicas(c.reasons...)
		g.Fewest = c.fewest
		got := g.Judge(rule)
		if got.Name != g.Name || (got.Verdict == Holds) != c.judged || got.Converged != c.judged || got.Unconverged != c.why {
			t.Errorf("%q, at least %d: %+v", c.reasons, c.fewest, got)
		}
		if without := got.Obtained == "no model"; without != (len(c.reasons) == 0) {
			t.Errorf("%d models: obtained %q", len(c.reasons), got.Obtained)
		}
	}
	open := replicas("").Judge(func([]Seeded[float64]) Condition { return Condition{Verdict: Holds, Unconverged: "falling"} })
	if open.Verdict != Open || open.Reason != Untrained || open.Unconverged != "falling" {
		t.Errorf("a rule that finds models unconverged gives %+v", open)
	}
}

// A statement about each model holds, fails or is open by [AllOrNone] over the converged
// models.
func TestEach(t *testing.T) {
	g := replicas("", "", "still falling")
	for _, c := range []struct {
		bound float64
		k     int
		want  Verdict
	}{{0.5, 0, Fails}, {1.5, 1, Open}, {2.5, 2, Holds}} {
		got, k := g.Each("KL", "nats", identity, func(x float64) bool { return x < c.bound })
		if got.Verdict != c.want || k != c.k || got.Effect.Reached.K != k || got.Effect.Reached.N != 2 {
			t.Errorf("below %g: %s, %d, %+v", c.bound, got.Verdict, k, got.Effect.Reached)
		}
		if math.Abs(got.Effect.Estimate-1.5) > 1e-15 {
			t.Errorf("below %g: the mean is %g", c.bound, got.Effect.Estimate)
		}
	}
	if got, k := replicas("a").Each("KL", "nats", identity, func(float64) bool { return true }); got.Verdict != Open || k != 0 {
		t.Errorf("no model has converged: %s, %d", got.Verdict, k)
	}
}
