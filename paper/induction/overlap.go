package induction

import (
	"context"
	"slices"

	"foretell/claim"
	"foretell/model"
)

// overlaps holds the attention that two heads share, Σ_j min(a_ij, b_ij), indexed
// [layer][head of one model][head of the other]. It is 1 for the same attention and 0 for
// disjoint attention. It is averaged over sequences and over destinations from position
// judgedFrom on.
type overlaps [][][]float64

// attends is a head's attention: the weight that destination i gives to source j in a
// sequence of a pass. All arguments are counted from 0.
type attends func(sequence, i, j int) float64

// pairing holds the attention of two models on the same pass, by layer and head.
type pairing struct{ one, other [][]attends }

// look returns the attention of a model's heads on sequences of a pass, by layer and
// head.
type look func(tokens []int32, sequences int) ([][]attends, error)

// overlap returns the overlaps of each model with the other model on all sequences. The
// other model runs once in each pass, whatever the number of models.
func overlap(ctx context.Context, s *claim.Study, c *chains, other look, models ...look) ([]overlaps, error) {
	passes := (c.count() + pass - 1) / pass
	sums := make([][]overlaps, passes)
	err := s.Each(ctx, passes, func(_ context.Context, at int) error {
		first := at * pass
		last := min(first+pass, c.count())
		tokens := c.tokens[first*c.context : last*c.context]
		beside, err := other(tokens, last-first)
		if err != nil {
			return err
		}
		for _, of := range models {
			one, err := of(tokens, last-first)
			if err != nil {
				return err
			}
			sums[at] = append(sums[at], pairing{one, beside}.sum(last-first, c.context))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	total := sums[0]
	for i := range total {
		for layer := range total[i] {
			for h := range total[i][layer] {
				for g := range total[i][layer][h] {
					for _, more := range sums[1:] {
						total[i][layer][h][g] += more[i][layer][h][g]
					}
					total[i][layer][h][g] /= float64(c.count() * (c.context - judgedFrom + 1))
				}
			}
		}
	}
	return total, nil
}

// sum returns the sum of the overlaps over the given number of sequences, of t tokens
// each.
func (p pairing) sum(sequences, t int) overlaps {
	found := make(overlaps, len(p.one))
	for layer := range p.one {
		for _, one := range p.one[layer] {
			row := make([]float64, len(p.other[layer]))
			for g, other := range p.other[layer] {
				row[g] = shared(one, other, sequences, t)
			}
			found[layer] = append(found[layer], row)
		}
	}
	return found
}

func shared(one, other attends, sequences, t int) float64 {
	sum := 0.0
	for n := range sequences {
		for i := judgedFrom - 1; i < t; i++ {
			for j := range i + 1 {
				sum += min(one(n, i, j), other(n, i, j))
			}
		}
	}
	return sum
}

// looking returns the attention of a model's heads.
func looking[F model.Float](m *model.Transformer[F]) look {
	return func(tokens []int32, sequences int) ([][]attends, error) { return heads(m, tokens, sequences) }
}

// heads runs a model on sequences and returns the attention of its heads.
func heads[F model.Float](m *model.Transformer[F], tokens []int32, sequences int) ([][]attends, error) {
	names := patternNames(m.Config)
	_, cache, err := m.RunWithCache(tokens, sequences, names...)
	if err != nil {
		return nil, err
	}
	t := len(tokens) / sequences
	found := make([][]attends, len(names))
	for layer, name := range names {
		data, h := cache.Get(name).Data, m.Config.NHeads[layer]
		for head := range h {
			found[layer] = append(found[layer], func(n, i, j int) float64 {
				return float64(data[((n*h+head)*t+i)*t+j])
			})
		}
	}
	return found, nil
}

// ignorant returns the attention of heads that know the lags but ignore the tokens:
// layers 1 and 3 attend equally to the tokens at all lags, and layer 2 attends to the
// whole past.
func ignorant(lags []int) look {
	alike := func(shift int) attends {
		return func(_, i, j int) float64 {
			if slices.Contains(lags, i-j+shift) {
				return 1 / float64(len(lags))
			}
			return 0
		}
	}
	past := func(_, i, _ int) float64 { return 1 / float64(i+1) }
	known := [][]attends{{alike(0)}, {past}, {alike(1)}}
	return func([]int32, int) ([][]attends, error) { return known, nil }
}

// matched returns the mean overlap of a layer's heads with heads of the other model under
// the best assignment. If the other model has fewer heads, one of its heads may be
// assigned to several.
func (o overlaps) matched(layer int) float64 {
	best, n := 0.0, len(o[layer])
	if len(o[layer][0]) < n {
		for _, row := range o[layer] {
			best += slices.Max(row)
		}
		return best / float64(n)
	}
	var try func(h int, used []bool, sum float64)
	try = func(h int, used []bool, sum float64) {
		if h == n {
			best = max(best, sum)
			return
		}
		for g, x := range o[layer][h] {
			if !used[g] {
				used[g] = true
				try(h+1, used, sum+x)
				used[g] = false
			}
		}
	}
	try(0, make([]bool, len(o[layer][0])), 0)
	return best / float64(n)
}
