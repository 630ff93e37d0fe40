package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
)

// anyAlphabet is a process of which only the size of its alphabet is asked.
type anyAlphabet struct {
	process.Sampler
	tokens int
}

func (p anyAlphabet) Alphabet() int { return p.tokens }
func (p anyAlphabet) Name() string  { return "any" }

// The most prefixes that the exact objective takes are 2²¹, and the n_ctx that an error
// advises is the largest that has no more: at the limit, above it, and where not even one
// token is within it.
func TestMostPrefixesOfTheExactObjective(t *testing.T) {
	const most = 1 << 21
	exact := Options{Objective: objectiveExact}
	for _, test := range []struct {
		tokens, length int
		fits           bool
		advice         string
	}{
		{most, 1, true, "use an n_ctx of at most 1, or "},
		{most, 2, false, "use an n_ctx of at most 1, or "},
		{most - 1, 1, true, "use an n_ctx of at most 1, or "},
		{most + 1, 1, false, "use "},
		{2, 20, true, "use an n_ctx of at most 20, or "}, // 2²¹ − 2 prefixes
		{2, 21, false, "use an n_ctx of at most 20, or "},
	} {
		p := anyAlphabet{tokens: test.tokens}
		err := exact.checkWords(test.length, p)
		if fits := err == nil; fits != test.fits {
			t.Errorf("%d tokens, length %d: %v", test.tokens, test.length, err)
		}
		if err != nil && !strings.Contains(err.Error(), test.advice+"objective: optimal_targets") {
			t.Errorf("%d tokens, length %d: %v, want the advice %q", test.tokens, test.length, err, test.advice)
		}
		if got := shorter(p); got != test.advice {
			t.Errorf("%d tokens: %q, want %q", test.tokens, got, test.advice)
		}
		if err := (Options{}).checkWords(test.length, p); err != nil {
			t.Errorf("sampled batches: %v", err)
		}
	}
}

// Without attention no pass and no group holds more sequences than the largest shard, and
// a pass holds as many as that and its rows allow.
func TestPassesWithoutAttention(t *testing.T) {
	for _, last := range []bool{false, true} {
		for batch := 1; batch <= 300; batch++ {
			c := paperConfig(10)
			c.Model = model.Config{Architecture: "flat", DModel: 4, NCtx: 4}
			c.Train.BatchSize = batch
			if last {
				c.Train.LossPositions = []int{4}
			}
			p, largest := mustPlan(t, c), 0
			for i := range p.Shards {
				from, to := p.ofShard(i, batch)
				largest = max(largest, to-from)
			}
			rows := 4
			if last {
				rows = 1 // each sequence computes one position
			}
			if want := min(largest, 128/rows); p.Pass != want {
				t.Errorf("last %v: batch %d in %d shards: passes of %d sequences, want %d", last, batch, p.Shards, p.Pass, want)
			}
			if want := min(largest, 256/rows); p.Group != want {
				t.Errorf("last %v: batch %d in %d shards: groups of %d sequences, want %d", last, batch, p.Shards, p.Group, want)
			}
		}
	}
}

// A pass of ten rows over sequences of four tokens copies up to three rows of the pass
// before, so that seven are new.
func TestForestSizeCountsCopiedRows(t *testing.T) {
	p := Plan{PassRows: 10, objective: Objective{Weights: []float64{1, 1, 1, 1}}}
	p.config.Model.DVocab = 3
	if got, want := p.forestSize(700, 1), float64(1000*(2*4+4*3+1)); got != want {
		t.Errorf("%v bytes, want %v", got, want)
	}
}

// The text of a plan gives each number under its name.
func TestPlanTextNamesItsNumbers(t *testing.T) {
	distinct := 0.25
	p := Plan{
		Process: "mess3", Parameters: 11, Steps: 12, Batch: "13 sequences of 14 tokens", Sequences: 15, Tokens: 16,
		Workers: 17, Shards: 18, Pass: 19, Passes: 20, SharePrefixes: shareAuto, DistinctPrefixes: &distinct,
		EvaluateEvery: 21, EvaluateSequences: 22, Evaluations: 23,
		CheckpointEvery: 24, CheckpointMinutes: 25, Checkpoints: 26, CheckpointRule: "list", KeptWeights: 27,
		Memory: []MemoryPart{{"weights", 2 << 20, "model.d_model"}, {"batches", 3 << 20, "train.batch_size"}},
		Bytes:  5 << 20, Machine: 7 << 30,
	}
	checkPlanText(t, &p, map[string]string{
		"process": "mess3", "model": "11 parameters", "steps": "12, each on 13 sequences of 14 tokens",
		"in all": "15 sequences, 16 tokens", "workers": "17", "shards": "18",
		"passes":      "20 in a step, of at most 19 sequences",
		"prefixes":    "not shared: 25 % are distinct, and auto shares up to 70 %",
		"evaluations": "23, one every 21 steps, on 22 sequences",
		"checkpoints": "26, one every 24 steps or 25 minutes",
		"kept":        "the last two checkpoints, and the weights of 27 steps (list)",
		"weights":     "2.1 MB\tmodel.d_model", "batches": "3.1 MB\ttrain.batch_size",
		"memory": "about 5.2 MB; the machine has 7.5 GB",
	})
	p.PassRows, p.SharesPrefixes, p.DistinctPrefixes = 28, true, nil
	p.CheckpointRule, p.CheckpointMinutes, p.Machine = keepLast, 0, 0
	checkPlanText(t, &p, map[string]string{
		"passes": "of at most 28 prefixes", "prefixes": "shared, because only one position is learned",
		"checkpoints": "26, one every 24 steps", "kept": "the last two checkpoints", "memory": "about 5.2 MB",
	})
	p.SharePrefixes, p.CheckpointMinutes = shareOn, 0.5
	checkPlanText(t, &p, map[string]string{"checkpoints": "26, one every 24 steps or 0.5 minutes"})
	checkPlanText(t, &p, map[string]string{"prefixes": "shared (train.share_prefixes: on)"})
	p.objective.Exact = true
	checkPlanText(t, &p, map[string]string{"prefixes": "each once (train.objective: exact)"})
}

