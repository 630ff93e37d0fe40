package probe

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// A sample estimates what all words give, and its error bars say how far it is off:
// over many samples the error in units of the bar follows Student's t with 7 degrees of
// freedom, whose square has mean 7/5 and variance 10. Held-out R² estimates that of
// fits to 7/8 of such a sample, which all samples together tell.
func TestSampleErrorBars(t *testing.T) {
	const replicates, sequences, length = 400, 160, 5
	h, m := build(t, "mess3"), randomModel(t, models[0].config)
	all := must(h.Prefixes(t.Context(), length))
	features, fixed := []Features{Stage(stages[1])}, Convention{Cutoff: 1e-3}
	exact := analyze(t, m, all, Plan{Features: features, Targets: both, Convention: fixed, Workers: 1})
	var kl, r2 []Estimate
	for i := range replicates {
		p, err := SampleWords(t.Context(), h, length, sequences, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		a := analyze(t, m, p, Plan{Features: features, Targets: both, Convention: fixed, Workers: 1})
		r := reading(a, 0, 0)
		kl, r2 = append(kl, a.KL()), append(r2, Estimate{r.R2, r.R2Error})
	}
	mean := 0.0
	for _, e := range r2 {
		mean += e.Mean / replicates
	}
	if math.Abs(mean-reading(exact, 0, 0).R2) > 0.01 {
		t.Errorf("mean R² of samples is %v, of all words %v", mean, reading(exact, 0, 0).R2)
	}
	for what, test := range map[string]struct {
		estimates []Estimate
		truth     float64
	}{"KL": {kl, exact.KL().Mean}, "R²": {r2, mean}} {
		var squares []float64
		for _, e := range test.estimates {
			squares = append(squares, math.Pow((e.Mean-test.truth)/e.Error, 2))
		}
		got, deviation := floats.Sum(squares)/replicates, 5*math.Sqrt(10./replicates)
		t.Logf("%s: mean square of the error in units of the bar %.2f, want 1.4 ± %.2f", what, got, deviation)
		if math.Abs(got-1.4) > deviation {
			t.Errorf("%s: mean square of the error in units of the bar %.2f, want 1.4 ± %.2f", what, got, deviation)
		}
	}
}

// Where every sequence is drawn as often as it is probable, to rounding, the sample's
// figures are those of all words.
func TestSampleOfEveryWord(t *testing.T) {
	h, m := build(t, "mess3"), randomModel(t, models[0].config)
	all := must(h.Prefixes(t.Context(), 4))
	from, to := all.Range(4)
	var sequences [][]int32
	for row := from; row < to; row++ {
		for range int(math.Round(all.Prob[row] * 1e4)) {
			sequences = append(sequences, all.Tokens(row))
		}
	}
	p, err := h.PrefixesOf(t.Context(), sequences, sampleGroups)
	if err != nil {
		t.Fatal(err)
	}
	c := Convention{HoldOut: InSample, Cutoff: 1e-3}
	features := []Features{Stage(stages[1]), MarkovFeatures(all, 2)}
	want := analyze(t, m, all, Plan{Features: features, Targets: both, Convention: c})
	features[1] = MarkovFeatures(p, 2)
	got := analyze(t, m, p, Plan{Features: features, Targets: both, Convention: c})
	for f := range features {
		// Probabilities are rounded to 1e-4 of one, some 1 % of the rarest.
		wantClose(t, features[f].Name, []float64{reading(got, f, 0).R2, got.KL().Mean}, []float64{reading(want, f, 0).R2, want.KL().Mean}, 1e-2)
	}
}
