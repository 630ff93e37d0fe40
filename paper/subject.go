package paper

import (
	"fmt"
	"slices"

	"foretell/internal/portable"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// subject is a trained model with what the rows measure on it. The activations
// themselves, hundreds of megabytes, are not kept.
type subject struct {
	condition
	hmm         *process.HMM
	prefixes    *process.Prefixes
	model       *model.Transformer[float32]
	kl          float64   // over every prefix, weighted by its probability, mean over positions
	klPosition  []float64 // at positions 1 … n_ctx
	information float64   // what the prefixes tell of the next token, in nats, mean over positions
	stages      []stage   // of the residual stream: after attention and after the MLP, layer by layer
	patterns    []probe.Pattern
	untrained   []probe.Pattern // the same of the random initialisation, where that is a control
}

// mid is the paper's intermediate stage: after the first attention.
func (s *subject) mid() *stage { return &s.stages[0] }

// final is the last stage.
func (s *subject) final() *stage { return &s.stages[len(s.stages)-1] }

// missed is the share of what the prefixes tell that the model does not use: 0 for
// the optimal predictor, 1 for one that ignores them.
func (s *subject) missed() float64 { return s.kl / s.information }

// stage is one stage of the residual stream over every prefix.
type stage struct {
	constrained, full fits // regressions to the two geometries

	// Only for the first stage of small models, see explained:
	shape, shapeRandom *probe.Regression

	// Only for the models of M2:
	plane       probe.Table // (rows, 2) of the first components, turned towards the beliefs; see align
	planeR2     float64     // held-out R² of the geometry on the first three components
	words       []float64   // cumulative explained variance, all sequences and positions weighted equally
	probability []float64   // the same, weighted by probability
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
	missing := slices.DeleteFunc(row.conditions(s.Profile), func(c condition) bool { return s.subjects[c] != nil })
	models, err := s.trainAll(missing)
	if err != nil {
		return err
	}
	for i, c := range missing {
		s.report("looking into " + c.label())
		if s.subjects[c], err = s.newSubject(c, models[i]); err != nil {
			return fmt.Errorf("%s: %w", c.label(), err)
		}
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
	return slices.DeleteFunc(s.of(list), func(x *subject) bool { return x.norm != s.Profile.Norms[0] })
}

func (s *Study) newSubject(c condition, m *model.Transformer[float32]) (*subject, error) {
	h, err := c.hmm()
	if err != nil {
		return nil, err
	}
	subject := &subject{condition: c, hmm: h, prefixes: h.Prefixes(m.Config.NCtx), model: m}
	subject.information = information(h, subject.prefixes)
	var look scrutiny
	switch {
	case slices.Contains(mess3Conditions(s.Profile), c): // those of M2
		look.controls, look.components = true, true
	case c.training == s.Profile.Mess3, c.name == rrxor.name: // those of M12, which has no controls, and of B1 and B2, which have their own
		return subject, subject.measure(s.ctx, look, s.Workers)
	}
	look.shape = c.training == s.Profile.Small
	if look.untrained, err = model.New[float32](m.Config, c.seed); err != nil {
		return nil, err
	}
	return subject, subject.measure(s.ctx, look, s.Workers)
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
