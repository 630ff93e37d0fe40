package train

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"foretell/internal/kernel"
	"foretell/model"
	"foretell/process"
)

// bitsOf are small configurations that together use every kernel and every kind of
// objective, and the SHA-256 of what 200 steps of each give: every step's loss and norm
// of the gradient, the weights at the end, and their evaluation.
var bitsOf = []struct {
	name   string
	config Config
	want   string
}{
	{
		"one layer",
		Config{
			Process: ProcessConfig{Name: "mess3"},
			Model:   model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{1}, DMLP: 32, NCtx: 5},
			Train:   Options{Seed: 1, BatchSize: 16, LR: 1e-2},
		},
		"cd97995e0fe6125c5b52c0c6b9ad81ded37791c63e24e6affc355f0f6dc19ff6",
	},
	{
		"three layers of ReLU without parameters in the norm",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{DModel: 8, NLayers: 3, NHeads: model.Heads{2, 1, 2}, DMLP: 12, NCtx: 4, ActFn: "relu", NormalizationType: "LNPre"},
			Train:   Options{Seed: 2, BatchSize: 8, LR: 1e-2, Optimizer: "adamw", WeightDecay: 0.1, MaxGradNorm: 0.5, LRSchedule: "cosine", WarmupSteps: 20},
		},
		"5e7929c5cf7769ca46a62398d74175f0908759dc2d9620381efff38ba4f36f89",
	},
	{
		"attention alone with several heads",
		Config{
			Process: ProcessConfig{Name: "even"},
			Model: model.Config{
				DModel: 12, NLayers: 2, NHeads: model.Heads{3, 4}, DHead: 3, NCtx: 9,
				AttnOnly: true, NormalizationType: "none", PositionalEmbeddingType: "sinusoidal",
			},
			Train: Options{Seed: 3, BatchSize: 6, LR: 3e-3},
		},
		"552ecf5b8584af351305c973dd7ba4b87d66d2d7df1b38276150999a22d9dd84",
	},
	{
		"a batch that does not fill the shards, the last position alone",
		Config{
			Process: ProcessConfig{Name: "golden_mean"},
			Model:   model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{2}, NCtx: 3, ActFn: "gelu_new"},
			Train:   Options{Seed: 4, BatchSize: 37, LR: 1e-2, LRSchedule: "linear", WeightDecay: 1e-3, Betas: []float64{0.8, 0.95}, LossPositions: []int{3}},
		},
		"1584b96372c24bb71a674f5f2c7b5aeee5a9581f0a91e7a67302eec1bf897538",
	},
	{
		"weights on positions",
		Config{
			Process: ProcessConfig{Name: "mess3", Params: process.Params{"x": 0.05, "a": 0.85}},
			Model:   model.Config{DModel: 9, NLayers: 2, NHeads: model.Heads{1}, DMLP: 21, NCtx: 6, ActFn: "silu", PositionalEmbeddingType: "none"},
			Train: Options{
				Seed: 5, BatchSize: 5, LR: 0.1, Optimizer: "sgd", Momentum: 0.9, WeightDecay: 1e-4,
				LossPositions: []int{6, 2}, LossWeights: []float64{3, 1},
			},
		},
		"d993ab5bda7f2076a12f3ed98bc3524cc0f6dbea3e952d2fabc240404fda1d1c",
	},
	{
		"rows longer than the lanes, heads as wide as the product's tile",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{DModel: 21, NLayers: 1, NHeads: model.Heads{2}, DHead: 33, DMLP: 35, NCtx: 19, DVocab: 18},
			Train:   Options{Seed: 6, BatchSize: 2, LR: 1e-3},
		},
		"81cca152b3e70adaf9a8d118a29152667ad848795950fb14b95c45cbe063c57e",
	},
	{
		"the optimal predictor's distributions as targets",
		Config{
			Process: ProcessConfig{Name: "mess3"},
			Model:   model.Config{DModel: 12, NLayers: 2, NHeads: model.Heads{2}, NCtx: 7, DVocab: 5},
			Train:   Options{Seed: 7, BatchSize: 19, LR: 1e-2, LossPositions: []int{2, 3, 6}, LossWeights: []float64{1, 2, 3}, Objective: "optimal_targets"},
		},
		"70580ccd90bafe6d1327945bc2ced5ec85b40d6ff1e7f23fa8861734e02d7424",
	},
	{
		"events weighed 10 to 1",
		Config{
			Process: ProcessConfig{Name: "brackets", Params: process.Params{"tags": 5.0, "depth": 3.0}},
			Model:   model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{2}, NCtx: 12},
			Train:   Options{Seed: 8, BatchSize: 9, LR: 3e-3, EventWeight: 10},
		},
		"b52e733369a14c18e039452f074c5e5398af07e409cb0f96a510ab330f6bddad",
	},
	{
		"distributions with events weighed, the last position alone",
		Config{
			Process: ProcessConfig{Name: "switching_delay", Params: process.Params{"delays": []float64{2, 5}, "values": 4.0, "key": 0.1}},
			Model:   model.Config{DModel: 8, NLayers: 2, NHeads: model.Heads{1}, NCtx: 8, PositionalEmbeddingType: "rotary"},
			Train:   Options{Seed: 9, BatchSize: 21, LR: 1e-2, LossPositions: []int{8}, EventWeight: 10, Objective: "optimal_targets"},
		},
		"adf4453d6df012903daeda0ca3b3891a6ba3d887cb5fc14bad8c11a8d6ce1dcb",
	},
	{
		"heads concatenated, rows of two tiles",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{Residual: "concat", NLayers: 2, NHeads: model.Heads{1, 2}, NCtx: 34, AttnScale: 1.5},
			Train:   Options{Seed: 10, BatchSize: 2, LR: 1e-2},
		},
		"b82afbf536c6dbfc443e8fd89b5d7f69baafc4bac25f04271430d59228b98f84",
	},
	{
		"a tied output of two tiles",
		Config{
			Process: ProcessConfig{Name: "mess3"},
			Model:   model.Config{DModel: 20, NLayers: 1, NHeads: model.Heads{2}, NCtx: 6, DVocab: 71, ActFn: "gelu_new", TieUnembed: true},
			Train:   Options{Seed: 11, BatchSize: 7, LR: 3e-3},
		},
		"63ca6baf55e2e87981bc9054749ab90542cf147117eec000569603d70efb5b91",
	},
	{
		"an output without bias, the last position alone",
		Config{
			Process: ProcessConfig{Name: "even"},
			Model:   model.Config{DModel: 8, NLayers: 2, NHeads: model.Heads{2}, NCtx: 5, UnembedBias: new(false)},
			Train:   Options{Seed: 12, BatchSize: 11, LR: 1e-2, LossPositions: []int{5}},
		},
		"a7277bcdaaf0a41c8828cd3a174c5f58d6ae0948a8a061cf2eb8225222616331",
	},
	{
		"a flat window, the last position alone",
		Config{
			Process: ProcessConfig{Name: "routing", Params: process.Params{"numbers": 6.0}},
			Model:   model.Config{Architecture: "flat", DModel: 5, NLayers: 1, DMLP: 37, NCtx: 11},
			Train:   Options{Seed: 11, BatchSize: 33, LR: 1e-2, LossPositions: []int{11}, EventWeight: 10},
		},
		"eeb4519a25da096535998df910284e0c926174b8b88d257fec2f6051f8ffc46c",
	},
	{
		"a flat window of all positions, linear",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{Architecture: "flat", DModel: 3, NCtx: 9},
			Train:   Options{Seed: 12, BatchSize: 13, LR: 3e-2},
		},
		"59555c9d38aaec76c75f4cc0a305ea2cc0c9d77d8a0ac76d395b3bc8936c6bb0",
	},
	{
		"a finite training set",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{Architecture: "flat", DModel: 3, NLayers: 2, DMLP: 9, NCtx: 9},
			Train:   Options{Seed: 13, BatchSize: 13, LR: 1e-2, TrainSequences: 40},
		},
		"573deddd718f0d33c4eea5f38470c8b512c155e95a3d28761e02b6879e261dd7",
	},
	{
		"each prefix once",
		Config{
			Process: ProcessConfig{Name: "mess3"},
			Model:   model.Config{DModel: 16, NLayers: 2, NHeads: model.Heads{2}, DMLP: 32, NCtx: 7},
			Train:   Options{Seed: 14, BatchSize: 150, LR: 1e-2, SharePrefixes: "on"},
		},
		"cb679f02dfd8b90ecc74b03ad144394e39b49d81f91c6dd568f0191627f46791",
	},
	{
		"each prefix once, rotary, distributions with events weighed",
		Config{
			Process: ProcessConfig{Name: "switching_delay", Params: process.Params{"delays": []float64{2, 5}, "values": 4.0, "key": 0.1}},
			Model:   model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 8, PositionalEmbeddingType: "rotary"},
			Train:   Options{Seed: 15, BatchSize: 50, LR: 1e-2, EventWeight: 10, Objective: "optimal_targets", SharePrefixes: "auto"},
		},
		"4a71fa962dae318338904e1f03e9fbf99f3ef6d6b247b42cec32ae14d1842215",
	},
	{
		"the exact objective",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{DModel: 12, NLayers: 1, NHeads: model.Heads{3}, NCtx: 6, DVocab: 3},
			Train:   Options{Seed: 16, LR: 1e-2, Objective: "exact", LossPositions: []int{2, 5}},
		},
		"2cf49e756afeac1f6b821de349bb2317a0bd533e585822f0fca90604d245dd66",
	},
	{
		"the exact objective by L-BFGS",
		Config{
			Process: ProcessConfig{Name: "mess3"},
			Model:   model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{2}, NCtx: 4},
			Train:   Options{Seed: 17, Objective: "exact", Optimizer: "lbfgs"},
		},
		"4742269982063e9e96fa9a64d6e030de08734acb8a62842a5ea1bb30a62326b3",
	},
	{
		"the exact objective of heads concatenated",
		Config{
			Process: ProcessConfig{Name: "golden_mean"},
			Model:   model.Config{Residual: "concat", NLayers: 2, NHeads: model.Heads{1, 2}, NCtx: 5},
			Train:   Options{Seed: 18, LR: 1e-2, Objective: "exact"},
		},
		"c20de39040cd151ccae0bbc64781717edba930e2a92e0db6c7a2716f36d9aa2d",
	},
	{
		"the exact objective of a flat window",
		Config{
			Process: ProcessConfig{Name: "even"},
			Model:   model.Config{Architecture: "flat", DModel: 3, NLayers: 1, DMLP: 9, NCtx: 6},
			Train:   Options{Seed: 19, LR: 1e-2, Objective: "exact"},
		},
		"cfa627345629c237c37f6b1c39b6239ff9076375cdfc7de62d1eee141840af7d",
	},
}

