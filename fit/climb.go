package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// climb is the way of a fit from one start.
type climb struct {
	of        kind
	at        *model
	e         *expected
	trace     []float64 // the likelihoods, each at least the one before
	passes    int       // over the sequence, with the ones that were taken back
	most      float64   // the longest step length of an extrapolation
	converged bool
	stopped   string // why it ended
}

// limits says when a climb ends.
type limits struct {
	steps     int
	tolerance float64 // nats
	report    func(logLikelihood float64)
}

// climb follows EM steps from a model that can make the sequence, until three of them
// gain less than the tolerance.
func (w *pass) climb(ctx context.Context, of kind, m *model, l limits) (*climb, error) {
	c := &climb{of: of, at: m, most: math.Inf(1)}
	if _, err := c.visit(ctx, w, m); err != nil {
		return nil, err
	}
	if c.e == nil {
		return nil, errors.New("fit: the first model cannot make the sequence")
	}
	for c.passes < l.steps {
		before := c.e.logLikelihood
		stuck, err := c.cycle(ctx, w)
		if err != nil {
			return nil, err
		}
		if l.report != nil {
			l.report(c.e.logLikelihood)
		}
		if stuck {
			c.converged, c.stopped = true, "no step raised the likelihood"
			return c, nil
		}
		if c.e.logLikelihood-before < l.tolerance {
			c.converged, c.stopped = true, fmt.Sprintf("three steps gained less than %.3g nats", l.tolerance)
			return c, nil
		}
	}
	c.stopped = fmt.Sprintf("%d passes were made", c.passes)
	return c, nil
}

// visit moves to m if it is at least as likely as the model before.
func (c *climb) visit(ctx context.Context, w *pass, m *model) (moved bool, err error) {
	e, err := w.expect(ctx, m)
	if err != nil {
		return false, err
	}
	c.passes++
	if e.counts == nil || c.e != nil && !(e.logLikelihood >= c.e.logLikelihood) {
		return false, nil
	}
	c.at, c.e = m, e
	c.trace = append(c.trace, e.logLikelihood)
	return true, nil
}

// widen is the factor by which the longest extrapolation grows where it is reached, and
// shrinks where an extrapolation is taken back.
const widen = 4

// cycle takes two EM steps and continues to the point that extrapolates them. It returns
// true where an EM step gains nothing.
func (c *climb) cycle(ctx context.Context, w *pass) (stuck bool, err error) {
	m0 := c.at
	if moved, err := c.step(ctx, w); err != nil || !moved {
		return true, err
	}
	m1 := c.at
	beyond, length := c.of.extrapolate(m0, m1, c.of.maximise(m1, c.e), c.most)
	moved, err := c.visit(ctx, w, beyond)
	switch {
	case err != nil:
		return false, err
	case !moved:
		c.most = max(1, length/widen)
		moved, err = c.step(ctx, w)
		return !moved, err
	case length == c.most:
		c.most *= widen
	}
	return false, nil
}

// halvings is the number of times that a step from a stationary start is halved where it
// overshoots. A step from a free start cannot.
const halvings = 8

// step takes an EM step and returns whether it raised the likelihood.
func (c *climb) step(ctx context.Context, w *pass) (moved bool, err error) {
	from, next := c.at, c.of.maximise(c.at, c.e)
	for range halvings {
		if moved, err := c.visit(ctx, w, next); err != nil || moved || c.of.start == Free {
			return moved, err
		}
		next = c.of.between(from, next)
	}
	return false, nil
}

// between returns the model halfway between two.
func (of kind) between(a, b *model) *model {
	next := newModel(a.k, a.a)
	for i, p := range a.p {
		next.p[i] = (p + b.p[i]) / 2
	}
	of.nearest(next, b)
	return next
}
