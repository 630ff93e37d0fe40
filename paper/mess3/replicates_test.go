package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/paper/internal/trained"
)

// seedsOf are models of a condition, each with what is measured on it and on its random
// initialisation; all have converged.
func seedsOf[M any](random M, found ...M) replicates[M] {
	g := newReplicates[M](trained.Condition{Source: trained.Mess3(0.15, 0.6)})
	for i, m := range found {
		g.Models = append(g.Models, claim.Seeded[M]{Seed: i + 1, Found: m, Random: random})
	}
	return g
}

// unconverged has the last n models on a plateau.
func (g replicates[M]) unconverged(n int) replicates[M] {
	for i := range n {
		g.Models[len(g.Models)-1-i].Unconverged = "it rests on a plateau"
	}
	return g
}

// A condition is judged by the models that have converged, and open without two of them.
func TestJudged(t *testing.T) {
	number := func(x float64) float64 { return x }
	rule := func(found, random []float64) claim.Condition {
		return claim.Condition{
			Verdict: claim.Holds, Obtained: "so", Effect: claim.Over("a number", "", found).Against("untrained", random[0]),
		}
	}
	g := seedsOf(9, 1.0, 1.2, 1.1, 5).unconverged(1)
	c := g.judged(number, rule)
	if c.Verdict != claim.Holds || !c.Converged || c.Effect.Seeds != 3 || c.Effect.Estimate != 1.1 ||
		c.Effect.Reached.K != 3 || c.Effect.Reached.N != 4 || c.Effect.Control.Value != 9 || c.Name != "x = 0.15, α = 0.6" {
		t.Errorf("three of four converged: %+v %+v", c, c.Effect)
	}
	if c := seedsOf(9, 1.0, 1.2).judged(number, rule); c.Effect.Reached != nil || !c.Converged {
		t.Errorf("all converged: %+v", c)
	}
	for name, g := range map[string]replicates[float64]{
		"not trained":   seedsOf[float64](9),
		"one of two":    seedsOf(9, 1.0, 1.2).unconverged(1),
		"none":          seedsOf(9, 1.0, 1.2, 1.3).unconverged(3),
		"the only one":  seedsOf(9, 1.0).unconverged(1),
		"one of five":   seedsOf(9, 1.0, 1, 1, 1, 1).unconverged(4),
		"twice is else": seedsOf(9, 1.0, 1.2, 1.1).longer(1.5, ""),
		"twice is not":  seedsOf(9, 1.0, 1.2, 1.1).longer(1.0, "it diverges"),
	} {
		if c := g.judged(number, rule); c.Verdict != claim.Open || c.Reason != claim.Untrained || c.Converged || c.Obtained == "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := seedsOf(9, 1.0, 1.2, 1.1).longer(1.1, "").judged(number, rule); c.Verdict != claim.Holds {
		t.Errorf("twice the steps move it within its interval: %+v", c)
	}
	if c := seedsOf(9, 1.0).judged(number, rule); c.Verdict != claim.Holds {
		t.Errorf("the only model: %+v", c)
	}
}

// longer adds a model of the first seed, trained for twice the steps.
func (g replicates[M]) longer(found M, unconverged string) replicates[M] {
	g.twice = &claim.Seeded[M]{Found: found, Unconverged: unconverged}
	return g
}

func TestSign(t *testing.T) {
	for _, test := range []struct {
		values []float64
		of     float64
		want   int
	}{
		{[]float64{1, 1.1, 0.9}, 0, 1},
		{[]float64{1, 1.1, 0.9}, 2, -1},
		{[]float64{1, 1.1, 0.9}, 1.05, 0},
		{[]float64{1}, 0, 1},
		{[]float64{1}, 2, -1},
		{[]float64{1, -1}, 0, 0},
	} {
		if got := sign(test.values, test.of); got != test.want {
			t.Errorf("%v beside %v: %d, want %d", test.values, test.of, got, test.want)
		}
	}
}
