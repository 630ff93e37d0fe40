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
)

// bitsOf are six small configurations that together use every kernel, and the
// SHA-256 of what 200 steps of each give: every step's loss and norm of the
// gradient, the weights at the end, and their evaluation.
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
		"29a3e824668f3c0abc953b44c15da775855fcf282a44001e8ab6085a76b66c78",
	},
	{
		"three layers of ReLU without parameters in the norm",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{DModel: 8, NLayers: 3, NHeads: model.Heads{2, 1, 2}, DMLP: 12, NCtx: 4, ActFn: "relu", NormalizationType: "LNPre"},
			Train:   Options{Seed: 2, BatchSize: 8, LR: 1e-2, Optimizer: "adamw", WeightDecay: 0.1, MaxGradNorm: 0.5, LRSchedule: "cosine", WarmupSteps: 20},
		},
		"f95e90f79e165da622da678616cfd22f31ec471f9d15d3a84a43db7f87fc17f2",
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
		"26aa3d340f6aedd8097ad45d123bbce8b074447f183847c93bf3c569bc1bfae4",
	},
	{
		"a batch that does not fill the shards, the last position alone",
		Config{
			Process: ProcessConfig{Name: "golden_mean"},
			Model:   model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{2}, NCtx: 3, ActFn: "gelu_new"},
			Train:   Options{Seed: 4, BatchSize: 37, LR: 1e-2, LRSchedule: "linear", WeightDecay: 1e-3, Betas: []float64{0.8, 0.95}, LossPositions: []int{3}},
		},
		"e03c723c04fbc0fc124dbd44fc28830f393fb4bc508ddc5552af83033475e548",
	},
	{
		"weights on positions",
		Config{
			Process: ProcessConfig{Name: "mess3", Params: map[string]float64{"x": 0.05, "a": 0.85}},
			Model:   model.Config{DModel: 9, NLayers: 2, NHeads: model.Heads{1}, DMLP: 21, NCtx: 6, ActFn: "silu", PositionalEmbeddingType: "none"},
			Train: Options{
				Seed: 5, BatchSize: 5, LR: 0.1, Optimizer: "sgd", Momentum: 0.9, WeightDecay: 1e-4,
				LossPositions: []int{6, 2}, LossWeights: []float64{3, 1},
			},
		},
		"5df1813c9e465dfe3d74afa846d0df1e00f5f5782add8bbf7a165cf31bf45957",
	},
	{
		"rows longer than the lanes, heads as wide as the product's tile",
		Config{
			Process: ProcessConfig{Name: "z1r"},
			Model:   model.Config{DModel: 21, NLayers: 1, NHeads: model.Heads{2}, DHead: 33, DMLP: 35, NCtx: 19, DVocab: 18},
			Train:   Options{Seed: 6, BatchSize: 2, LR: 1e-3},
		},
		"36897859194a127055829acefdcfdad070c22ea2cb9ce938c3589e3231191e9c",
	},
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
	for _, isa := range []string{"generic", "avx2", "avx512", "neon"} {
		if kernel.Select(isa) != nil {
			continue // this machine has none
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
		number(trainer.Step())
		number(trainer.gradNorm)
	}
	weights := trainer.Model.Weights.Data
	h.Write(unsafe.Slice((*byte)(unsafe.Pointer(&weights[0])), 4*len(weights)))
	e := trainer.Evaluate()
	for _, x := range append(e.KLByPosition, e.Floor, e.Chance, e.KL, e.GapClosed, e.LR) {
		number(x)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
