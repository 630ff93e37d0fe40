// Package trained holds what the studies of transformers on hidden Markov models have
// in common: the models that they train, named by process, architecture and training,
// and what a trained one misses of what there was to learn.
package trained

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/internal/portable"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// batchSize is that of Piotrowski et al. 2025, App. B.
const batchSize = 128

// Shape is an architecture.
type Shape struct {
	Layers, Heads int // Heads in each layer
}

// Condition is a model of a study: a process, an architecture, the normalisation and
// its training. It is comparable, and two equal ones are one model.
type Condition struct {
	Source
	Shape
	Norm     string // normalization_type
	Seed     uint64
	Settings Settings
	Curve    bool // its training curve is shown: weights are kept along the way
}

// Label names the condition among others.
func (c Condition) Label() string { return c.Source.String() + ", " + c.Norm }

// Steps is how long the model is trained.
func (c Condition) Steps() int {
	if c.Weak() {
		return c.Settings.StepsWeak
	}
	return c.Settings.Steps
}

// folder is the name of the condition's run.
func (c Condition) folder() string {
	width := ""
	if c.Settings.DHead > 0 {
		width = fmt.Sprintf("x%d", c.Settings.DHead)
	}
	variant := ""
	if c.Settings.Variant != "" {
		variant = "-" + c.Settings.Variant
	}
	return fmt.Sprintf("%s-l%d-h%d%s-d%d-n%d-%s%s-seed%d",
		c.Source.file(), c.Layers, c.Heads, width, c.Settings.DModel, c.Settings.NCtx, c.Norm, variant, c.Seed)
}

// dHead is the width of a head.
func (c Condition) dHead() int {
	if c.Settings.DHead > 0 {
		return c.Settings.DHead
	}
	return c.Settings.DModel / c.Heads
}

// Training is what a study trains for the condition.
func (c Condition) Training() claim.Training {
	t := claim.Training{Name: c.folder(), Label: c.Label(), Config: c.config()}
	if c.Curve {
		t.Snapshots = SnapshotSteps(c.Steps())
	}
	return t
}

// Trainings are those of conditions.
func Trainings(list []Condition) []claim.Training {
	trainings := make([]claim.Training, len(list))
	for i, c := range list {
		trainings[i] = c.Training()
	}
	return trainings
}

// config is the training configuration of a condition (Piotrowski et al. 2025, App. B).
func (c Condition) config() train.Config {
	t := c.Settings
	return train.Config{
		Process: c.Source.Spec(),
		Model: model.Config{
			DModel: t.DModel, NLayers: c.Layers, NHeads: model.Heads{c.Heads}, DHead: c.dHead(),
			DMLP: 4 * t.DModel, NCtx: t.NCtx, NormalizationType: c.Norm, InitializerRange: t.Init,
			ActFn: t.Activation,
		},
		Train: train.Options{
			Seed: c.Seed, BatchSize: batchSize, NumSteps: c.Steps(), LR: t.LR, LRSchedule: t.Schedule,
			EvaluateEvery: t.EvaluateAt, CheckpointEvery: max(1, c.Steps()/4),
		},
	}
}

// snapshots is how many a model's training curve has, besides the beginning.
const snapshots = 8

// SnapshotSteps lists the steps whose weights are kept for a training curve, doubling
// up to the last.
func SnapshotSteps(steps int) []int {
	var list []int
	for i := range snapshots {
		step := steps >> (snapshots - 1 - i)
		if step > 0 && (len(list) == 0 || list[len(list)-1] != step) {
			list = append(list, step)
		}
	}
	return list
}

// Stages are all stages of the condition's residual stream, the embeddings first, then
// those after attention and after the MLP, layer by layer.
func (c Condition) Stages() []string { return model.Config{NLayers: c.Layers}.ResidualStages() }

// StageName names stage i after the embeddings, from 0, by its layer and
// TransformerLens's name: "L0 resid_mid", after the first attention, and so on.
func StageName(i int) string {
	return fmt.Sprintf("L%d %s", i/2, [2]string{"resid_mid", "resid_post"}[i%2])
}

// Subject is a trained model of a condition beside its process, over all words up to its
// context length.
type Subject struct {
	Condition
	HMM         *process.HMM
	Prefixes    *process.Prefixes
	Model       *model.Transformer[float32]
	Information float64 // what the words tell of the next token, in nats, mean over positions
}

// NewSubject takes the model of a condition from the study, which has trained it.
func NewSubject(ctx context.Context, s *claim.Study, c Condition) (*Subject, error) {
	h, err := c.HMM()
	if err != nil {
		return nil, err
	}
	m := s.Trained(c.Training()).Model
	p, err := h.Prefixes(ctx, m.Config.NCtx)
	if err != nil {
		return nil, err
	}
	return &Subject{Condition: c, HMM: h, Prefixes: p, Model: m, Information: information(h, p)}, nil
}

// information is what the prefixes tell of their next token, in nats and in the
// mean over positions: its entropy from the stationary start, less that given the
// prefix.
func information(h *process.HMM, p *process.Prefixes) float64 {
	told := portable.Entropy(h.Next(h.Stationary()))
	for row, prob := range p.Prob {
		told -= prob * portable.Entropy(p.NextTokens(row)) / float64(p.Length)
	}
	return told
}
