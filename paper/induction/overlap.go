package induction

import (
	"context"
	"slices"

	"foretell/claim"
	"foretell/model"
)

// overlaps is how much of their attention heads of two models share, Σ_j min(a_ij, b_ij),
// by layer, head of the one and head of the other: 1 for the same attention, 0 for none
// in common. It is the mean over destinations from judgedFrom on and over sequences.
type overlaps [][][]float64

// attends is what a head does on a pass of sequences: its weight at destination i of
// source j of one of them, counted from 0.
type attends func(sequence, i, j int) float64

// pairing are two ways to attend, by layer and head, on the same pass.
type pairing struct{ one, other [][]attends }

// overlap measures the overlaps on the sequences.
func overlap(
	ctx context.Context, s *claim.Study, c *chains, pair func(first, last int) (pairing, error),
) (overlaps, error) {
	passes := (c.count() + pass - 1) / pass
	sums := make([]overlaps, passes)
	err := s.Each(ctx, passes, func(_ context.Context, at int) error {
		first := at * pass
		last := min(first+pass, c.count())
		of, err := pair(first, last)
		if err == nil {
			sums[at] = of.sum(last-first, c.context)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	total := sums[0]
	for layer := range total {
		for h := range total[layer] {
			for g := range total[layer][h] {
				for _, more := range sums[1:] {
					total[layer][h][g] += more[layer][h][g]
				}
				total[layer][h][g] /= float64(c.count() * (c.context - judgedFrom + 1))
			}
		}
	}
	return total, nil
}

// sum adds up the overlaps of so many sequences of t tokens.
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

// heads runs a model over sequences and returns what its heads do.
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

// ignorant are heads that know the lags, and nothing of the tokens: layers 1 and 3 attend
// alike to the tokens of all lags, and layer 2 to the whole past.
func ignorant(lags []int) [][]attends {
	alike := func(shift int) attends {
		return func(_, i, j int) float64 {
			if slices.Contains(lags, i-j+shift) {
				return 1 / float64(len(lags))
			}
			return 0
		}
	}
	past := func(_, i, _ int) float64 { return 1 / float64(i+1) }
	return [][]attends{{alike(0)}, {past}, {alike(1)}}
}

// matched is the mean overlap of a layer's heads, each with another of the other model's,
// as the best assignment has it; a head of the other's may serve several where it has
// fewer.
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
