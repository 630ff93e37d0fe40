package induction

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/model"
)

// subject is a model with its divergence and its attention on the held-out sequences of
// its task.
type subject struct {
	network
	model *model.Transformer[float32]
	along curve
	sees  attention

	// Divergence minus the Bayesian model average's, in nats, mean over positions from
	// judgedFrom, with its standard error.
	above, error float64
	atEnd        float64 // the same over the last positions, see chains.end
	plateau      string  // the plateau on which the model rests; empty if it rests on none, see [lab.resting]

	// The model's divergence from the optimal prediction by position, after half of the
	// training steps and after all of them; nil for a model that was not trained.
	halfway, trained []float64
}

// subjects returns the measurements of models; each model is measured once per study.
func (l *lab) subjects(ctx context.Context, s *claim.Study, list []network) ([]*subject, error) {
	found := make([]*subject, len(list))
	for i, n := range list {
		if l.models[n] == nil {
			s.Tell("measuring " + n.label())
			m, err := l.look(ctx, s, n, s.Trained(l.training(n)).Model)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", n.label(), err)
			}
			if err := m.readTraining(s, l.training(n)); err != nil {
				return nil, err
			}
			l.models[n] = m
		}
		found[i] = l.models[n]
	}
	return found, nil
}

// group returns what measure finds on each model, by seed. The name is the condition's.
// The rule says why a model has not converged, and is empty if it has.
func group[M any](
	name string, models []*subject, rule func(m *subject) string, measure func(m *subject) (M, error),
) (claim.BySeed[M], error) {
	g := claim.BySeed[M]{Name: name}
	for _, m := range models {
		found, err := measure(m)
		if err != nil {
			return g, err
		}
		g.Models = append(g.Models, claim.Seeded[M]{Seed: int(m.seed), Unconverged: rule(m), Found: found})
	}
	return g, nil
}

// look measures a model of the network's architecture, trained or not.
func (l *lab) look(
	ctx context.Context, s *claim.Study, n network, of *model.Transformer[float32],
) (*subject, error) {
	c := l.chains(n.problem())
	along, sees, err := observe(ctx, s, c, of)
	if err != nil {
		return nil, err
	}
	m := &subject{network: n, model: of, along: along, sees: sees}
	optimal := l.optimal(n.problem())
	m.above, m.error = m.along.above(optimal, judgedFrom)
	m.atEnd, _ = m.along.above(optimal, c.end())
	m.plateau = l.resting(m)
	return m, nil
}

// pass is the number of sequences in one forward pass.
const pass = 8

// observe runs a model on the sequences and returns its divergence and its attention.
func observe[F model.Float](
	ctx context.Context, s *claim.Study, c *chains, m *model.Transformer[F],
) (curve, attention, error) {
	along := curve{c.context, make([]float64, len(c.tokens))}
	passes := (c.count() + pass - 1) / pass
	looks, names := make([]attention, passes), patternNames(m.Config)
	stationary := c.process.Stationary()
	err := s.Each(ctx, passes, func(_ context.Context, i int) error {
		first := i * pass
		last := min(first+pass, c.count())
		logits, cache, err := m.RunWithCache(c.tokens[first*c.context:last*c.context], last-first, names...)
		if err != nil {
			return err
		}
		for n := first; n < last; n++ {
			for t := range c.context {
				row := logits[((n-first)*c.context+t)*m.Config.DVocab:][:m.Config.DVocab]
				along.kl[n*c.context+t] = model.Divergence(c.next(n, t+1, stationary), row)
			}
		}
		looks[i] = newAttention(m.Config, len(c.lags()))
		for layer, name := range names {
			addPatterns(looks[i][layer], c, first, cache.Get(name))
		}
		return nil
	})
	if err != nil {
		return along, nil, err
	}
	return along, sumAttention(looks, c), nil
}

// patternNames returns the hooks of the attention patterns, one for each layer.
func patternNames(c model.Config) []string {
	names := make([]string, c.NLayers)
	for i := range names {
		names[i] = fmt.Sprintf("blocks.%d.attn.hook_pattern", i)
	}
	return names
}

// untrained measures a model at its initialisation.
func (l *lab) untrained(ctx context.Context, s *claim.Study, n network) (*subject, error) {
	c, err := n.resolved()
	if err != nil {
		return nil, err
	}
	m, err := model.New[float32](c, n.seed)
	if err != nil {
		return nil, err
	}
	return l.look(ctx, s, n, m)
}
