package paper

import (
	"context"
	"math"
	"testing"

	"foretell/craft"
	"foretell/model"
	"foretell/process"
)

// The rows that need no long training come out as the sources' formulas say, with
// their files where they are promised.
func TestRowsAboutPrintedFormulas(t *testing.T) {
	for _, paper := range []struct {
		paper Paper
		want  map[string]Verdict
	}{
		{Coin, map[string]Verdict{"C1": Holds, "C2": Corrected, "C3": Corrected, "C4": Corrected}},
		{ABC, map[string]Verdict{"A2": Holds, "A3": Corrected, "A4": Corrected}},
	} {
		var ids []string
		for id := range paper.want {
			ids = append(ids, id)
		}
		rows, err := Select(paper.paper.Rows, ids)
		if err != nil {
			t.Fatal(err)
		}
		study := Study{Out: t.TempDir(), Profile: Quick, Workers: 2}
		claims, err := study.Reproduce(context.Background(), rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			if c.Verdict != paper.want[c.ID] || c.Obtained == "" {
				t.Errorf("%s: %s, want %s: %s", c.ID, c.Verdict, paper.want[c.ID], c.Obtained)
			}
			checkFiles(t, study.Out, c)
		}
	}
}

// A model that is the posterior predictive has no divergence by the measure of C6,
// and its attention is as far from uniform as the weight of BOS makes it.
func TestCoinIsMeasured(t *testing.T) {
	built, err := craft.Make("coin", process.Params{"a": 2.0, "b": 2.0, "n_ctx": 33.0, "error": 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	r := &coinRun{a: 2, b: 2, positions: "none", bos: true}
	if err := r.measure(model.Convert[float32](built.Model), built.Process); err != nil {
		t.Fatal(err)
	}
	for n, kl := range r.kl {
		if math.Abs(kl) > 1e-6 {
			t.Errorf("after %d flips: %v nats", n, kl)
		}
		// BOS has the weight 4 among n flips of weight 1.
		if want := 4/float64(4+n) - 1/float64(1+n); math.Abs(r.uniform[n]-want) > 1e-3 {
			t.Errorf("after %d flips attention is %v from uniform, want %v", n, r.uniform[n], want)
		}
	}
}

// A model that ignores the flips misses all that they tell.
func TestCoinMissesAll(t *testing.T) {
	m, err := model.Zero[float32](model.Config{
		DModel: 2, NLayers: 1, NHeads: model.Heads{1}, NCtx: 40, DVocab: 3, AttnOnly: true, PositionalEmbeddingType: "none", NormalizationType: "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Weights.Get("unembed.b_U").Data[process.BOS] = -1000
	p, err := process.NewCoin(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &coinRun{a: 1, b: 1, positions: "none", bos: true}
	if err := r.measure(m, p.WithBOS()); err != nil {
		t.Fatal(err)
	}
	if r.information[0] != 0 {
		t.Errorf("no flips tell %v nats", r.information[0])
	}
	if missed := r.missed(0, 39); math.Abs(missed-1) > 0.1 { // measured on 512 sequences
		t.Errorf("%v is missed", missed)
	}
}

// A short training of C6's kind approaches the posterior.
func TestCoinIsTrained(t *testing.T) {
	s := &Study{ctx: context.Background()}
	r := &coinRun{a: 1, b: 1, positions: "none", bos: true}
	if err := r.train(s, 60); err != nil {
		t.Fatal(err)
	}
	if kl := r.within(0, coinTrained); !(kl < 0.05) {
		t.Errorf("%v nats after 60 steps", kl)
	}
}

// The measure of C5 sees a model for which the order of the flips matters.
func TestOrderErrorSeesOrder(t *testing.T) {
	m, err := model.New[float64](model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, DMLP: 8, NCtx: 64, DVocab: 3, InitializerRange: 0.5}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if moved := orderError(m); !(moved > 1e-3) {
		t.Errorf("learned positions: shuffles change a prediction by %v", moved)
	}
}