// checkPlanText checks lines of a plan's text by the name with which they begin.
func checkPlanText(t *testing.T, p *Plan, want map[string]string) {
	t.Helper()
	var text strings.Builder
	p.Print(&text)
	got := map[string]string{}
	for line := range strings.Lines(text.String()) {
		name, rest, found := strings.Cut(line, "\t")
		if !found {
			name, rest, _ = strings.Cut(line, ": ")
		}
		got[strings.TrimSpace(name)] = strings.TrimSuffix(rest, "\n")
	}
	for name, rest := range want {
		if fmt.Sprint(got[name]) != rest {
			t.Errorf("%s: %q, want %q", name, got[name], rest)
		}
	}
}

// Shards are computed each once, the longer ones first.
func TestLongShardsComeFirst(t *testing.T) {
	c := paperConfig(10)
	c.Train.BatchSize = 64
	trainer := newTrainer(t, c, 1)
	shards := len(trainer.grads)
	for _, n := range []int{0, 1, shards - 1, shards, shards + 1, 5*shards - 1, 5 * shards, 5*shards + 3} {
		trainer.orderShards(n)
		if sorted := slices.Sorted(slices.Values(trainer.order)); len(sorted) != shards || sorted[0] != 0 ||
			sorted[shards-1] != shards-1 || len(slices.Compact(sorted)) != shards {
			t.Fatalf("%d items: the order is %v", n, trainer.order)
		}
		before := n
		for _, i := range trainer.order {
			first, last := trainer.Plan.ofShard(i, n)
			if last-first > before {
				t.Errorf("%d items: a shard of %d comes after one of %d", n, last-first, before)
			}
			before = last - first
		}
	}
}

// A gradient is clipped if its norm is above the limit, to just below it, and otherwise
// stays as it is.
func TestClippingAtItsLimit(t *testing.T) {
	c := smallConfig()
	c.Train.MaxGradNorm = 0.5
	trainer := newTrainer(t, c, 1)
	step(t, trainer)
	for norm, scale := range map[float64]float64{
		0: 1, 0.25: 1, 0.5: 1, math.Nextafter(0.5, 1): 0.5 / 0.500001, 1: 0.5 / 1.000001, 2: 0.5 / 2.000001,
	} {
		trainer.gradNorm = norm
		for i := range trainer.grads[0].Data {
			trainer.grads[0].Data[i] = 0.75
		}
		for i := range trainer.parts {
			trainer.update(nil, i)
		}
		want := float32(0.75) * float32(scale)
		for i, g := range trainer.grads[0].Data {
			if g != want {
				t.Fatalf("norm %v: entry %d of the gradient is %v, want %v", norm, i, g, want)
			}
		}
	}
}

// A pass over trees has room for two sequences, at most the rows of a large pass, and no
// more than a shard has.
func TestRowsOfTrees(t *testing.T) {
	for _, test := range []struct{ nCtx, batch, forest int }{
		{8, 1024, 256},
		{8, 512, 256},
		{8, 256, 256},
		{8, 17, 256},
		{128, 64, 256},
		{129, 64, 258},
		{200, 400, 400},
	} {
		c := paperConfig(10)
		c.Model = model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: test.nCtx}
		c.Train.BatchSize, c.Train.SharePrefixes = test.batch, shareOn
		p := mustPlan(t, c)
		want := min(test.forest, max(2*test.nCtx, test.batch*test.nCtx/p.Shards))
		if p.forestRows() != test.forest || p.treeRows() != want || p.PassRows != want {
			t.Errorf("n_ctx %d, batch %d: %d and %d rows in %d shards, want %d and %d",
				test.nCtx, test.batch, p.forestRows(), p.treeRows(), p.Shards, test.forest, want)
		}
		if room := (want-1)/test.nCtx + 1; p.Room < room || p.Room*test.nCtx < want {
			t.Errorf("n_ctx %d: room for %d sequences, and a pass has %d rows", test.nCtx, p.Room, want)
		}
	}
}
