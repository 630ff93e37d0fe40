package train

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"foretell/internal/safetensors"
	"foretell/model"
	"foretell/process"
)

// paperConfig is the setting of Piotrowski et al. 2025 for a number of steps.
func paperConfig(steps int) Config {
	return Config{
		Process: ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 64, NLayers: 1, NHeads: model.Heads{1}, DMLP: 256, NCtx: 10},
		Train:   Options{Seed: 1, BatchSize: 128, NumSteps: steps, LR: 1e-4},
	}
}

// smallConfig is quick to train.
func smallConfig() Config {
	c := paperConfig(40)
	c.Model.DModel, c.Model.DMLP, c.Model.NHeads, c.Model.NCtx = 16, 32, model.Heads{2}, 6
	c.Train.BatchSize, c.Train.LR = 24, 1e-2
	c.Train.EvaluateEvery, c.Train.EvaluateSequences, c.Train.CheckpointEvery = 5, 64, 10
	return c
}

func newTrainer(t *testing.T, c Config, workers int) *Trainer {
	t.Helper()
	trainer, err := NewTrainer(t.Context(), c, Setup{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	return trainer
}

// step takes a step that nobody interrupts.
func step(t testing.TB, trainer *Trainer) float64 {
	t.Helper()
	loss, err := trainer.Step(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return loss
}

// evaluate is an evaluation that nobody interrupts.
func evaluate(t testing.TB, trainer *Trainer) Evaluation {
	t.Helper()
	e, err := trainer.Evaluate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// evaluationText is an evaluation as metrics.jsonl has it.
func evaluationText(t testing.TB, trainer *Trainer) string {
	t.Helper()
	return jsonText(t, evaluate(t, trainer))
}

func jsonText(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// weightsHash is the SHA-256 of the weights' bits.
func weightsHash(m *model.Transformer[float32]) string {
	data := m.Weights.Data
	return fmt.Sprintf("%x", sha256.Sum256(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 4*len(data))))
}

// Logits, every gradient and ten losses of each optimiser agree with PyTorch's
// to 1e-5; testdata/torch_golden.py made the references.
func TestAgreesWithPyTorch(t *testing.T) {
	files, err := filepath.Glob("testdata/torch_*.safetensors")
	if err != nil || len(files) != 7 {
		t.Fatalf("golden files: %v, %v", files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			g := readGolden(t, path)
			m, w := g.model(t), model.NewWorkspace[float32](g.config, g.batch)
			grads := model.NewWeights[float32](g.config)
			near(t, "logits", m.Forward(w, g.tokens, g.batch), g.tensor(t, "logits"))
			g.backward(m, w, grads)
			for _, tensor := range grads.Tensors {
				near(t, "gradient of "+tensor.Name, tensor.Data, g.tensor(t, "grad."+tensor.Name))
			}
			for name, options := range map[string]Options{
				"adam":  {Optimizer: "adam", LR: 1e-2, Betas: []float64{0.8, 0.95}, Eps: 1e-7, WeightDecay: 0.01},
				"adamw": {Optimizer: "adamw", LR: 1e-2, Betas: []float64{0.9, 0.999}, Eps: 1e-8, WeightDecay: 0.1},
				"sgd":   {Optimizer: "sgd", LR: 1e-1, Momentum: 0.9, WeightDecay: 1e-3},
			} {
				options.NumSteps = 10
				near(t, "losses of "+name, g.losses(t, options), g.tensor(t, "losses."+name))
			}
		})
	}
}

// golden is a reference file.
type golden struct {
	file            *safetensors.File
	config          model.Config
	batch           int
	tokens, targets []int32
	weights         []float32
}

func readGolden(t *testing.T, path string) *golden {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := &golden{}
	if g.file, err = safetensors.Read(data); err != nil {
		t.Fatal(err)
	}
	var c struct {
		DModel int    `json:"d_model"`
		Heads  []int  `json:"n_heads"`
		DHead  int    `json:"d_head"`
		DMLP   int    `json:"d_mlp"`
		NCtx   int    `json:"n_ctx"`
		DVocab int    `json:"d_vocab"`
		Act    string `json:"act_fn"`
		Norm   string `json:"normalization_type"`
		Tied   bool   `json:"tie_unembed"`
		Bias   *bool  `json:"unembed_bias"`
	}
	if err := json.Unmarshal([]byte(g.file.Metadata["config"]), &c); err != nil {
		t.Fatal(err)
	}
	g.config, err = model.Config{
		DModel: c.DModel, NLayers: len(c.Heads), NHeads: c.Heads, DHead: c.DHead, DMLP: c.DMLP, NCtx: c.NCtx, DVocab: c.DVocab,
		ActFn: c.Act, NormalizationType: c.Norm, AttnOnly: c.DMLP == 0, TieUnembed: c.Tied, UnembedBias: c.Bias,
	}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range g.tensor(t, "tokens") {
		g.tokens = append(g.tokens, int32(x))
	}
	for _, x := range g.tensor(t, "targets") {
		g.targets = append(g.targets, int32(x))
		g.weights = append(g.weights, 1/float32(len(g.tokens)))
	}
	g.batch = len(g.tokens) / c.NCtx
	return g
}

func (g *golden) tensor(t *testing.T, name string) []float32 {
	t.Helper()
	tensor, ok := g.file.Tensor(name)
	if !ok {
		t.Fatalf("no tensor %s", name)
	}
	return tensor.F32
}

func (g *golden) model(t *testing.T) *model.Transformer[float32] {
	t.Helper()
	m, err := model.Zero[float32](g.config)
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range m.Weights.Tensors {
		copy(tensor.Data, g.tensor(t, tensor.Name))
	}
	return m
}

func (g *golden) backward(m *model.Transformer[float32], w *model.Workspace[float32], grads *model.Weights[float32]) float64 {
	loss := m.CrossEntropy(w, g.targets, g.weights)
	m.Pack()
	m.Backward(w, g.tokens, grads)
	return loss
}

func (g *golden) losses(t *testing.T, o Options) (losses []float32) {
	t.Helper()
	m, opt := g.model(t), newOptimizer(o, g.config)
	w := model.NewWorkspace[float32](g.config, g.batch)
	for step := 1; step <= o.NumSteps; step++ {
		grads := model.NewWeights[float32](g.config)
		m.Forward(w, g.tokens, g.batch)
		losses = append(losses, float32(g.backward(m, w, grads)))
		opt.update(m.Weights, grads, 0, len(grads.Data), step)
	}
	return losses
}

// near checks that got is want to within 1e-5, relative to the largest entry
// where that is above 1.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	scale := 1.0
	for _, x := range want {
		scale = max(scale, math.Abs(float64(x)))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-5*scale) {
			t.Errorf("%s: entry %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// The weights after some steps are the same bits for any number of workers, for
// batches that do and do not fill the shards, and with each optimiser.
func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	for _, change := range []func(*Config){
		func(*Config) {},
		func(c *Config) { c.Train.BatchSize = 7 },
		func(c *Config) { c.Train.BatchSize = 37; c.Train.MaxGradNorm = 0.1; c.Train.Optimizer = "adamw" },
		func(c *Config) {
			c.Train.Optimizer, c.Train.Momentum, c.Train.LRSchedule = "sgd", 0.9, "cosine"
			c.Train.LossPositions, c.Train.LossWeights = []int{6, 2}, []float64{3, 1}
		},
	} {
		c := smallConfig()
		change(&c)
		var want string
		for _, workers := range []int{1, 2, 3, 8} {
			trainer := newTrainer(t, c, workers)
			for range 20 {
				step(t, trainer)
			}
			got := weightsHash(trainer.Model) + evaluationText(t, trainer)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%d workers: %s, one worker: %s", workers, got, want)
			}
		}
	}
}

// A step's gradient is the batch's: one pass over the whole batch gives it, too.
func TestShardsAddUpToTheBatch(t *testing.T) {
	c := smallConfig()
	trainer := newTrainer(t, c, 2)
	c = trainer.Config
	before := model.Convert[float64](trainer.Model)
	loss := step(t, trainer)

	batch, n := c.Train.BatchSize, c.Model.NCtx
	inputs, targets := make([]int32, batch*n), make([]int32, batch*n)
	newDrawer(trainer.Process, c.Train.Seed, "train/batch", n).draw(inputs, targets, 1, 0, batch)
	weights := make([]float64, batch*n)
	for i := range weights {
		weights[i] = 1 / float64(batch*n)
	}
	w, grads := model.NewWorkspace[float64](c.Model, batch), model.NewWeights[float64](c.Model)
	before.Forward(w, inputs, batch)
	if want := before.CrossEntropy(w, targets, weights); math.Abs(loss-want) > 1e-6 {
		t.Errorf("loss %v, in one pass %v", loss, want)
	}
	before.Pack()
	before.Backward(w, inputs, grads)
	for i, g := range trainer.grads[0].Data {
		if math.Abs(float64(g)-grads.Data[i]) > 1e-6 {
			t.Fatalf("gradient %d is %v, in one pass %v", i, g, grads.Data[i])
		}
	}
}

func TestClippingBoundsTheStep(t *testing.T) {
	c := smallConfig()
	c.Train.Optimizer, c.Train.LR, c.Train.MaxGradNorm = "sgd", 1, 1e-3
	trainer := newTrainer(t, c, 1)
	before := append([]float32(nil), trainer.Model.Weights.Data...)
	step(t, trainer)
	moved := 0.0
	for i, x := range trainer.Model.Weights.Data {
		moved += float64(x-before[i]) * float64(x-before[i])
	}
	if trainer.gradNorm < 1e-3 || math.Abs(math.Sqrt(moved)-1e-3) > 1e-5 {
		t.Errorf("a gradient of norm %v moved the weights by %v", trainer.gradNorm, math.Sqrt(moved))
	}
}

func TestOnlyChosenPositionsAreLearned(t *testing.T) {
	c := smallConfig()
	c.Train.LossPositions = []int{1}
	trainer := newTrainer(t, c, 1)
	for range 5 {
		step(t, trainer)
	}
	// Positions from the second on are never read, so their embeddings stay.
	initial, err := model.New[float32](trainer.Config.Model, trainer.Config.Train.Seed)
	if err != nil {
		t.Fatal(err)
	}
	d := c.Model.DModel
	was, is := initial.Weights.Get("pos_embed.W_pos").Data, trainer.Model.Weights.Get("pos_embed.W_pos").Data
	if reflect.DeepEqual(was[:d], is[:d]) || !reflect.DeepEqual(was[d:], is[d:]) {
		t.Error("position 1 alone should have moved")
	}
}

// Positions after the last that is learned are not computed: the model learns
// what one with the shorter context learns.
func TestSequencesEndWhereLearningEnds(t *testing.T) {
	long := smallConfig()
	long.Model.PositionalEmbeddingType = "sinusoidal"
	short := long
	short.Model.NCtx = 4
	long.Train.LossPositions = []int{1, 2, 3, 4}
	a, b := newTrainer(t, long, 2), newTrainer(t, short, 2)
	step(t, a)
	step(t, b)
	if a.Tokens() != b.Tokens() || weightsHash(a.Model) != weightsHash(b.Model) {
		t.Errorf("%d tokens to weights %s, want %d to %s", a.Tokens(), weightsHash(a.Model), b.Tokens(), weightsHash(b.Model))
	}
}

// The bits are the same for passes of any number of sequences up to a group.
func TestSameBitsForPassesOfAnySize(t *testing.T) {
	for _, change := range []func(*Config){
		func(*Config) {},
		func(c *Config) { c.Train.Objective = objectiveOptimal; c.Model.NormalizationType = "none" },
		func(c *Config) { c.Train.LossPositions = []int{c.Model.NCtx} },
		func(c *Config) { c.Model.PositionalEmbeddingType, c.Model.AttnOnly, c.Model.DMLP = "rotary", true, 0 },
	} {
		c := smallConfig()
		c.Train.BatchSize = 300
		change(&c)
		run := func(pass int) string {
			trainer := newTrainer(t, c, 2)
			if pass > trainer.Plan.Pass || trainer.Plan.Pass == trainer.Plan.Group {
				t.Fatalf("passes of %d in groups of %d", trainer.Plan.Pass, trainer.Plan.Group)
			}
			if pass > 0 {
				trainer.Plan.Pass = pass
			}
			text := ""
			for range 10 {
				text += fmt.Sprintln(step(t, trainer), trainer.gradNorm)
			}
			return text + weightsHash(trainer.Model) + evaluationText(t, trainer)
		}
		want := run(0)
		for _, pass := range []int{1, 2, 3, 7} {
			if got := run(pass); got != want {
				t.Errorf("passes of %d sequences: %s, want %s", pass, got, want)
			}
		}
	}
}

// Where the last position alone is learned, the others' work is spared and
// nothing else changes: the bits are those of whole passes with weight 0 there.
func TestLastPositionAloneHasTheSameBits(t *testing.T) {
	c := smallConfig()
	c.Model.NLayers, c.Train.LossPositions = 2, []int{c.Model.NCtx}
	narrow, whole := newTrainer(t, c, 2), newTrainer(t, c, 2)
	if !narrow.Plan.lastOnly {
		t.Fatal("every position is computed")
	}
	whole.Plan.lastOnly = false
	for _, w := range whole.pool.workers {
		w.batch = newBatch(&whole.Plan, whole.Plan.Pass, false)
	}
	for range 20 {
		if got, want := step(t, narrow), step(t, whole); got != want {
			t.Fatalf("step %d: loss %v, want %v", narrow.At(), got, want)
		}
	}
	if got, want := weightsHash(narrow.Model), weightsHash(whole.Model); got != want {
		t.Errorf("weights %s, want %s", got, want)
	}
}

// A position whose weight is next to nothing is still learned.
func TestSmallWeightsCount(t *testing.T) {
	c := smallConfig()
	c.Train.LossPositions, c.Train.LossWeights = []int{1, 6}, []float64{1e-20, 1}
	if trainer := newTrainer(t, c, 1); trainer.Plan.lastOnly {
		t.Error("position 1 is passed over")
	}
}

// A share of the gap is 100 % where it is, and not before.
func TestGapTextRoundsNoShareUp(t *testing.T) {
	for _, c := range []struct {
		closed       float64
		format, want string
	}{
		{0.99958, "%.1f %%", "99.9 %"},
		{0.99958, "%.2f %%", "99.96 %"},
		{0.999999, "%.2f %%", "99.99 %"},
		{0.9994, "%.1f %%", "99.9 %"},
		{1, "%.1f %%", "100.0 %"},
		{math.Nextafter(1, 0), "%.0f %%", "99 %"},
		{0.5, "%.0f %%", "50 %"},
	} {
		if got := (Evaluation{GapClosed: &c.closed}).GapText(c.format); got != c.want {
			t.Errorf("%v in %q: %q, want %q", c.closed, c.format, got, c.want)
		}
	}
}

// Positions are those that a step computes: of a flat window the last, of shared prefixes
// each once, and of a search along a direction all that it tries.
func TestPositions(t *testing.T) {
	flat := smallConfig()
	flat.Model = model.Config{Architecture: "flat", DModel: 3, NCtx: 6}
	flat.Train.LossPositions = []int{6}
	shared := smallConfig()
	shared.Train.SharePrefixes = shareOn
	for _, c := range []struct {
		config      Config
		least, most int64
	}{{smallConfig(), 24 * 6, 24 * 6}, {flat, 24, 24}, {shared, 30, 24*6 - 1}, {exactConfig(), 2 * 363, 25 * 400}} {
		trainer := newTrainer(t, c.config, 2)
		step(t, trainer)
		if got := trainer.Positions(); got < c.least || got > c.most {
			t.Errorf("%+v: %d positions, want %d to %d", c.config.Model, got, c.least, c.most)
		}
	}
}

// No configuration of TestSameBitsEverywhere allocates in a steady step, on
// whichever worker a shard falls.
func TestSteadyStepsDoNotAllocate(t *testing.T) {
	for _, b := range bitsOf {
		b.config.Train.NumSteps = 100
		trainer := newTrainer(t, b.config, 2)
		trainer.step = 1
		if err := trainer.differentiate(t.Context()); err != nil { // draws and orders what shards are of
			t.Fatal(err)
		}
		for _, w := range trainer.pool.workers {
			trainer.shardTask(w, 0)
		}
		if n := testing.AllocsPerRun(5, func() { step(t, trainer) }); n != 0 {
			t.Errorf("%s: %v allocations in a step", b.name, n)
		}
	}
}

// Where there is nothing to learn, no share of it is reported.
func TestNoGap(t *testing.T) {
	c := smallConfig()
	c.Process = ProcessConfig{Name: "iid"}
	trainer := newTrainer(t, c, 1)
	if e := evaluate(t, trainer); e.GapClosed != nil || math.Abs(e.Chance-e.Floor) > noGap {
		t.Errorf("%+v", e)
	}
	if text := evaluationText(t, trainer); strings.Contains(text, "gap") {
		t.Error(text)
	}
}

// Training closes the gap: the evaluation is consistent with itself, never
// better than the floor, and ends far closer to it than it began.
func TestTrainingApproachesTheFloor(t *testing.T) {
	for _, p := range []ProcessConfig{
		{Name: "mess3", Params: process.Params{"x": 0.05, "a": 0.85}},
		{Name: "interleaved", Params: process.Params{"P": [][]float64{{0.9, 0.1}, {0.1, 0.9}}, "lags": []float64{1, 2}}},
	} {
		c := smallConfig()
		c.Train.NumSteps = 300
		c.Process = p
		trainer := newTrainer(t, c, 2)
		first := evaluate(t, trainer)
		for range c.Train.NumSteps {
			step(t, trainer)
		}
		last := evaluate(t, trainer)
		for _, e := range []Evaluation{first, last} {
			if e.KL < 0 || !e.FloorIsExact || math.Abs(e.LossEval-e.Floor-e.KL) > 1e-15 || *e.GapClosed > 1 {
				t.Errorf("%s: inconsistent evaluation %+v", p.Name, e)
			}
		}
		if last.KL > first.KL/10 || *last.GapClosed < 0.8 {
			t.Errorf("%s: KL went from %v to %v, %v of the gap closed", p.Name, first.KL, last.KL, *last.GapClosed)
		}
	}
}

// A process without hidden states, which is not stationary either, is trained beside its
// exact floor.
func TestTrainingOnBrackets(t *testing.T) {
	c := smallConfig()
	c.Process = ProcessConfig{Name: "brackets", Params: process.Params{"tags": 3.0, "depth": 2.0, "open": 0.2, "close": 0.3}}
	c.Model.NCtx, c.Train.NumSteps = 12, 150
	trainer := newTrainer(t, c, 2)
	first := evaluate(t, trainer)
	for range c.Train.NumSteps {
		step(t, trainer)
	}
	last := evaluate(t, trainer)
	if !last.FloorIsExact || last.KL < 0 || last.KL > first.KL/2 || *last.GapClosed < 0.5 || *last.GapClosed > 1 {
		t.Errorf("from %+v to %+v", first, last)
	}
}

// The rate follows its schedule, and keeps its last value in steps beyond the last one.
func TestSchedules(t *testing.T) {
	for _, test := range []struct {
		schedule string
		want     []float64 // at steps 1, 2, 3, 6, 11, 15
	}{
		{"constant", []float64{0.5, 1, 1, 1, 1, 1}},
		{"linear", []float64{0.5, 1, 1, 0.7, 0.2, 0.2}},
		{"cosine", []float64{0.5, 1, 1, 0.2 + 0.8*(1+math.Cos(math.Pi*3/8))/2, 0.2, 0.2}},
	} {
		o := Options{LR: 1, LRSchedule: test.schedule, LRFinal: 0.2, WarmupSteps: 2, NumSteps: 11}
		for i, step := range []int{1, 2, 3, 6, 11, 15} {
			if got := o.rate(step); math.Abs(got-test.want[i]) > 1e-12 {
				t.Errorf("%s at step %d: %v, want %v", test.schedule, step, got, test.want[i])
			}
		}
	}
}

// A process whose floor cannot be enumerated is trained with an estimated one.
func TestFloorFallsBackToTheSample(t *testing.T) {
	for name, least := range map[string]float64{"mess3": 1.08, "interleaved": 0.8} {
		c := smallConfig()
		c.Process.Name, c.Model.NCtx, c.Train.NumSteps = name, 40, 1
		trainer := newTrainer(t, c, 1)
		e := evaluate(t, trainer)
		if e.FloorIsExact || e.Floor < least || e.Floor > e.Chance || e.Chance > math.Log(3)+1e-12 {
			t.Errorf("%s: floor %v (exact %v), chance %v", name, e.Floor, e.FloorIsExact, e.Chance)
		}
	}
}

// Shards are computed each once, the longer ones first, whatever their number.
func TestLongerShardsComeFirst(t *testing.T) {
	trainer := &Trainer{Plan: Plan{Shards: 4}, grads: make([]*model.Weights[float32], 4)}
	for n := range 20 {
		trainer.orderShards(n)
		var sizes []int
		seen := map[int]bool{}
		for _, i := range trainer.order {
			first, last := trainer.Plan.ofShard(i, n)
			sizes, seen[i] = append(sizes, last-first), true
		}
		if len(seen) != len(trainer.grads) || len(sizes) != len(seen) {
			t.Errorf("of %d sequences the order of the shards is %v", n, trainer.order)
		}
		if !slices.IsSortedFunc(sizes, func(a, b int) int { return b - a }) {
			t.Errorf("of %d sequences the shards, as they are computed, have %v", n, sizes)
		}
	}
}

// What train prints of an evaluation fits into 78 columns.
func TestTextsAreNarrow(t *testing.T) {
	closed, loss, share := 0.99999, 12.34567, 1.0
	optimum := func(memorised bool) *Optimum { return &Optimum{KL: 1.23e-05, Floor: 12.34567, Memorised: memorised} }
	accuracy := &Accuracy{Overall: 1, Ceiling: 1, Constant: 1, Retrieval: &share, RetrievalCount: 1_000_000}
	for _, e := range []Evaluation{
		{Optimum: optimum(false)},
		{Optimum: optimum(false), Accuracy: accuracy},
		{Optimum: optimum(true), Accuracy: accuracy},
		{Observed: &Observed{HeldOut: true, LossWindows: &loss}, Accuracy: accuracy},
		{Observed: &Observed{}, Accuracy: accuracy},
	} {
		e.LossEval, e.Chance = 12.34567, 12.34567
		for _, e.GapClosed = range []*float64{&closed, new(float64), nil} {
			if row := "step 3000  " + e.Row(); len(row) > 78 {
				t.Errorf("%d columns: %s", len(row), row)
			}
			for _, line := range e.Summary() {
				if len(line) > 76 {
					t.Errorf("%d columns: %s", len(line), line)
				}
			}
		}
	}
}

// Training has diverged if the loss of an evaluation or of the last step, or the gradient
// norm, is not a number, and the error states it.
func TestCheckFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		evaluation, loss, norm float64
		want                   string
	}{
		{1, 2, 3, "<nil>"},
		{nan, 2, 3, "train: diverged: at step 0 the loss is NaN and the gradient norm 3; lower train.lr, or set train.max_grad_norm"},
		{1, inf, 3, "train: diverged: at step 0 the loss is +Inf and the gradient norm 3; lower train.lr, or set train.max_grad_norm"},
		{1, 2, nan, "train: diverged: at step 0 the loss is 2 and the gradient norm NaN; lower train.lr, or set train.max_grad_norm"},
	} {
		trainer := &Trainer{loss: c.loss, gradNorm: c.norm}
		if err := trainer.CheckFinite(c.evaluation); fmt.Sprint(err) != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
