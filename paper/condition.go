package paper

import (
	"fmt"
	"math"

	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// source is the process that a model is trained on: Mess3(x, α), or one of
// namedProcesses if it has a name.
type source struct {
	x, a float64
	name string
}

// mess3 names a process of the family.
func mess3(x, a float64) source { return source{x: x, a: a} }

// spec says how the process is built.
func (s source) spec() process.Spec {
	for _, p := range namedProcesses {
		if p.name == s.name {
			return p.spec
		}
	}
	return process.Spec{Name: "mess3", Params: process.Params{"x": s.x, "a": s.a}}
}

func (s source) hmm() (*process.HMM, error) {
	p, err := s.spec().Build()
	if err != nil {
		return nil, err
	}
	return p.(*process.HMM), nil
}

// String names the process.
func (s source) String() string {
	if s.name != "" {
		return s.name
	}
	return fmt.Sprintf("x = %g, α = %g", s.x, s.a)
}

// weak says whether tokens of the process say little of the state: Mess3 with α
// near 1/3, where they say nothing. What there is to learn is of second order in
// α − 1/3.
func (s source) weak() bool { return s.name == "" && math.Abs(s.a-1./3) < 0.15 }

// zeta is the other eigenvalue of Mess3's T, by which a token's influence
// shrinks at each step.
func (s source) zeta() float64 { return 1 - 3*s.x }

// condition is a model of the study: a process, an architecture, the
// normalisation, on which the paper is silent, and its training.
type condition struct {
	source
	Shape
	norm     string
	seed     uint64
	training Training
}

// newCondition is one of the paper's models: one layer, one head for x < 1/3, two
// for x beyond, where ζ is negative.
func newCondition(p Profile, x, a float64, norm string) condition {
	heads := 1
	if x > 1./3 {
		heads = 2
	}
	return condition{source: mess3(x, a), Shape: Shape{Layers: 1, Heads: heads}, norm: norm, seed: p.Seeds[0], training: p.Mess3}
}

// smallCondition is one of the many.
func smallCondition(p Profile, s source, shape Shape, seed uint64) condition {
	return condition{source: s, Shape: shape, norm: p.Norms[0], seed: seed, training: p.Small}
}

// String names the process of the condition.
func (c condition) String() string { return c.source.String() }

// label names the condition among others.
func (c condition) label() string { return c.source.String() + ", " + c.norm }

// steps is how long the model is trained.
func (c condition) steps() int {
	if c.weak() {
		return c.training.StepsWeak
	}
	return c.training.Steps
}

// folder is the name of the condition's run.
func (c condition) folder() string {
	name := fmt.Sprintf("mess3-x%g-a%g", c.x, c.a)
	if c.name != "" {
		name = fileName(c.name)
	}
	return fmt.Sprintf("%s-l%d-h%d-d%d-n%d-%s-seed%d", name, c.Layers, c.Heads, c.training.DModel, c.training.NCtx, c.norm, c.seed)
}

// hooks names the stages of the residual stream: after attention and after the
// MLP, layer by layer.
func (c condition) hooks() []string {
	return c.residualStages()[1:]
}

// residualStages are all stages of the residual stream, the embeddings first.
func (c condition) residualStages() []string {
	return model.Config{NLayers: c.Layers}.ResidualStages()
}

// config is the training configuration of a condition (App. B of seed 001).
func (c condition) config() train.Config {
	t := c.training
	return train.Config{
		Process: c.spec(),
		Model: model.Config{
			DModel: t.DModel, NLayers: c.Layers, NHeads: model.Heads{c.Heads}, DHead: t.DModel / c.Heads, DMLP: 4 * t.DModel, NCtx: t.NCtx,
			NormalizationType: c.norm, InitializerRange: t.Init,
		},
		Train: train.Options{
			Seed: c.seed, BatchSize: batchSize, NumSteps: c.steps(), LR: t.LR, LRSchedule: t.Schedule,
			EvaluateEvery: t.EvaluateAt, CheckpointEvery: max(1, c.steps()/4),
		},
	}
}
