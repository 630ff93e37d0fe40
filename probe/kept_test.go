package probe

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"foretell/model"
	"foretell/process"
)

// wantSame compares numbers to the bit: they are printed as the shortest decimal that
// stands for them alone.
func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: %.300s, want %.300s", what, g, w)
	}
}

// wantReading compares a reading with a regression of the whole table.
func wantReading(t *testing.T, what string, got *Reading, want *Regression) {
	t.Helper()
	wantSame(t, what+": held out", got.Score, want.HeldOut)
	wantSame(t, what+": in sample", got.InSample, want.InSample)
	wantSame(t, what+": fit", got.Fits, []Fit{want.Fit})
}

// What an analysis makes of the rows that it keeps equals regressions and components of
// the whole table to the bit. Of golden_mean most words cannot occur.
func TestKeptEqualsTables(t *testing.T) {
	for _, test := range models {
		for _, name := range []string{"mess3", "golden_mean", "rrxor"} {
			t.Run(test.name+", "+name, func(t *testing.T) {
				m, p := randomModel(t, test.config), must(build(t, name).Prefixes(t.Context(), 5))
				old, err := Collect(m, p, stages, 2)
				if err != nil {
					t.Fatal(err)
				}
				features := []Features{Stage(stages[1]), SideBySide("both", stages), NextTokenFeatures(p)}
				a := analyze(t, m, p, Plan{Features: features, Targets: both, Keep: true, Patterns: true, Workers: 2})
				wantSame(t, "patterns", a.Patterns, old.Patterns)
				for i, kl := range a.KLByPosition() {
					wantSame(t, "KL", kl, Estimate{Mean: old.KLByPosition()[i]})
				}
				for f, x := range features {
					x := table(t, x, old)
					wantSame(t, "rows", a.Table(a.Plan.Features[f]), x)
					compareWithTables(t, features[f].Name, a, f, x)
				}
			})
		}
	}
}

// compareWithTables compares readings and components of features with those of the
// table x.
func compareWithTables(t *testing.T, name string, a *Analysis, f int, x Table) {
	t.Helper()
	p, y := a.Prefixes, beliefs(a.Prefixes)
	bySequence, byWord := SequenceFolds(p, foldCount, foldSeed), Folds{Count: foldCount, Seed: foldSeed}
	for split, folds := range map[string]Folds{"": bySequence, "word": byWord} {
		want, err := RegressEach(x, y, p.Prob, folds)
		if err != nil {
			t.Fatal(err)
		}
		got := under(t, a, Convention{HoldOut: HoldOut(split)})
		for target := range y {
			what := fmt.Sprintf("%s, target %d, split %q", name, target, split)
			wantReading(t, what, reading(got, f, target), want[target])
			read, err := got.Predict(t.Context(), got.Plan.Targets[target], got.Plan.Features[f])
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, name+": what is read", read, want[target].Predict(x))
		}
	}
	for _, c := range []Convention{Ours, {Equal: true}} {
		want, err := PrincipalComponents(x, c.weights(p))
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, name+": components", under(t, a, c).Principal(a.Plan.Features[f]), want)
	}
}

func under(t *testing.T, a *Analysis, c Convention, targets ...Target) *Analysis {
	t.Helper()
	other, err := a.Under(t.Context(), c, targets...)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// The controls of a table are those of an analysis: shuffled targets beside the others,
// a random initialisation, the next-token distribution. Of mess3 every word can occur,
// so that both shuffles deal out all rows.
func TestKeptEqualsControlledTables(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 5))
	untrained, err := model.New[float32](m.Config, 7)
	if err != nil {
		t.Fatal(err)
	}
	x, random := collected(t, m, p), collected(t, untrained, p)
	next := Table{Width: p.Alphabet, Data: p.Next}
	want, err := RegressControlled(x, beliefs(p), random, next, p.Prob, SequenceFolds(p, foldCount, foldSeed))
	if err != nil {
		t.Fatal(err)
	}
	a := analyze(t, m, p, Plan{Features: Stages(stages[1]), Targets: both, Keep: true})
	a = under(t, a, Ours, Beliefs, Constrained, Shuffled(Beliefs), Shuffled(Constrained))
	features := []Features{Stage(stages[1]), NextTokenFeatures(p)}
	b := analyze(t, untrained, p, Plan{Features: features, Targets: both, Keep: true})
	for target, c := range want {
		wantReading(t, "trained", reading(a, 0, target), c.Trained)
		wantReading(t, "shuffled", reading(a, 0, 2+target), c.Shuffled)
		wantReading(t, "random initialisation", reading(b, 0, target), c.Random)
		wantReading(t, "next token", reading(b, 1, target), c.NextToken)
	}
}

func collected(t *testing.T, m *model.Transformer[float32], p *process.Prefixes) Table {
	t.Helper()
	a, err := Collect(m, p, stages, 1)
	if err != nil {
		t.Fatal(err)
	}
	return Table{Data: a.Stages[stages[1]], Width: a.Width}
}

// One table of what is known of words, on another.
func TestRelateEqualsTables(t *testing.T) {
	for _, name := range []string{"mess3", "golden_mean"} {
		p := must(build(t, name).Prefixes(t.Context(), 5))
		tables := beliefs(p)
		want, err := Regress(tables[1], tables[0], p.Prob, SequenceFolds(p, foldCount, foldSeed))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Relate(t.Context(), p, tables[1], tables[0], Ours)
		if err != nil {
			t.Fatal(err)
		}
		wantReading(t, name, got, want)
	}
}

