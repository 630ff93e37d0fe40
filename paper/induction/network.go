package induction

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/model"
	"foretell/train"
)

// network is a model that a study trains. It is comparable, and two equal ones are one
// model.
type network struct {
	task
	disentangled bool   // as Sec. 2 has it; else a standard transformer
	heads        string // of each layer, as the paper has them without the brackets: “1,3,1”
	seed         uint64
	recipe       recipe
}

// recipe is how a model is trained.
type recipe struct {
	name      string // of the run's folder, empty for the profile's own
	context   int    // T
	width     int    // d_model
	steps     int
	batch     int
	lr        float64
	schedule  string
	warmup    int
	beta1     float64 // of Adam
	beta2     float64
	norm      string
	init      float64 // standard deviation of the initial weights
	objective string
	evaluate  int // steps between evaluations
	evaluated int // sequences of each
}

// headWidth is d_QK of Sec. 5.
const headWidth = 32

// snapshots are the steps at which the weights of a model are kept whose training is
// followed: ever further apart, since most happens early.
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

// problem is what the model learns.
func (n network) problem() problem { return problem{n.task, n.recipe.context} }

// layers are the numbers of heads.
func (n network) layers() model.Heads {
	var heads model.Heads
	for text := range strings.SplitSeq(n.heads, ",") {
		var h int
		if _, err := fmt.Sscan(text, &h); err != nil {
			panic("induction: " + n.heads + " are no heads of layers")
		}
		heads = append(heads, h)
	}
	return heads
}

// Label names the model among others.
func (n network) label() string {
	label := fmt.Sprintf("lags %s, heads [%s], seed %d", n.task, n.heads, n.seed)
	if n.disentangled {
		label = "disentangled, " + label
	}
	if n.recipe.name != "" {
		label += ", " + n.recipe.name
	}
	return label
}

// folder is the name of the model's run.
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
	return fmt.Sprintf("%s-seed%d", name, n.seed)
}

// config is the training configuration.
func (n network) config() train.Config {
	r := n.recipe
	return train.Config{
		Process: n.spec(),
		Model:   n.architecture(),
		Train: train.Options{
			Seed: n.seed, BatchSize: r.batch, NumSteps: r.steps, LR: r.lr, LRSchedule: r.schedule, WarmupSteps: r.warmup,
			Betas: []float64{r.beta1, r.beta2}, Objective: r.objective,
			EvaluateEvery: r.evaluate, EvaluateSequences: r.evaluated, CheckpointEvery: max(1, r.steps/4),
		},
	}
}

// architecture is a transformer of attention alone, either kind of Sec. 2.
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

// resolved is the architecture with everything filled in.
func (n network) resolved() (model.Config, error) {
	c := n.architecture()
	c.DVocab = len(transition)
	return c.Resolve()
}

// training is what a study trains.
func (l *lab) training(n network) claim.Training {
	t := claim.Training{Name: n.folder(), Label: n.label(), Config: n.config()}
	if slices.Contains(l.followed(), n) {
		t.Snapshots = n.recipe.snapshots()
	}
	return t
}

// trainings are those of models, each once.
func (l *lab) trainings(list []network) []claim.Training {
	var trainings []claim.Training
	for i, n := range list {
		if !slices.Contains(list[:i], n) {
			trainings = append(trainings, l.training(n))
		}
	}
	return trainings
}