// bitsHistory holds BitsVersion to the constants above: under each version, the SHA-256
// of the hashes of the first so many configurations. A line is never changed. Who
// changes a hash above raises BitsVersion and appends a line of the new version; who
// adds a configuration, at the end, appends a line of the same version.
var bitsHistory = []struct {
	version, configurations int
	want                    string
}{
	{1, 9, "6dde8207fdbbc230c1714382e2fdc5acf4972eec19f6be3fa50cb51028bca322"},
	{1, 10, "0ff8c97b0d7b784d458f2fc62f86cf2c849075ebd98c92684317d0a3de6fa66d"},
	{1, 12, "d2d24df2c7df6a9079a176e5337e7405b7d6004b57ca738dbcf47c89278a8115"},
	{1, 14, "aabf4664995d945a79e083017ec68ab1741aafe2368a7bc88818f6891a0b5c3b"},
	{1, 15, "8eaf78f5fd63b958e95cc7addb0b68864b108ee344db35249d5297692a904731"},
	{1, 21, "c6873070a0cb5116a752d3ecd17d9651783b623cc0a29adc011bc32426c553c8"},
}

// A change of bits raises BitsVersion: the lines of the version that there is agree with
// the constants, and the last one covers all of them.
func TestBitsVersion(t *testing.T) {
	covered := 0
	for i, line := range bitsHistory {
		if i > 0 && line.version != bitsHistory[i-1].version && line.version != bitsHistory[i-1].version+1 {
			t.Errorf("line %d of bitsHistory: version %d after %d", i, line.version, bitsHistory[i-1].version)
		}
		if line.version != BitsVersion {
			continue
		}
		h := sha256.New()
		for _, b := range bitsOf[:line.configurations] {
			fmt.Fprintln(h, b.want)
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)); got != line.want {
			t.Errorf("the first %d hashes give %s and not %s, those of version %d: raise BitsVersion and append a line",
				line.configurations, got, line.want, line.version)
		}
		covered = line.configurations
	}
	if last := bitsHistory[len(bitsHistory)-1].version; last != BitsVersion || covered != len(bitsOf) {
		t.Errorf("bitsHistory ends in version %d with %d configurations, and there are version %d and %d: append a line",
			last, covered, BitsVersion, len(bitsOf))
	}
}

