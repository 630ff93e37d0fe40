package induction

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/craft"
	"foretell/model"
)

// handwritten identifies a model that is written by hand.
type handwritten struct {
	problem
	heads int // of the second layer; 0 means enough to keep all transitions apart
}

// byHand is a construction with its divergence and its attention on the held-out
// sequences of its task.
type byHand struct {
	model *model.Transformer[float64]
	along curve
	sees  attention

	above, atEnd float64 // divergence minus the optimal predictor's, as in [subject]
}

// constructed returns the measurements of a construction, which is measured once per
// study.
func (l *lab) constructed(ctx context.Context, s *claim.Study, of handwritten) (*byHand, error) {
	if m := l.written[of]; m != nil {
		return m, nil
	}
	s.Tell(fmt.Sprintf("measuring the construction for the lags %s", of.task))
	c := l.chains(of.problem)
	ask := constructionOf(c.p, of.lags(), c.context)
	ask.Heads = of.heads
	model := must(ask.Transformer())
	along, sees, err := observe(ctx, s, c, model)
	if err != nil {
		return nil, err
	}
	m := &byHand{model: model, along: along, sees: sees}
	optimal := l.optimal(of.problem)
	m.above, _ = m.along.above(optimal, judgedFrom)
	m.atEnd, _ = m.along.above(optimal, c.end())
	l.written[of] = m
	return m, nil
}

// enoughHeads returns the smallest number of second-layer heads that keeps all
// transitions of a task apart.
func (t task) enoughHeads() int { return craft.FewestHeads(t.lags()).Heads }
