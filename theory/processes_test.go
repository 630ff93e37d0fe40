package theory

import (
	"context"
	"math"
	"slices"
	"testing"

	"foretell/internal/processtest"
	"foretell/process"

	"pgregory.net/rapid"
)

// zoo has at least one row for every hidden Markov model of the catalogue, as the zoo in
// process/laws_test.go, which says of each what is special about it.
var zoo = []process.Spec{
	{Name: "mess3"},
	{Name: "mess3", Params: process.Params{"x": 0.05, "a": 0.85}},
	{Name: "mess3", Params: process.Params{"x": 0.5, "a": 0.6}},
	{Name: "mess3", Params: process.Params{"x": 0.15, "a": 0.2}},
	{Name: "mess3", Params: process.Params{"x": 0.2, "a": 0}},
	{Name: "mess3", Params: process.Params{"x": 0.25, "a": 1}},
	{Name: "mess3", Params: process.Params{"x": 1. / 3, "a": 0.6}},
	{Name: "mess3", Params: process.Params{"x": 0.1, "a": 1. / 3}},
	{Name: "z1r"},
	{Name: "z1r", Params: process.Params{"p": 0.9}},
	{Name: "z1r", Params: process.Params{"p": 0}},
	{Name: "even"},
	{Name: "even", Params: process.Params{"p": 0.3}},
	{Name: "golden_mean"},
	{Name: "golden_mean", Params: process.Params{"p": 0.2}},
	{Name: "golden_mean", Params: process.Params{"p": 0}},
	{Name: "iid"},
	{Name: "iid", Params: process.Params{"n": 5}},
	{Name: "mess3_mixture"},
	{Name: "mess3_mixture", Params: process.Params{"weights": []float64{3, 1}}},
	{Name: "mess3_mixture", Params: process.Params{"epsilon": 0.1}},
	{Name: "mess3_mixture", Params: process.Params{"x": []float64{0.1, 0.2, 0.3}, "a": []float64{0.9, 0.8, 0}, "weights": []float64{1, 1, 1}, "epsilon": 0.3}},
	{Name: "rrxor"},
	{Name: "rrxor", Params: process.Params{"p1": 0.3, "p2": 0.8}},
	{Name: "golden_mean_5_3"},
	{Name: "golden_mean_5_3", Params: process.Params{"p": 0.25}},
	{Name: "sns"},
	{Name: "sns", Params: process.Params{"p": 0.7, "q": 0.2}},
	{Name: "sns", Params: process.Params{"q": 1.0}},
	{Name: "fractal2"},
	{Name: "fractal2", Params: process.Params{"b": 0.2, "p": 0.9, "q": 0.4}},
	{Name: "teddy_bear"},
	{Name: "teddy_bear", Params: process.Params{"p": 0.25, "q": 0.75}},
	{Name: "parentheses"},
	{Name: "parentheses", Params: process.Params{"o": []float64{1, 0.3, 0.6, 0.2, 0}}},
	{Name: "bloch_walk"},
	{Name: "bloch_walk", Params: process.Params{"beta": 3}},
	{Name: "bloch_walk", Params: process.Params{"alpha": 0}},
	{Name: "moon"},
	{Name: "moon", Params: process.Params{"alpha": 2, "beta": 0.7}},
	{Name: "frdn"},
	{Name: "frdn", Params: process.Params{"alpha": 1, "lambda": 0.3}},
	{Name: "markov"},
	{Name: "markov", Params: process.Params{"order": 2, "P": [][]float64{{0.9, 0.1}, {0.5, 0.5}, {0.3, 0.7}, {0.2, 0.8}}}},
	{Name: "periodic"},
	{Name: "periodic", Params: process.Params{"pattern": "AABAC"}},
	{Name: "sine"},
	{Name: "sine", Params: process.Params{"period": 6, "levels": 3}},
	{Name: "factored"},
	{Name: "factored", Params: process.Params{"first": "z1r", "second": process.Spec{Name: "even", Params: process.Params{"p": 0.3}}}},
	{Name: "factored", Params: process.Params{"first": "golden_mean", "second": "moon"}},
	{Name: "mixture"},
	{Name: "mixture", Params: process.Params{"components": []process.Spec{{Name: "z1r"}, {Name: "frdn"}, {Name: "iid"}}, "weights": []float64{1, 2, 3}}},
	{Name: "mixture", Params: process.Params{"components": []process.Spec{{Name: "even"}, {Name: "iid"}, {Name: "golden_mean"}, {Name: "iid"}, {Name: "even"}}, "weights": []float64{1, 2, 3, 5, 7}}},
	{Name: "noisy"},
	{Name: "noisy", Params: process.Params{"process": "moon", "epsilon": 0.3}},
	{Name: "noisy", Params: process.Params{"epsilon": 1}},
	{Name: "mapped"},
	{Name: "mapped", Params: process.Params{"process": "z1r", "to": []float64{1, 0}}},
}

func TestZooHasEveryHMM(t *testing.T) {
	for _, entry := range process.Catalogue() {
		p, err := process.BuildSampler(entry.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, ok := p.(*process.HMM)
		if ok && !slices.ContainsFunc(zoo, func(row process.Spec) bool { return row.Name == entry.Name }) {
			t.Errorf("%s is in the catalogue and has no row in the zoo", entry.Name)
		}
	}
}

// inContext is a test, or a check of rapid's, with its context.
type inContext interface {
	Fatal(args ...any)
	Context() context.Context
}

// must returns the value of a call that cannot fail in a test.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func last[T any](_ T, err error) error { return err }

// distance returns the largest difference between entries of a and b.
func distance(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// fromWeights returns the HMM of non-negative weights[i][z][j]; see
// [processtest.FromWeights].
func fromWeights(t interface{ Fatalf(string, ...any) }, weights [][][]float64) *process.HMM {
	return ofMatrices(t, processtest.FromWeights(weights))
}

func ofMatrices(t interface{ Fatalf(string, ...any) }, matrices [][][]float64) *process.HMM {
	h, err := process.New("random", processtest.Numbered(len(matrices)), processtest.Numbered(len(matrices[0])), matrices)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

// anyHMM draws an irreducible HMM; see [processtest.Irreducible].
func anyHMM(t *rapid.T) *process.HMM { return ofMatrices(t, processtest.Irreducible(t)) }

// reversibleHMM draws an HMM whose net matrix is reversible; see
// [processtest.Reversible].
func reversibleHMM(t *rapid.T) *process.HMM { return ofMatrices(t, processtest.Reversible(t)) }

// drawWord draws a word of at most length tokens that h can emit.
func drawWord(t *rapid.T, h *process.HMM, length int) []int32 {
	return processtest.DrawWord(t, h.Predictor(), h.Alphabet(), length)
}

// eachWord calls f with every word of one length that can occur, its probability
// and the distribution of the token after it.
func eachWord(p process.Process, length int, f func(word []int32, prob float64, next []float64)) {
	processtest.EachWord(p.Predictor, p.Alphabet(), length, f)
}

func mustMess3(t testing.TB, x, a float64) *process.HMM {
	t.Helper()
	h, err := process.Mess3(x, a)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ones returns n ones.
func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }
