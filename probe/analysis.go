package probe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// Analysis is what one pass over all words leaves: the moments of features and targets, from which regressions, their
// scores and principal components follow, and the divergence from the optimum. No activation is kept.
type Analysis struct {
	Convention Convention
	Prefixes   *process.Prefixes

	features []*studied
	targets  []columns
	kl       Table // (T, folds): Σ p·KL over the words of each length
	workers  int
}

// studied are features with their moments.
type studied struct {
	Features
	width       int
	shift       []float64     // (width + all targets' columns)
	moments     [][]*moments  // by slot and fold
	validations []*validation // by slot; nil until asked for
}

// Analyze runs m over every word of p, as [Collect] does, and regresses each of the targets, tables of a row a word, on
// each of the features under a convention: see [Analysis.Regress]. It streams: what it holds at a time is the
// activations of some hundred words for each worker, and the moments, 8·w² bytes for features and targets of w columns
// together, for each fold, for each position where a convention fits each, and once more for each worker.
//
// The result does not depend on the number of workers, and is that of [Regress] on the whole table, to rounding. It is
// an error when stages, words or tokens do not fit the model, when activations are not finite, when a convention does
// not fit p, when the moments would need more than 2 GiB, or when ctx is done.
func Analyze(ctx context.Context, m *model.Transformer[float32], p *process.Prefixes, features []Features, targets []Table, c Convention, workers int) (*Analysis, error) {
	if err := fits(m, p); err != nil {
		return nil, err
	}
	if err := c.check(p); err != nil {
		return nil, err
	}
	s, err := newStream(m, p, features, targets, c, max(1, workers))
	if err != nil {
		return nil, err
	}
	if err := s.center(ctx); err != nil {
		return nil, err
	}
	if err := Sweep(ctx, m, p, s.hooks, workers, s.begin); err != nil {
		return nil, err
	}
	return s.out, s.checkFinite()
}

// stream is an analysis under way.
type stream struct {
	out     *Analysis
	model   *model.Transformer[float32]
	hooks   []string
	y       []Table
	weights []float64
	shares  Table

	mu   sync.Mutex
	idle []*partial // that a group has returned
}

// mostMoments bounds the numbers that moments may take.
const mostMoments = 1 << 28

func newStream(m *model.Transformer[float32], p *process.Prefixes, features []Features, targets []Table, c Convention, workers int) (*stream, error) {
	s := &stream{out: &Analysis{Convention: c, Prefixes: p, workers: workers}, model: m, y: targets, weights: c.weights(p)}
	k := 0
	for _, t := range targets {
		t.check("a target", p.Rows())
		s.out.targets = append(s.out.targets, columns{k, k + t.Width})
		k += t.Width
	}
	size := 0
	folds := c.folds(p, s.weights)
	s.shares = folds.Shares
	s.out.kl = Table{Data: make([]float64, p.Length*folds.Count), Width: folds.Count}
	for _, f := range features {
		for _, hook := range f.Stages {
			if !slices.Contains(s.hooks, hook) {
				s.hooks = append(s.hooks, hook)
			}
		}
		x := &studied{Features: f, width: f.columns(m.Config.DModel)}
		x.shift = make([]float64, x.width+k)
		size += c.slots(p) * folds.Count * len(x.shift) * len(x.shift) * (workers + 1)
		s.out.features = append(s.out.features, x)
	}
	if size > mostMoments {
		return nil, fmt.Errorf("probe: the moments of these features need %.1f GiB; the limit is %d: give fewer stages, positions or workers",
			float64(size)*8/(1<<30), mostMoments*8>>30)
	}
	for _, x := range s.out.features {
		x.moments = newSlots(c.slots(p), folds.Count, len(x.shift))
	}
	return s, checkStages(m, s.hooks)
}

