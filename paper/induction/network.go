package induction

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// network is a model that a study trains. It is comparable: equal networks are the same
// model.
type network struct {
	task
	disentangled bool   // a disentangled transformer (Sec. 2), otherwise a standard one
	heads        string // heads of each layer, as in the paper but without the brackets: “1,3,1”
	seed         uint64
	recipe       recipe
}

// recipe holds the training settings of a model.
type recipe struct {
	name      string // part of the name of the run's folder; empty for the profile's main recipes
	context   int    // T
	width     int    // d_model
	steps     int
	batch     int
	lr        float64
	schedule  string
	warmup    int
	beta1     float64 // betas of Adam
	beta2     float64
	norm      string
	init      float64 // standard deviation of the initial weights
	objective string
	evaluate  int // number of steps between evaluations
	evaluated int // number of sequences in each evaluation
	variant   variant
}

// headWidth is d_QK of Sec. 5.
const headWidth = 32

// snapshots returns the steps at which weights are saved, if a model is measured during
// training. The steps between them grow, since most changes happen early.
func (r recipe) snapshots() []int {
	const n = 16
	var list []int
	for i := 1; i <= n; i++ {
		if step := r.steps * i * i / (n * n); step > 0 && !slices.Contains(list, step) {
			list = append(list, step)
		}
	}
	return list
}

// bySeed returns a copy of the network for each seed.
func (n network) bySeed(seeds []uint64) []network {
	list := make([]network, len(seeds))
	for i, seed := range seeds {
		list[i] = n
		list[i].seed = seed
	}
	return list
}

// byKind groups networks that differ only in their seed, in the order of the first of
// each kind.
func byKind(list []network) (kinds [][]network) {
	index := map[network]int{}
	for _, n := range list {
		kind := n
		kind.seed = 0
		i, known := index[kind]
		if !known {
			i, index[kind] = len(kinds), len(kinds)
			kinds = append(kinds, nil)
		}
		kinds[i] = append(kinds[i], n)
	}
	return kinds
}

// problem returns the problem that the model learns.
func (n network) problem() problem { return problem{n.task, n.recipe.context, n.recipe.variant} }

// layers returns the number of heads in each layer.
func (n network) layers() model.Heads {
	var heads model.Heads
	for text := range strings.SplitSeq(n.heads, ",") {
		var h int
		if _, err := fmt.Sscan(text, &h); err != nil {
			panic("induction: " + n.heads + " is not a list of numbers of heads such as 1,3,1")
		}
		heads = append(heads, h)
	}
	return heads
}

// label returns the model's name in tables and messages.
func (n network) label() string { return n.labelled(fmt.Sprintf(", seed %d", n.seed)) }

// labelled returns the model's name with the given words for its seed.
func (n network) labelled(seed string) string {
	label := fmt.Sprintf("lags %s, heads [%s]%s", n.task, n.heads, seed)
	if n.disentangled {
		label = "disentangled, " + label
	}
	if n.recipe.name != "" {
		label += ", " + n.recipe.name
	}
	if n.recipe.variant.name != "" {
		label += ", " + n.recipe.variant.name
	}
	return label
}

// folder returns the name of the folder of the model's training run.
func (n network) folder() string {
	dashed := func(list string) string { return strings.ReplaceAll(list, ",", "-") }
	width := fmt.Sprintf("d%d", n.recipe.width)
	if n.disentangled {
		width = "disentangled"
	}
	name := fmt.Sprintf("induction-lags%s-heads%s-%s-n%d", dashed(string(n.task)), dashed(n.heads), width,
		n.recipe.context)
	if n.recipe.name != "" {
		name += "-" + n.recipe.name
	}
	if n.recipe.variant.file != "" {
		name += "-" + n.recipe.variant.file
	}
	return fmt.Sprintf("%s-seed%d", name, n.seed)
}

// spec returns the specification of the process for a training configuration.
func (n network) spec() process.Spec {
	lags := n.lags()
	values := make([]float64, len(lags))
	for i, lag := range lags {
		values[i] = float64(lag)
	}
	return process.Spec{
		Name: "interleaved", Params: process.Params{"P": n.recipe.variant.p(), "lags": values},
	}
}

// config returns the training configuration.
func (n network) config() train.Config {
	r := n.recipe
	return train.Config{
		Process: n.spec(),
		Model:   n.architecture(),
		Train: train.Options{
			Seed: n.seed, BatchSize: r.batch, NumSteps: r.steps,
			LR: r.lr, LRSchedule: r.schedule, WarmupSteps: r.warmup,
			Betas: []float64{r.beta1, r.beta2}, Objective: r.objective,
			EvaluateEvery: r.evaluate, EvaluateSequences: r.evaluated, CheckpointEvery: max(1, r.steps/4),
		},
	}
}

// architecture returns the configuration of an attention-only transformer, of either kind
// of Sec. 2.
func (n network) architecture() model.Config {
	r, heads := n.recipe, n.layers()
	if n.disentangled {
		return model.Config{
			NLayers: len(heads), NHeads: heads, NCtx: r.context, Residual: "concat", InitializerRange: r.init,
		}
	}
	return model.Config{
		DModel: r.width, NLayers: len(heads), NHeads: heads, DHead: headWidth, NCtx: r.context, AttnOnly: true,
		NormalizationType: r.norm, InitializerRange: r.init,
	}
}

// resolved returns the architecture with all defaults filled in.
func (n network) resolved() (model.Config, error) {
	c := n.architecture()
	c.DVocab = len(n.recipe.variant.p())
	return c.Resolve()
}

// training returns the training run of a network.
func (l *lab) training(n network) claim.Training {
	t := claim.Training{Name: n.folder(), Label: n.label(), Config: n.config()}
	if slices.Contains(l.followed(), n) {
		t.Snapshots = n.recipe.snapshots()
	}
	return t
}

// runs returns the training runs of a list of networks, each once.
func (l *lab) runs(list []network) []claim.Training {
	var trainings []claim.Training
	for i, n := range list {
		if !slices.Contains(list[:i], n) {
			trainings = append(trainings, l.training(n))
		}
	}
	return trainings
}
