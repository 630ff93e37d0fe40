// Command gomlx measures the training throughput of a reference model in GoMLX with its
// backend in pure Go, to compare with foretell. It is a separate module, so that foretell
// does not depend on GoMLX.
//
//	gomlx ops|graph SECONDS SIZES      SIZES is a JSON object; prints one JSON line
//
// A step is forward, cross-entropy on every position, backward and Adam. With ops the
// operations of the graph run one after another, each on several cores; with graph,
// independent operations also run at once. GOMAXPROCS sets the number of cores.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	_ "github.com/gomlx/compute/gobackend" // registers the backend "go"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/layers/norm"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// sizes describe a model; bench/peer has the same type.
type sizes struct {
	Model  string `json:"model"`
	DVocab int    `json:"d_vocab"`
	NCtx   int    `json:"n_ctx"`
	DModel int    `json:"d_model"`
	NHeads []int  `json:"n_heads"`
	DHead  int    `json:"d_head"`
	DMLP   int    `json:"d_mlp"` // 0 without MLP
	Norm   bool   `json:"norm"`
	Batch  int    `json:"batch"`
}

// result is what the command prints.
type result struct {
	Model      string  `json:"model"`
	Mode       string  `json:"mode"`
	Parameters int     `json:"parameters"`
	First      float32 `json:"first_loss"`
	Last       float32 `json:"last_loss"`
	Speed      float64 `json:"tokens_per_second"` // at the median step time
}

// configs are the configurations of the backend by mode. With its default, which bounds
// the number of operations at once, most runs block for ever on two cores: a fused GELU
// holds a place for operations and waits for free ones for its parts (compute v0.1.6).
var configs = map[string]string{"ops": "go:ops_sequential", "graph": "go:parallelism=-1"}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gomlx:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || configs[args[0]] == "" {
		return fmt.Errorf("usage: gomlx ops|graph SECONDS SIZES")
	}
	seconds, err := strconv.ParseFloat(args[1], 64)
	if err != nil {
		return err
	}
	var s sizes
	if err := json.Unmarshal([]byte(args[2]), &s); err != nil {
		return err
	}
	r, err := s.measure(args[0], time.Duration(seconds*float64(time.Second)))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// measure trains on one batch of random tokens for a time.
func (s sizes) measure(mode string, duration time.Duration) (result, error) {
	backend, err := compute.NewWithConfig(configs[mode])
	if err != nil {
		return result{}, err
	}
	store := model.NewStore()
	trainer := train.NewTrainer(backend, store, s.logits, loss.SparseCategoricalCrossEntropyLogits,
		optimizer.Adam().LearningRate(1e-3).Epsilon(1e-8).Done(), nil, nil)
	in, next := s.tokens(), s.tokens()
	step := func() (float32, error) {
		metrics, err := trainer.TrainStep(train.Batch{
			Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(in, s.Batch, s.NCtx)},
			Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(next, s.Batch, s.NCtx, 1)},
		})
		if err != nil {
			return 0, err
		}
		return tensors.ToScalar[float32](metrics[0]), nil
	}
	r := result{Model: s.Model, Mode: mode}
	if r.First, err = step(); err != nil {
		return r, err
	}
	if _, err = step(); err != nil {
		return r, err
	}
	var times []time.Duration
	for start := time.Now(); len(times) == 0 || time.Since(start) < duration; {
		began := time.Now()
		if r.Last, err = step(); err != nil {
			return r, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	r.Speed = float64(s.Batch*s.NCtx) / times[len(times)/2].Seconds()
	r.Parameters = parameters(store)
	return r, nil
}

// tokens returns a batch of independent uniform tokens.
func (s sizes) tokens() []int32 {
	tokens := make([]int32, s.Batch*s.NCtx)
	for i := range tokens {
		tokens[i] = rand.Int32N(int32(s.DVocab))
	}
	return tokens
}

// parameters counts what the optimizer changes.
func parameters(store *model.Store) int {
	n := 0
	for v := range store.IterVariables() {
		if v.Trainable {
			n += v.Shape().Size()
		}
	}
	return n
}

// logits is the model: tokens [batch, n_ctx] to logits [batch, n_ctx, d_vocab].
func (s sizes) logits(scope *model.Scope, tokens *graph.Node) *graph.Node {
	scope = scope.WithInitializer(initializer.RandomNormalFn(scope, 0.02))
	x := layers.Embedding(scope.In("token"), tokens, dtypes.Float32, s.DVocab, s.DModel)
	table := shapes.Make(dtypes.Float32, s.NCtx, s.DModel)
	position := scope.In("position").VariableWithShape("embeddings", table).NodeValue(tokens.Graph())
	x = graph.Add(x, graph.ExpandLeftToRank(position, 3))
	for i, heads := range s.NHeads {
		scope := scope.In("layer_%d", i)
		x = graph.Add(x, s.attend(scope, s.norm(scope.In("norm1"), x), heads))
		if s.DMLP > 0 {
			y := layers.DenseWithBias(scope.In("in"), s.norm(scope.In("norm2"), x), s.DMLP)
			x = graph.Add(x, layers.DenseWithBias(scope.In("out"), activation.Gelu(y), s.DModel))
		}
	}
	return layers.Dense(scope.In("unembed"), s.norm(scope.In("norm"), x), false, s.DVocab)
}

// norm is layer norm, if the model has it.
func (s sizes) norm(scope *model.Scope, x *graph.Node) *graph.Node {
	if !s.Norm {
		return x
	}
	return norm.LayerNorm(scope, x, -1).Epsilon(1e-5).Done()
}

// attend is causal attention. Heads come before positions: the layout in which GoMLX's
// attention transposes nothing between its products.
func (s sizes) attend(scope *model.Scope, x *graph.Node, heads int) *graph.Node {
	part := func(name string) *graph.Node {
		return graph.TransposeAllAxes(layers.DenseWithBias(scope.In("%s", name), x, heads, s.DHead), 0, 2, 1, 3)
	}
	z, _ := attention.Core(part("q"), part("k"), part("v"), attention.LayoutBHSD,
		attention.CoreOptions{UseCausalMask: true})
	z = graph.Reshape(graph.TransposeAllAxes(z, 0, 2, 1, 3), s.Batch, s.NCtx, heads*s.DHead)
	return layers.DenseWithBias(scope.In("o"), z, s.DModel)
}
