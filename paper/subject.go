package paper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/train"
)

// condition is a setting of seed 001: a process, the heads that it asks for, and
// the normalisation, on which the paper is silent.
type condition struct {
	x, a  float64
	heads int
	norm  string
	steps int
	seed  uint64
}

func newCondition(p Profile, x, a float64, norm string) condition {
	heads := 1
	if x > 1./3 {
		heads = 2
	}
	steps := p.Mess3.Steps
	if a == 0.2 {
		steps = p.Mess3.StepsWeak
	}
	return condition{x: x, a: a, heads: heads, norm: norm, steps: steps, seed: p.Mess3.Seeds[0]}
}

// zeta is T's other eigenvalue, by which a token's influence shrinks at each step.
func (c condition) zeta() float64 { return 1 - 3*c.x }

// String names the process of the condition.
func (c condition) String() string { return fmt.Sprintf("x = %g, α = %g", c.x, c.a) }

// label names the condition among others that differ in the normalisation, too.
func (c condition) label() string { return c.String() + ", " + c.norm }

// folder is the name of the condition's run.
func (c condition) folder() string {
	return fmt.Sprintf("mess3-x%g-a%g-h%d-%s-seed%d", c.x, c.a, c.heads, c.norm, c.seed)
}

// The stages of the residual stream that the paper compares.
const (
	midHook   = "blocks.0.hook_resid_mid"
	finalHook = "blocks.0.hook_resid_post"
)

// initializerRange is the standard deviation of the initial weights, GPT-2's.
// The paper does not state its own; with larger ones the initial noise of the
// residual stream outlasts the training (docs/log.md, 2026-11-20).
const initializerRange = 0.02

// nCtx is the context of the paper's models (its App. B).
const nCtx = 10

// config is the training configuration of a condition (App. B of seed 001).
func (c condition) config(t Training) train.Config {
	return train.Config{
		Process: train.ProcessConfig{Name: "mess3", Params: process.Params{"x": c.x, "a": c.a}},
		Model: model.Config{
			DModel: 64, NLayers: 1, NHeads: model.Heads{c.heads}, DMLP: 256, NCtx: t.NCtx,
			NormalizationType: c.norm, InitializerRange: initializerRange,
		},
		Train: train.Options{
			Seed: c.seed, BatchSize: 128, NumSteps: c.steps, LR: t.LR, LRSchedule: t.Schedule,
			EvaluateEvery: t.EvaluateAt, CheckpointEvery: max(1, c.steps/4),
		},
	}
}

// subject is a trained model with what the rows measure on it. The activations
// themselves, hundreds of megabytes, are not kept.
type subject struct {
	condition
	hmm        *process.HMM
	prefixes   *process.Prefixes
	model      *model.Transformer[float32]
	kl         float64   // over every prefix, weighted by its probability, mean over positions
	klPosition []float64 // at positions 1 … n_ctx
	mid, final stage
	patterns   []probe.Pattern
}

// stage is one stage of the residual stream over every prefix.
type stage struct {
	constrained, full fits        // regressions to the two geometries
	plane             probe.Table // (rows, 2) of the first components, turned towards the beliefs; see align
	regressed         probe.Table // (rows, 3) the claimed geometry as the fit to all rows reads it
	planeR2           float64     // held-out R² of the geometry on the first three components
	words             []float64   // cumulative explained variance, all sequences and positions weighted equally
	probability       []float64   // the same, weighted by probability
}

// plan lists the models that the rows will train.
func (s *Study) plan(rows []Row) {
	for _, row := range rows {
		if row.conditions == nil {
			continue
		}
		for _, c := range row.conditions(s.Profile) {
			if !slices.Contains(s.planned, c) {
				s.planned = append(s.planned, c)
			}
		}
	}
}

// prepare trains and measures the models of a row that are not there yet.
func (s *Study) prepare(row Row) error {
	if row.conditions == nil {
		return nil
	}
	for _, c := range row.conditions(s.Profile) {
		if s.subjects[c] != nil {
			continue
		}
		subject, err := s.makeSubject(c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.label(), err)
		}
		s.subjects[c] = subject
	}
	return nil
}

// of returns the subjects of conditions, which [Study.prepare] has made.
func (s *Study) of(list []condition) []*subject {
	var subjects []*subject
	for _, c := range list {
		subjects = append(subjects, s.subjects[c])
	}
	return subjects
}

// main returns those with the profile's first normalisation, which the figures show.
func (s *Study) main(list []condition) []*subject {
	return slices.DeleteFunc(s.of(list), func(x *subject) bool { return x.norm != s.Profile.Mess3.Norms[0] })
}

func (s *Study) makeSubject(c condition) (*subject, error) {
	h, err := process.Mess3(c.x, c.a)
	if err != nil {
		return nil, err
	}
	before := s.trained
	m, err := s.train(c)
	if err != nil {
		return nil, err
	}
	s.trained = before + c.steps
	s.report("looking into " + c.label())
	var untrained *model.Transformer[float32]
	if slices.Contains(mess3Conditions(s.Profile), c) { // those of M2, which shows controls
		if untrained, err = model.New[float32](m.Config, c.seed); err != nil {
			return nil, err
		}
	}
	subject := &subject{condition: c, hmm: h, prefixes: h.Prefixes(m.Config.NCtx), model: m}
	return subject, subject.measure(s.ctx, untrained, s.Workers)
}

// train trains the model of a condition in a run of its own, or goes on with
// the run, or takes it as it is when it is complete: the bits are the same.
func (s *Study) train(c condition) (*model.Transformer[float32], error) {
	run, err := s.openRun(c)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	before := s.trained
	run.OnStep = func(step int, _ float64) {
		s.trained = before + step
		s.report("training " + c.label())
	}
	if err := run.Train(s.ctx); err != nil {
		return nil, err
	}
	return run.Model, nil
}

func (s *Study) openRun(c condition) (*train.Run, error) {
	dir := filepath.Join(s.Out, "runs", c.folder())
	config, err := c.config(s.Profile.Mess3).Resolve()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, model.ConfigFile)); errors.Is(err, os.ErrNotExist) {
		return train.Create(dir, config, s.Workers)
	}
	run, err := train.Resume(dir, s.Workers)
	if err != nil {
		return nil, err
	}
	for _, note := range run.Notes {
		if s.Notice != nil {
			s.Notice(dir + ": " + note)
		}
	}
	have, err := run.Config.YAML()
	if err != nil {
		return nil, err
	}
	want, err := config.YAML()
	if err != nil {
		return nil, err
	}
	if string(have) != string(want) {
		run.Close()
		return nil, fmt.Errorf("%s holds a run of another configuration; give another folder with --out", dir)
	}
	return run, nil
}
