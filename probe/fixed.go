package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"foretell/model"
)

// AtMeanPatterns analyses the model once more with the attention of some heads, numbers
// of Patterns, or of all if none are given, replaced by its mean over words: by a pattern
// that does not look at tokens. The difference between the two analyses is what these
// heads do by looking at tokens, which a theory of attention as a weighing of positions
// leaves out.
//
// The mean is that of the analysis, and all heads are replaced at once, beside those that
// its plan fixes. It is an error when the analysis has no patterns, and where [Analyze]
// has one; it panics on a number that no pattern has.
func (a *Analysis) AtMeanPatterns(ctx context.Context, heads ...int) (*Analysis, error) {
	if a.Patterns == nil {
		return nil, errors.New("probe: the attention patterns of this analysis were not added up")
	}
	plan, chosen := a.Plan, a.Patterns
	if len(heads) > 0 {
		chosen = nil
		for _, head := range heads {
			chosen = append(chosen, a.Patterns[head])
		}
	}
	plan.Fixed = slices.Clone(a.Plan.Fixed)
	for _, p := range chosen {
		if !slices.ContainsFunc(a.Plan.Fixed, func(q Pattern) bool { return q.Layer == p.Layer && q.Head == p.Head }) {
			plan.Fixed = append(plan.Fixed, p)
		}
	}
	return Analyze(ctx, a.model, a.Prefixes, plan)
}

// fixedPatterns are patterns by the hook name of the layer and the head; nil where a head
// keeps its own.
type fixedPatterns map[string][]*fixedPattern

// fixedPattern is a pattern (T,T) in the precision of the pass.
type fixedPattern struct {
	T    int
	data []float32
}

// write overwrites the patterns of a pass, (nodes, heads, 1, depth), if they are of a
// layer that has fixed ones; lengths are those of the words that end in the nodes.
func (f fixedPatterns) write(t model.Tensor[float32], lengths []int) {
	heads := f[t.Name]
	if heads == nil {
		return
	}
	depth := t.Shape[3]
	for node, length := range lengths {
		for head, pattern := range heads {
			if pattern != nil {
				copy(t.Data[(node*len(heads)+head)*depth:], pattern.data[(length-1)*pattern.T:][:length])
			}
		}
	}
}

// fix checks and converts the patterns of the plan.
func (a *Analysis) fix() error {
	if len(a.Plan.Fixed) > 0 && a.model == nil {
		return errors.New("probe: attention patterns are fixed, and there is no model")
	}
	a.fixed = fixedPatterns{}
	for _, p := range a.Plan.Fixed {
		if p.Layer < 0 || p.Layer >= len(a.model.Config.NHeads) || p.Head < 0 || p.Head >= a.model.Config.NHeads[p.Layer] {
			return fmt.Errorf("probe: a pattern is fixed for layer %d, head %d, which the model has not", p.Layer, p.Head)
		}
		if err := p.check(a.Prefixes.Length); err != nil {
			return err
		}
		hook := patternHook(p.Layer)
		if a.fixed[hook] == nil {
			a.fixed[hook] = make([]*fixedPattern, a.model.Config.NHeads[p.Layer])
		}
		if a.fixed[hook][p.Head] != nil {
			return fmt.Errorf("probe: two patterns are fixed for layer %d, head %d", p.Layer, p.Head)
		}
		data := make([]float32, len(p.Mean))
		for i, x := range p.Mean {
			data[i] = float32(x)
		}
		a.fixed[hook][p.Head] = &fixedPattern{T: p.T, data: data}
	}
	return nil
}

// rowTolerance bounds how far a row of a pattern may be from summing to one: the model's
// own sum to one in float32.
const rowTolerance = 1e-5

// check returns an error unless the mean can be the attention after words of up to so
// many tokens: none of it negative or to later sources, and one in all.
func (p Pattern) check(length int) error {
	if p.T < length || len(p.Mean) != p.T*p.T {
		return fmt.Errorf("probe: a pattern of %d entries over %d positions is fixed for words of %d tokens",
			len(p.Mean), p.T, length)
	}
	for d := range length {
		total := 0.0
		for s, x := range p.Mean[d*p.T : (d+1)*p.T] {
			if !(x >= 0) || s > d && x != 0 {
				return fmt.Errorf("probe: the fixed pattern of layer %d, head %d has %g from position %d to %d",
					p.Layer, p.Head, x, d+1, s+1)
			}
			total += x
		}
		if !(math.Abs(total-1) <= rowTolerance) {
			return fmt.Errorf("probe: the fixed pattern of layer %d, head %d has rows that sum to %.6g, not 1",
				p.Layer, p.Head, total)
		}
	}
	return nil
}

// Dependence is how far the attention of a head looks at tokens: the distance in total
// variation, ½·Σ_s |A(d,s) − Ā(d,s)|, of the attention from a position to its mean over
// words, in the mean over words. It is the share of attention that tokens move about: 0
// where it depends on positions alone, and less than 1.
//
// A head whose attention is replaced by its mean hands on something else by at most this
// distance times that between its two farthest values, in the mean over words. Of the
// measures that are 0 for the same heads (a variance, a spread relative to the mean) it
// is the one that says so, and it does not depend on how many positions share attention.
type Dependence struct {
	Layer, Head int
	ByPosition  []float64 // (T): from each position; 0 from the first, which has one source
	Mean        float64   // over the positions from the second on
}

// TokenDependence returns how far each head's attention looks at tokens, layer by layer,
// words weighted by their probability. Over sampled words it is a little too large, as
// the mean is that of the sample. It runs the model once more, and is an error when the
// analysis has no patterns and when ctx is done.
func (a *Analysis) TokenDependence(ctx context.Context) ([]Dependence, error) {
	if a.Patterns == nil {
		return nil, errors.New("probe: the attention patterns of this analysis were not added up")
	}
	T, hooks := a.Prefixes.Length, []string{}
	for layer := range a.model.Config.NLayers {
		hooks = append(hooks, patternHook(layer))
	}
	total := make([]float64, len(a.Patterns)*T)
	err := a.forward(hooks).sweep(ctx, a.Plan.Workers, func() (func(*Pass), func()) {
		part := make([]float64, len(total))
		return func(pass *Pass) { a.addDistances(part, pass) }, func() {
			for i, x := range part {
				total[i] += x
			}
		}
	})
	list := make([]Dependence, len(a.Patterns))
	for i, p := range a.Patterns {
		list[i] = Dependence{Layer: p.Layer, Head: p.Head, ByPosition: total[i*T : (i+1)*T]}
		for _, x := range list[i].ByPosition[1:] {
			list[i].Mean += x / float64(T-1)
		}
	}
	return list, err
}

// addDistances adds the words of a pass to the distances of their attention from the
// mean, (patterns, T).
func (a *Analysis) addDistances(to []float64, pass *Pass) {
	T := a.Prefixes.Length
	for i, p := range a.Patterns {
		t := pass.Activation(patternHook(p.Layer))
		heads, depth := t.Shape[1], t.Shape[3]
		for _, run := range pass.Runs {
			mean := p.Mean[(run.Length-1)*T:][:run.Length]
			for j := range run.N {
				distance := 0.0
				for s, x := range t.Data[((run.Node+j)*heads+p.Head)*depth:][:run.Length] {
					distance += math.Abs(float64(x)-mean[s]) / 2
				}
				to[i*T+run.Length-1] += a.Prefixes.Prob[run.Row+j] * distance
			}
		}
	}
}
