package mess3

import (
	"context"
	"errors"
	"slices"
	"sync"

	"foretell/model"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// subject is a trained model with the measurements that the rows need. The activations
// themselves, hundreds of megabytes, are not kept.
type subject struct {
	*trained.Subject
	kl          float64         // over every prefix, weighted by its probability, mean over positions
	klPosition  []float64       // at positions 1 … n_ctx
	stages      []stage         // of the residual stream: after attention and after the MLP, layer by layer
	patterns    []probe.Pattern // of each head in the first layer
	convergence probe.Convergence
	random      *subject       // the same measurements on its random initialisation; nil if not a control
	logits      geometryScores // both geometries read from its own prediction; see [subject.readLogits]
}

// mid returns the paper's intermediate stage: after the first attention.
func (s *subject) mid() *stage { return &s.stages[0] }

// final returns the last stage.
func (s *subject) final() *stage { return &s.stages[len(s.stages)-1] }

// missed returns the share of the information in the prefixes that the model does not
// use: 0 for the optimal predictor, 1 for one that ignores them.
func (s *subject) missed() float64 { return s.kl / s.Information }

// hooks returns the hook names of the stages.
func (s *subject) hooks() []string { return s.Stages()[1:] }

// scrutiny selects the measurements on a model.
type scrutiny struct {
	control    bool                        // compare with a random initialisation
	untrained  *model.Transformer[float32] // the random initialisation; nil for none
	controls   bool                        // all other controls, at the first and the last stage
	components bool                        // principal components
	learnable  probe.Learnable             // the information in the sequences, to decide whether a model has converged
	logits     bool                        // how well the model's own prediction shows the geometries
	shape      bool                        // how much of the first stage the constrained geometry explains
}

// measure runs the trained and the untrained model over every prefix and keeps the
// measurements that the rows need. It analyses one layer at a time, so a deep model takes
// no more memory than a shallow one.
func (s *subject) measure(ctx context.Context, look scrutiny, workers int) error {
	s.stages = make([]stage, len(s.hooks()))
	if look.untrained != nil {
		of := *s.Subject
		of.Model = look.untrained
		s.random = &subject{Subject: &of, stages: make([]stage, len(s.stages))}
	}
	if look.logits {
		if err := s.readLogits(ctx, workers); err != nil {
			return err
		}
	}
	for first := 0; first < len(s.stages); first += 2 {
		if err := s.measureLayer(ctx, first, look, workers); err != nil {
			return err
		}
	}
	return nil
}

// measureLayer measures the two stages of a layer; first is the index of the first stage.
func (s *subject) measureLayer(ctx context.Context, first int, look scrutiny, workers int) error {
	plan := probe.Plan{
		Features: probe.Stages(s.hooks()[first : first+2]...), Targets: readTargets,
		Keep: true, Patterns: first == 0, Workers: workers,
	}
	of := layer{first: first}
	var err error
	if of.trained, err = probe.Analyze(ctx, s.Model, s.Prefixes, plan); err != nil {
		return err
	}
	if look.controls {
		shuffled := []probe.Target{probe.Shuffled(probe.Constrained), probe.Shuffled(probe.Beliefs)}
		if of.trained, err = of.trained.Under(ctx, probe.Ours, slices.Concat(readTargets, shuffled)...); err != nil {
			return err
		}
		plan.Features = append(plan.Features, probe.NextTokenFeatures(s.Prefixes))
	}
	if look.untrained != nil {
		if of.random, err = probe.Analyze(ctx, look.untrained, s.Prefixes, plan); err != nil {
			return err
		}
	}
	if first == 0 {
		s.keep(of)
		if s.convergence, err = look.learnable.Of(ctx, of.trained); err != nil {
			return err
		}
	}
	var group sync.WaitGroup
	var errs [2]error
	for i := range errs {
		group.Go(func() { errs[i] = s.measureStage(ctx, of, i, look) })
	}
	group.Wait()
	return errors.Join(errs[:]...)
}

// readTargets are the targets regressed on each stage.
var readTargets = []probe.Target{probe.Constrained, probe.Beliefs}

// layer holds the analyses of a layer's two stages. The analysis trained is of the
// trained model; as controls it also has the shuffled geometries. The analysis random is
// of its random initialisation and also has the next-token distribution; it is nil if the
// model is not compared with one.
type layer struct {
	first           int // index of the first stage
	trained, random *probe.Analysis
}

// keep records the attention patterns and the divergences from the analyses of the first
// layer.
func (s *subject) keep(of layer) {
	s.patterns, s.kl = of.trained.Patterns, of.trained.KL().Mean
	for _, kl := range of.trained.KLByPosition() {
		s.klPosition = append(s.klPosition, kl.Mean)
	}
	if of.random != nil {
		s.random.patterns, s.random.kl = of.random.Patterns, of.random.KL().Mean
	}
}

// readLogits regresses both geometries on the logarithms of the model's next-token
// probabilities. This measures how much of a geometry the prediction alone contains, and
// so every stage from which the prediction can be read.
func (s *subject) readLogits(ctx context.Context, workers int) error {
	tokens := s.HMM.Alphabet()
	logs := probe.Table{Width: tokens, Data: make([]float64, s.Prefixes.Rows()*tokens)}
	visit := func(pass *probe.Pass) {
		for _, span := range pass.Spans {
			for i := range span.N {
				logSoftmax(logs.Row(span.Row+i), pass.Logits[(span.Node+i)*tokens:][:tokens])
			}
		}
	}
	err := probe.Sweep(ctx, s.Model, s.Prefixes, nil, workers, func() (func(*probe.Pass), func()) {
		return visit, func() {}
	})
	if err != nil {
		return err
	}
	s.logits, err = readGeometries(ctx, s.Prefixes, logs)
	return err
}

// logSoftmax writes the log-probabilities of the logits to dst.
func logSoftmax(dst []float64, logits []float32) {
	for i, x := range logits {
		dst[i] = float64(x)
	}
	floats.AddConst(-floats.LogSumExp(dst), dst)
}

// geometryScores holds how accurately each geometry is read from one table.
type geometryScores struct{ constrained, full scores }

// readGeometries regresses both geometries on a table.
func readGeometries(ctx context.Context, p *process.Prefixes, x probe.Table) (g geometryScores, err error) {
	features := probe.TableFeatures("x", x)
	a, err := probe.Analyze(ctx, nil, p, probe.Plan{
		Features: []probe.Features{features}, Targets: readTargets, Keep: true,
	})
	if err != nil {
		return g, err
	}
	return geometryScores{
		scoresOf(a.Regress(probe.Constrained, features)), scoresOf(a.Regress(probe.Beliefs, features)),
	}, nil
}
