package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"foretell/model"
)

// AtMeanPatterns repeats the analysis with the attention of some heads replaced by its
// mean over prefixes, a pattern that does not depend on tokens. The heads are given as
// indices into a.Patterns; without any index, all heads are replaced. The difference
// between the two analyses is the effect of these heads' attention to particular tokens.
// A theory that treats attention as a weighting of positions ignores this effect.
//
// The mean comes from this analysis. All given heads are replaced at once, in addition to
// the patterns that the plan fixes. AtMeanPatterns returns an error if the analysis has
// no patterns, and the errors of [Analyze]. It panics if an index is out of range.
func (a *Analysis) AtMeanPatterns(ctx context.Context, heads ...int) (*Analysis, error) {
	if a.Patterns == nil {
		return nil, errors.New("probe: this analysis has no attention patterns; set Plan.Patterns")
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

// fixedPatterns maps the hook name of a layer's patterns to the fixed pattern of each
// head, nil for a head that keeps its own pattern.
type fixedPatterns map[string][]*fixedPattern

// fixedPattern is a (T,T) attention pattern in the precision of the forward pass.
type fixedPattern struct {
	T    int
	data []float32
}

// write overwrites the patterns t of a layer in a pass, (nodes, heads, 1, depth), where
// the layer has fixed patterns. It needs the length of the prefix that ends in each node.
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

// fix checks and converts the fixed patterns of the plan.
func (a *Analysis) fix() error {
	if len(a.Plan.Fixed) > 0 && a.model == nil {
		return errors.New("probe: fixed attention patterns need a model")
	}
	a.fixed = fixedPatterns{}
	for _, p := range a.Plan.Fixed {
		heads := a.model.Config.NHeads
		if p.Layer < 0 || p.Layer >= len(heads) || p.Head < 0 || p.Head >= heads[p.Layer] {
			return fmt.Errorf("probe: a pattern is fixed for layer %d, head %d, which the model does not have",
				p.Layer, p.Head)
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

// rowTolerance is the largest allowed difference between the sum of a row and one; the
// model's own rows sum to one in float32.
const rowTolerance = 1e-5

// check returns an error unless p.Mean can be the attention after prefixes of up to the
// given length: no entry is negative, entries for later sources are zero, and each row
// sums to one.
func (p Pattern) check(length int) error {
	if p.T < length || len(p.Mean) != p.T*p.T {
		return fmt.Errorf("probe: the fixed pattern has %d entries over %d positions, but sequences have %d tokens; "+
			"want the square of at least that number", len(p.Mean), p.T, length)
	}
	for d := range length {
		total := 0.0
		for s, x := range p.Mean[d*p.T : (d+1)*p.T] {
			if !(x >= 0) || s > d && x != 0 {
				return fmt.Errorf("probe: the fixed pattern of layer %d, head %d has attention %g from position %d to %d; "+
					"want at least 0, and 0 to later positions",
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

// Dependence measures how much the attention of a head depends on tokens. It is the total
// variation distance, ½·Σ_s |A(d,s) − Ā(d,s)|, between the attention A from a position d
// to sources s and its mean Ā over prefixes, averaged over prefixes. It is the share of
// attention that tokens move: 0 if attention depends on positions alone, and always less
// than 1.
//
// If a head's attention is replaced by its mean, its output changes, on average over
// prefixes, by at most this distance times the distance between the two value vectors
// that are farthest apart. Other measures that are 0 for the same heads (a variance, a
// spread relative to the mean) have no such bound. The distance does not depend on the
// number of positions that share attention.
type Dependence struct {
	Layer, Head int
	ByPosition  []float64 // (T): for attention from each position; 0 for the first, which has a single source
	Mean        float64   // mean over the positions from the second on
}

// TokenDependence returns how much each head's attention depends on tokens, layer by
// layer, with prefixes weighted by their probability. Over sampled prefixes it has a
// small bias, because the mean attention is computed from the same sample.
// TokenDependence runs the model once more. It returns an error if the analysis has no
// patterns or if ctx is done.
func (a *Analysis) TokenDependence(ctx context.Context) ([]Dependence, error) {
	if a.Patterns == nil {
		return nil, errors.New("probe: this analysis has no attention patterns; set Plan.Patterns")
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

// addDistances adds the distances between the attention after the prefixes of a pass and
// the mean attention to sums, (patterns, T).
func (a *Analysis) addDistances(sums []float64, pass *Pass) {
	T := a.Prefixes.Length
	for i, p := range a.Patterns {
		t := pass.Activation(patternHook(p.Layer))
		heads, depth := t.Shape[1], t.Shape[3]
		for _, span := range pass.Spans {
			mean := p.Mean[(span.Length-1)*T:][:span.Length]
			for j := range span.N {
				distance := 0.0
				for s, x := range t.Data[((span.Node+j)*heads+p.Head)*depth:][:span.Length] {
					distance += math.Abs(float64(x)-mean[s]) / 2
				}
				sums[i*T+span.Length-1] += a.Prefixes.Prob[span.Row+j] * distance
			}
		}
	}
}
