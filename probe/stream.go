package probe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"foretell/model"

	"gonum.org/v1/gonum/floats"
)

// stream is an analysis in progress that sums moments and keeps no rows.
type stream struct {
	*Analysis

	mu   sync.Mutex
	idle []*partial // empty, for use by further groups of passes
}

// mostMoments is the largest total count of numbers in all moments.
const mostMoments = 1 << 28

// stream computes the moments of the features.
func (a *Analysis) stream(ctx context.Context) error {
	if err := a.makeRoom(); err != nil {
		return err
	}
	s := &stream{Analysis: a}
	if err := s.center(ctx); err != nil {
		return err
	}
	if err := a.sweep(ctx, s.begin); err != nil {
		return err
	}
	return a.checkFinite()
}

// makeRoom allocates the moments of the features, all zero.
func (a *Analysis) makeRoom() error {
	slots, folds, k, size := a.Plan.Convention.slots(a.Prefixes), a.shares.Width, a.targetColumns(), 0
	a.kl = Table{Data: make([]float64, a.Prefixes.Length*folds), Width: folds}
	for _, x := range a.features {
		size += slots * folds * (x.width + k) * (x.width + k) * (a.Plan.Workers + 1)
	}
	if size > mostMoments {
		return fmt.Errorf("probe: the moments of these features need %.1f GiB; the limit is %d GiB: "+
			"use fewer stages, positions or workers", float64(size)*8/(1<<30), mostMoments*8>>30)
	}
	for _, x := range a.features {
		x.shift = make([]float64, x.width+k)
		x.moments = newSlots(slots, folds, len(x.shift))
	}
	return nil
}

// targetColumns is the total number of columns of all targets.
func (a *Analysis) targetColumns() int {
	if len(a.targets) == 0 {
		return 0
	}
	return a.targets[len(a.targets)-1].to
}

func newSlots(slots, folds, width int) [][]*moments {
	list := make([][]*moments, slots)
	for t := range list {
		for range folds {
			list[t] = append(list[t], newMoments(width))
		}
	}
	return list
}

// center estimates the mean of each column, which is subtracted to keep sums of squares
// accurate. For targets it is the exact mean, for activations the mean over one pass.
func (s *stream) center(ctx context.Context) error {
	var target []float64
	for _, y := range s.tables {
		mean, err := y.weightedMean("a target", s.weights)
		if err != nil {
			return err
		}
		target = append(target, mean...)
	}
	passes, nodes := planPasses(s.Prefixes, passNodes)
	pass := newRunner(s.forward(s.hooks()), nodes).run(passes[len(passes)/2])
	for _, x := range s.features {
		at := 0
		for i, hook := range x.Stages {
			data, d := pass.Activation(hook).Data, x.widths[i]
			for j, v := range data {
				x.shift[at+j%d] += float64(v) * float64(d) / float64(len(data))
			}
			at += d
		}
		copy(x.shift[x.width:], target)
	}
	return ctx.Err()
}

// partial holds the sums of a group of passes.
type partial struct {
	moments [][][]*moments // [features][slot][fold]
	kl      []float64
	row     []float64
}

// begin starts a group of passes.
func (s *stream) begin() (visit func(*Pass), end func()) {
	part := s.take()
	visit = func(pass *Pass) {
		s.addDivergence(part, pass)
		for f, x := range s.features {
			s.addMoments(part.moments[f], part.row[:len(x.shift)], pass, x)
		}
	}
	return visit, func() { s.merge(part) }
}

// take returns an empty partial.
func (s *stream) take() *partial {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		part := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return part
	}
	part := &partial{kl: make([]float64, len(s.kl.Data))}
	for _, x := range s.features {
		part.moments = append(part.moments, newSlots(len(x.moments), len(x.moments[0]), len(x.shift)))
		part.row = slices.Grow(part.row, len(x.shift))
	}
	return part
}

// merge adds a partial to the total and empties it.
func (s *stream) merge(part *partial) {
	for i, x := range s.features {
		for t, folds := range x.moments {
			for f, total := range folds {
				total.merge(part.moments[i][t][f])
			}
		}
	}
	floats.Add(s.kl.Data, part.kl)
	clear(part.kl)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, part)
}

func (s *stream) addDivergence(part *partial, pass *Pass) {
	if s.model == nil {
		return
	}
	p, folds := s.Prefixes, s.shares.Width
	for _, span := range pass.Spans {
		sums := part.kl[(span.Length-1)*folds:][:folds]
		for i := range span.N {
			if prob := p.Prob[span.Row+i]; prob > 0 {
				kl := pass.divergence(p, span, i, s.model.Config.DVocab)
				floats.AddScaled(sums, prob*kl, s.shares.Row(span.Row+i))
			}
		}
	}
}

// addMoments adds the prefixes of a pass to the moments of features. z is a buffer for
// one row.
func (s *stream) addMoments(to [][]*moments, z []float64, pass *Pass, x *studied) {
	write := x.writer(pass)
	for _, span := range pass.Spans {
		slot := to[s.Plan.Convention.slot(span.Length)]
		for i := range span.N {
			row := span.Row + i
			if s.weights[row] == 0 {
				continue
			}
			write(z[:x.width], span, i)
			for j, y := range s.targets {
				copy(z[x.width+y.from:], s.tables[j].Row(row))
			}
			floats.Sub(z, x.shift)
			for fold, share := range s.shares.Row(row) {
				slot[fold].push(z, s.weights[row]*share)
			}
		}
	}
}

// checkFinite returns an error if an activation is NaN or infinite.
func (a *Analysis) checkFinite() error {
	for _, x := range a.features {
		for _, folds := range x.moments {
			for _, m := range folds {
				for j, v := range m.sum {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						return fmt.Errorf("probe: column %d of %s holds numbers that are %w",
							j, x.Name, model.ErrNotFinite)
					}
				}
			}
		}
	}
	return nil
}