// slots is the number of fits that a convention makes of the same features: one, or one a position.
func (c Convention) slots(p *process.Prefixes) int {
	if c.Positions == EachPosition {
		return p.Length
	}
	return 1
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

// center finds about where the columns lie, which keeps sums of squares accurate: the mean of targets, and that of
// the activations in one pass.
func (s *stream) center(ctx context.Context) error {
	var target []float64
	for _, y := range s.y {
		mean, err := y.weightedMean("a target", s.weights)
		if err != nil {
			return err
		}
		target = append(target, mean...)
	}
	passes, nodes := planPasses(s.out.Prefixes, passNodes)
	pass := newRunner(s.model, s.out.Prefixes, s.hooks, nodes).run(passes[len(passes)/2])
	d := s.model.Config.DModel
	for _, x := range s.out.features {
		for i, hook := range x.Stages {
			data := pass.Activation(hook).Data
			for j, v := range data {
				x.shift[i*d+j%d] += float64(v) * float64(d) / float64(len(data))
			}
		}
		copy(x.shift[x.width:], target)
	}
	return ctx.Err()
}

// partial is what a group of passes adds up.
type partial struct {
	moments [][][]*moments // by features, slot and fold
	kl      []float64
	row     []float64
}

// begin starts a group of passes.
func (s *stream) begin() (visit func(*Pass), end func()) {
	part := s.take()
	visit = func(pass *Pass) {
		s.addDivergence(part, pass)
		for f, x := range s.out.features {
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
	part := &partial{kl: make([]float64, len(s.out.kl.Data))}
	for _, x := range s.out.features {
		part.moments = append(part.moments, newSlots(len(x.moments), len(x.moments[0]), len(x.shift)))
		part.row = slices.Grow(part.row, len(x.shift))
	}
	return part
}

// merge adds a partial to the total and empties it.
func (s *stream) merge(part *partial) {
	for i, x := range s.out.features {
		for t, folds := range x.moments {
			for f, total := range folds {
				total.merge(part.moments[i][t][f])
			}
		}
	}
	floats.Add(s.out.kl.Data, part.kl)
	clear(part.kl)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, part)
}

func (s *stream) addDivergence(part *partial, pass *Pass) {
	p, folds := s.out.Prefixes, s.shares.Width
	for _, run := range pass.Runs {
		sums := part.kl[(run.Length-1)*folds:][:folds]
		for i := range run.N {
			if prob := p.Prob[run.Row+i]; prob > 0 {
				kl := pass.divergence(p, run, i, s.model.Config.DVocab)
				floats.AddScaled(sums, prob*kl, s.shares.Row(run.Row+i))
			}
		}
	}
}

// addMoments adds the words of a pass to the moments of features, by way of a row of their width.
func (s *stream) addMoments(to [][]*moments, z []float64, pass *Pass, x *studied) {
	d := s.model.Config.DModel
	var stages [][]float32
	for _, hook := range x.Stages {
		stages = append(stages, pass.Activation(hook).Data)
	}
	for _, run := range pass.Runs {
		slot := to[0]
		if s.out.Convention.Positions == EachPosition {
			slot = to[run.Length-1]
		}
		for i := range run.N {
			row := run.Row + i
			if s.weights[row] == 0 {
				continue
			}
			if x.row != nil {
				x.row(z[:x.width], row)
			}
			for j, data := range stages {
				for a, v := range data[(run.Node+i)*d:][:d] {
					z[j*d+a] = float64(v)
				}
			}
			for j, y := range s.out.targets {
				copy(z[x.width+y.from:], s.y[j].Row(row))
			}
			floats.Sub(z, x.shift)
			for fold, share := range s.shares.Row(row) {
				slot[fold].push(z, s.weights[row]*share)
			}
		}
	}
}

// checkFinite returns an error if an activation is not a number.
func (s *stream) checkFinite() error {
	for _, x := range s.out.features {
		for _, folds := range x.moments {
			for _, m := range folds {
				for j, v := range m.sum {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						return fmt.Errorf("probe: column %d of %s holds numbers that are not finite", j, x.Name)
					}
				}
			}
		}
	}
	return nil
}

// Principal returns the principal components of features, words weighted as the convention has it; features are
// numbered as Analyze was given them.
func (a *Analysis) Principal(features int) *Principal {
	x := a.features[features]
	total := newMoments(len(x.shift))
	for _, folds := range x.moments {
		for _, m := range folds {
			total = total.plus(1, m)
		}
	}
	return total.principal(x.width, x.shift)
}