// All sequences alike, where every word can occur, weighs the words of a length
// equally.
func TestEqualWeightsOfEveryWord(t *testing.T) {
	p, row := must(build(t, "mess3").Prefixes(t.Context(), 6)), 0
	weights, words := equalWeights(p), 1
	for range p.Length {
		words *= p.Alphabet
		for range words {
			if weights[row] != 1/float64(words) {
				t.Fatalf("the weight of %v is %v", p.Tokens(row), weights[row])
			}
			row++
		}
	}
}

// Rows and moments tell the same, to rounding, under every convention.
func TestKeptEqualsStreamed(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "golden_mean").Prefixes(t.Context(), 5))
	features := []Features{Stage(stages[1]), MarkovFeatures(p, 2)}
	kept := analyze(t, m, p, Plan{Features: features, Targets: []Target{Beliefs}, Keep: true})
	for _, text := range []string{
		"ours", "piotrowski2025", "last,equal,plain", "each,1e-3", "each,word,1e-3", "each,in-sample,1e-3",
	} {
		c, err := ParseConvention(text)
		if err != nil {
			t.Fatal(err)
		}
		streamed := analyze(t, m, p, Plan{Features: features, Targets: []Target{Beliefs}, Convention: c})
		rows := under(t, kept, c)
		wantClose(t, text+": KL", []float64{1, rows.KL().Mean}, []float64{1, streamed.KL().Mean}, 1e-12)
		for f := range features {
			got, want := reading(rows, f, 0), reading(streamed, f, 0)
			wantClose(t, text, numbersOf(got), numbersOf(want), 1e-8)
			wantClose(t, text+": R² by position", r2s(got.ByPosition), r2s(want.ByPosition), 1e-8)
			a, err := rows.Predict(t.Context(), rows.Plan.Targets[0], rows.Plan.Features[f])
			if err != nil {
				t.Fatal(err)
			}
			b, err := streamed.Predict(t.Context(), streamed.Plan.Targets[0], streamed.Plan.Features[f])
			if err != nil {
				t.Fatal(err)
			}
			if c.Positions != LastPosition { // what the fit makes of other words is extrapolated
				wantClose(t, text+": what is read", occurring(p, a), occurring(p, b), 1e-6)
			}
		}
	}
}

func numbersOf(r *Reading) []float64 {
	return []float64{1, r.R2, r.MSE, r.InSample.R2, r.InSample.MSE, r.R2Error}
}

// r2s are R² of positions where there is one: of the first, the words have beliefs that
// differ, but no fold has all of them.
func r2s(scores []Score) []float64 {
	list := []float64{1}
	for _, s := range scores[min(1, len(scores)):] {
		list = append(list, s.R2)
	}
	return list
}

// The workers fit folds as they come; the result is the same to the bit.
func TestKeptDoesNotDependOnTheWorkers(t *testing.T) {
	m, p := randomModel(t, models[2].config), must(build(t, "mess3").Prefixes(t.Context(), 6))
	plan := Plan{Features: studiedHere(p), Targets: both, Keep: true, Patterns: true, Workers: 1}
	want := analyze(t, m, p, plan)
	for _, workers := range []int{-1, 0, 2, 50} {
		plan.Workers = workers
		got := analyze(t, m, p, plan)
		wantSame(t, "patterns", got.Patterns, want.Patterns)
		for f := range plan.Features {
			wantSame(t, plan.Features[f].Name, *reading(got, f, 1), *reading(want, f, 1))
		}
	}
}

// Steering along a reading from rows is steering along one from moments, to rounding.
func TestSteerKept(t *testing.T) {
	m, p := randomModel(t, models[1].config), must(build(t, "mess3").Prefixes(t.Context(), 4))
	plan := Plan{Features: Stages(stages[1]), Targets: []Target{Beliefs}, Convention: Convention{Cutoff: 1e-4}}
	pairs := drawPairs(p, 100, 1)
	var found []*Steered
	for _, keep := range []bool{false, true} {
		plan.Keep = keep
		s, err := analyze(t, m, p, plan).steer(t.Context(), Beliefs, Stage(stages[1]), pairs, 1)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, s)
	}
	wantClose(t, "KL along", []float64{found[1].Likeliest.Along.Mean}, []float64{found[0].Likeliest.Along.Mean}, 1e-4)
}

func TestKeptRefuses(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 3))
	streamed := analyze(t, m, p, Plan{Features: Stages(stages[0]), Targets: both})
	if _, err := streamed.Under(t.Context(), Ours); err == nil {
		t.Error("moments can be read under another convention")
	}
	wantPanic(t, "rows of moments", func() { streamed.Table(streamed.Plan.Features[0]) })
	bad := Table{Data: slices.Repeat([]float64{1}, p.Rows()+1), Width: 1}
	wantPanic(t, "a table of other words", func() { _, _ = Relate(t.Context(), p, bad, beliefs(p)[0], Ours) })
	_, err := Analyze(t.Context(), nil, p, Plan{Features: Stages(stages[0])})
	if want := "probe: blocks.0.hook_resid_mid is a stage of a model, but no model is given"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Readings may be asked for at the same time, and are made once.
func TestReadingsAtTheSameTime(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 4))
	for _, keep := range []bool{false, true} {
		a := analyze(t, m, p, Plan{Features: studiedHere(p), Targets: both, Keep: keep})
		var group sync.WaitGroup
		for i := range 4 * len(a.Plan.Features) {
			group.Go(func() {
				f := i % len(a.Plan.Features)
				first := reading(a, f, 0)
				if _, err := a.Predict(t.Context(), a.Plan.Targets[1], a.Plan.Features[f]); err != nil || reading(a, f, 0) != first {
					t.Errorf("features %d: another reading, or %v", f, err)
				}
				a.Principal(a.Plan.Features[f])
			})
		}
		group.Wait()
	}
}
