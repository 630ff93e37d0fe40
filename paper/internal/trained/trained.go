// Package trained holds what the studies of transformers on hidden Markov models share.
// It defines the models to train, by process, architecture and training settings. It
// pairs a trained model with its process and the amount of information that the model
// could have learned.
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

// batchSize is the batch size of Piotrowski et al. 2025, App. B.
const batchSize = 128

// Shape is the size of a transformer.
type Shape struct {
	Layers, Heads int // Heads is the number of heads in each layer
}

// Condition specifies a model that a study trains: its process, architecture,
// normalisation and training settings. Conditions can be compared with ==; equal
// conditions are the same model.
type Condition struct {
	Source
	Shape
	Norm     string // TransformerLens's normalization_type, such as LN
	Seed     uint64
	Settings Settings
	Curve    bool // whether the report shows its training curve, for which weights are saved during training
}

// Seeded returns a copy of the condition for each seed.
func (c Condition) Seeded(seeds ...uint64) []Condition {
	list := make([]Condition, len(seeds))
	for i, seed := range seeds {
		list[i] = c
		list[i].Seed = seed
	}
	return list
}

// Label returns the condition's name in tables and figures.
func (c Condition) Label() string { return c.Source.String() + ", " + c.Norm }

// Steps returns the number of training steps.
func (c Condition) Steps() int {
	if c.Weak() {
		return c.Settings.StepsWeak
	}
	return c.Settings.Steps
}

// folder returns the name of the run's folder.
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

// dHead returns the width of a head.
func (c Condition) dHead() int {
	if c.Settings.DHead > 0 {
		return c.Settings.DHead
	}
	return c.Settings.DModel / c.Heads
}

// Training returns the training run of the condition.
func (c Condition) Training() claim.Training {
	t := claim.Training{Name: c.folder(), Label: c.Label(), Config: c.config()}
	if c.Curve {
		t.Snapshots = SnapshotSteps(c.Steps())
	}
	return t
}

// Trainings returns the training run of each condition, in order.
func Trainings(list []Condition) []claim.Training {
	trainings := make([]claim.Training, len(list))
	for i, c := range list {
		trainings[i] = c.Training()
	}
	return trainings
}

// config returns the training configuration of the condition (Piotrowski et al. 2025,
// App. B).
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

// snapshots is the number of snapshots in a training curve, in addition to the initial
// weights.
const snapshots = 8

// SnapshotSteps returns the steps at which weights are saved for a training curve, in
// ascending order: the last step, half of it, a quarter of it, and so on.
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

// Stages returns all stages of the condition's residual stream: the embeddings, then for
// each layer the stage after attention and the stage after the MLP.
func (c Condition) Stages() []string { return model.Config{NLayers: c.Layers}.ResidualStages() }

// StageName returns the name of a stage of the residual stream: its layer and
// TransformerLens's name. Stages are counted from 0, which is “L0 resid_mid”, after the
// first attention layer; the embeddings are not counted.
func StageName(i int) string {
	return fmt.Sprintf("L%d %s", i/2, [2]string{"resid_mid", "resid_post"}[i%2])
}

// Subject is the trained model of a condition, together with its process and all prefixes
// up to its context length.
type Subject struct {
	Condition
	HMM         *process.HMM
	Prefixes    *process.Prefixes
	Model       *model.Transformer[float32]
	Information float64 // information that prefixes carry about the next token, in nats, averaged over positions
}

// NewSubject returns the subject of a condition. The study must have trained its model.
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

// information returns how much information prefixes carry about their next token, in nats
// and averaged over positions: the token's entropy in the stationary distribution minus
// its entropy given the prefix.
func information(h *process.HMM, p *process.Prefixes) float64 {
	told := portable.Entropy(h.Next(h.Stationary()))
	for row, prob := range p.Prob {
		told -= prob * portable.Entropy(p.NextTokens(row)) / float64(p.Length)
	}
	return told
}