// A configuration trains to these bits on every architecture and instruction
// set, with any number of workers. Who changes an order of operations changes
// every trained model, and these constants.
func TestSameBitsEverywhere(t *testing.T) {
	defer func(name string) {
		if err := kernel.Select(name); err != nil {
			t.Error(err)
		}
	}(kernel.ISA())
	counts := []int{1, 2, 3, 8}
	if testing.Short() {
		counts = []int{3}
	}
	for _, isa := range []string{"generic", "avx2", "avx512half", "avx512", "neon", "wasm", "wasmexact"} {
		if kernel.Select(isa) != nil {
			continue // this machine has none
		}
		counts := counts
		if isa == "avx512half" {
			counts = counts[:1] // its products alone are others than avx512's
		}
		if testing.Short() && isa == "generic" {
			continue // slow where the machine is emulated
		}
		for _, b := range bitsOf {
			for _, workers := range counts {
				t.Run(fmt.Sprint(isa, "/", b.name, "/", workers), func(t *testing.T) {
					if got := trainedBits(t, b.config, workers); got != b.want {
						t.Errorf("the hash is %s, want %s", got, b.want)
					}
				})
			}
		}
	}
}

// trainedBits trains for 200 steps and returns the hash of all results.
func trainedBits(t *testing.T, c Config, workers int) string {
	c.Train.NumSteps, c.Train.EvaluateSequences = 200, 20
	trainer, h := newTrainer(t, c, workers), sha256.New()
	number := func(x float64) {
		_ = binary.Write(h, binary.LittleEndian, math.Float64bits(x))
	}
	for range c.Train.NumSteps {
		number(step(t, trainer))
		number(trainer.gradNorm)
	}
	weights := trainer.Model.Weights.Data
	h.Write(unsafe.Slice((*byte)(unsafe.Pointer(&weights[0])), 4*len(weights)))
	e := evaluate(t, trainer)
	for _, x := range append(e.KLByPosition, e.Floor, e.Chance, e.KL, *e.GapClosed, e.LR) {
		number(x)
	}
	if a := e.Accuracy; a != nil {
		number(a.Overall)
		number(a.Ceiling)
		number(*a.Retrieval)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
