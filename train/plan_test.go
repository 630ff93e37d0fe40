package train

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"foretell/model"
	"foretell/process"
)

func mustPlan(t *testing.T, c Config) *Plan {
	t.Helper()
	p, err := NewPlan(c, Setup{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// planned are configurations of every kind of step.
func planned() map[string]Config {
	concat := paperConfig(10)
	concat.Model = model.Config{Residual: "concat", NLayers: 2, NHeads: model.Heads{2, 1}, NCtx: 40}
	flat := paperConfig(10)
	flat.Model = model.Config{Architecture: "flat", DModel: 8, NLayers: 2, DMLP: 100, NCtx: 40}
	last := flat
	last.Train.LossPositions = []int{40}
	shared := paperConfig(10)
	shared.Process = ProcessConfig{Name: "iid", Params: process.Params{"n": 32.0}}
	shared.Model = model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 32}
	shared.Train.BatchSize, shared.Train.SharePrefixes = 2048, shareOn
	optimal, few, exact, lbfgs := shared, shared, exactConfig(), exactConfig()
	optimal.Train.Objective = objectiveOptimal
	few.Process, few.Model.NCtx, few.Train.SharePrefixes = ProcessConfig{}, 6, shareAuto
	few.Process.Name, few.Train.BatchSize = "mess3", 20000
	exact.Model.NCtx, exact.Model.DVocab, exact.Train.Optimizer, exact.Train.LR = 8, 200, "", 1e-3
	lbfgs.Model.DModel, lbfgs.Model.DMLP = 64, 256
	signal := paperConfig(10)
	signal.Process, signal.Train.EvaluateSequences = ProcessConfig{Name: "brackets"}, 1<<14
	recording := signal
	recording.Process, recording.Train.EvaluateSequences = ProcessConfig{Name: "recording"}, 1<<16
	recording.Process.Params = process.Params{"signal": slices.Repeat([]float64{1, 3, 2, 5}, 1000)}
	return map[string]Config{
		"plain": paperConfig(10), "concat": concat, "flat": flat, "last": last, "shared": shared, "optimal": optimal,
		"few": few, "exact": exact, "lbfgs": lbfgs, "signal": signal, "recording": recording,
	}
}

func TestMemoryIsChecked(t *testing.T) {
	c := smallConfig()
	c.Model.DModel, c.Model.DMLP, c.Model.NHeads, c.Model.NLayers = 1<<17, 1<<19, model.Heads{1}, 200
	_, err := NewTrainer(t.Context(), c, Setup{Workers: 2})
	if err == nil {
		t.Fatal("a model of 10¹⁴ parameters was accepted")
	}
}

// What there is too much of is told: of a batch whose prefixes are shared, or that is
// drawn to see whether they are to be, of the words of the exact objective, and of
// sequences to evaluate on.
func TestMemoryErrorSaysWhatToLower(t *testing.T) {
	plain := smallConfig()
	plain.Model.NCtx, plain.Train.BatchSize = 64, 1<<20
	shared, auto, evaluated, exact := plain, plain, plain, exactConfig()
	shared.Train.SharePrefixes, auto.Train.SharePrefixes = shareOn, shareAuto
	evaluated.Train.BatchSize, evaluated.Train.EvaluateSequences = 1, 1<<24
	exact.Model.NCtx, exact.Model.DVocab = 12, 1<<15
	for name, test := range map[string]struct {
		config Config
		shares bool
		fields string
		least  float64 // bytes
	}{
		"plain":           {plain, false, "model.d_model, n_layers, n_ctx", 0},
		"shared prefixes": {shared, true, "train.batch_size, model.n_ctx, d_vocab", 1 << 30},
		"before auto":     {auto, false, "train.batch_size, model.n_ctx, d_vocab", 1 << 29},
		"evaluation":      {evaluated, false, "train.evaluate_sequences, model.n_ctx", 1 << 34},
		"exact":           {exact, false, "model.n_ctx, d_vocab", 1 << 36},
	} {
		c := mustResolve(t, test.config)
		p, err := c.Process.Build()
		if err != nil {
			t.Fatal(err)
		}
		plan := newPlan(c, p, 2)
		if test.shares {
			plan.share()
		}
		if got := plan.greatest(); got.Fields != test.fields || got.Bytes < test.least || plan.Bytes < got.Bytes {
			t.Errorf("%s: %.0f bytes by %s, want at least %.0f by %s", name, got.Bytes, got.Fields, test.least, test.fields)
		}
	}
}

// The estimate counts numbers at the sizes that Go gives them.
func TestSizesOfNumbers(t *testing.T) {
	if int32Size != unsafe.Sizeof(int32(0)) || float32Size != unsafe.Sizeof(float32(0)) || float64Size != unsafe.Sizeof(float64(0)) {
		t.Errorf("sizes %d, %d and %d", int32Size, float32Size, float64Size)
	}
}

// The estimate is what a trainer holds, to within a third.
func TestMemoryEstimate(t *testing.T) {
	held := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // frees what only the cleanups of the first one held
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for name, c := range planned() {
		before := held()
		trainer := newTrainer(t, c, 2)
		step(t, trainer)
		got, want := float64(held()-before), trainer.Plan.Bytes
		if got > want*4/3 || got < want*2/3 {
			t.Errorf("%s: estimated %.0f bytes, held %.0f", name, want, got)
		}
		runtime.KeepAlive(trainer)
	}
}

// A trainer uses the numbers of its plan, and takes as many passes as it has.
func TestTrainerFollowsItsPlan(t *testing.T) {
	configs := planned()
	auto := paperConfig(10)
	auto.Train.SharePrefixes = shareAuto
	configs["auto"] = auto
	for name, c := range configs {
		plan, trainer := mustPlan(t, c), newTrainer(t, c, 2)
		forest := trainer.forest()
		if plan.SharesPrefixes != (trainer.sharing != nil) || (plan.PassRows > 0) != (forest != nil) ||
			forest != nil && forest.capacity != plan.PassRows || len(trainer.grads) != plan.Shards {
			t.Errorf("%s: %d shards, shared %v, forest %v; planned %+v",
				name, len(trainer.grads), trainer.sharing != nil, forest != nil, plan)
		}
		trainer.Plan.config, plan.config, trainer.Plan.process, plan.process = Config{}, Config{}, nil, nil
		if !reflect.DeepEqual(&trainer.Plan, plan) || len(trainer.pool.workers) != plan.Workers {
			t.Errorf("%s: the trainer has %+v, planned %+v", name, trainer.Plan, plan)
		}
		for _, w := range trainer.pool.workers {
			if got := len(w.batch.inputs) / w.batch.T; got != plan.Pass {
				t.Errorf("%s: a worker draws %d sequences at once, planned %d", name, got, plan.Pass)
			}
		}
		if got := passesTaken(trainer); got != plan.Passes {
			t.Errorf("%s: a step takes %d passes, planned %d", name, got, plan.Passes)
		}
		step(t, trainer)
		if got := float64(trainer.Tokens()); got*float64(plan.Steps) != plan.Tokens {
			t.Errorf("%s: a step has %v tokens, planned %v in %d steps", name, got, plan.Tokens, plan.Steps)
		}
	}
}

// passesTaken counts the passes of a step by the loops of [Trainer.shard] and
// [Trainer.passes]; 0 where steps go through trees.
func passesTaken(trainer *Trainer) (passes int) {
	if trainer.forest() != nil {
		return 0
	}
	for i := range trainer.grads {
		first, last := trainer.Plan.ofShard(i, trainer.Config.Train.BatchSize)
		for first < last {
			end := first + min(trainer.Plan.Group, last-first)
			for first < end {
				passes++
				first += min(trainer.Plan.Pass, end-first)
			}
		}
	}
	return passes
}

// The text of a plan fits into 78 columns.
func TestPlanIsNarrow(t *testing.T) {
	distinct := 0.99987
	p := Plan{
		Process: "mess3", Parameters: 1e9, Steps: 1e6, Batch: "128 sequences of 1024 tokens", Sequences: 128e6, Tokens: 1e11,
		Workers: 64, Shards: 16, Pass: 1, Passes: 1 << 20, SharePrefixes: shareAuto, DistinctPrefixes: &distinct,
		EvaluateEvery: 1e6, EvaluateSequences: 1 << 24, Evaluations: 1e6,
		CheckpointEvery: 1e6, CheckpointMinutes: 10, Checkpoints: 1e6, CheckpointRule: "list", KeptWeights: 1e4,
		Memory: []MemoryPart{{"held-out sequences", 999e9, "train.evaluate_sequences, model.n_ctx"}}, Bytes: 999e9, Machine: 999e9,
	}
	for _, p.PassRows = range []int{0, 256} {
		for _, p.SharePrefixes = range []string{shareOff, shareAuto} {
			var text strings.Builder
			p.Print(&text)
			for line := range strings.Lines(text.String()) {
				first, rest, cells := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				if width := max(len(first), 13) + len(rest); width > 78 || cells && len(first) > 20 {
					t.Errorf("%d columns: %q", width, line)
				}
			}
		}
	}
}

// Multiply-adds are those of all tokens that a plan counts. A configuration that is not
// resolved has fewer, since its alphabet is not known.
func TestProducts(t *testing.T) {
	for name, c := range planned() {
		p := mustPlan(t, c)
		resolved, err := p.config.Products()
		if want := p.Tokens * p.config.rowProducts(); err != nil || resolved != want {
			t.Errorf("%s: %v products, %v, want %v", name, resolved, err, want)
		}
		if got, err := c.Products(); err != nil || got <= resolved/3 || got > resolved {
			t.Errorf("%s, not resolved: %v products, %v, want less than %v", name, got, err, resolved)
		}
	}
	wrong := smallConfig()
	wrong.Model.NCtx = -1
	if got, err := wrong.Products(); err == nil {
		t.Errorf("%v products at n_ctx = −1", got)
	}
}
