package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/model"
)

// InductionForm is the result of an [Induction] for T tokens in the limit of large λ.
// Extract, Gather and Select are the attention of layers 1, 2 and 3, (T, T) by
// destination and source. Output holds the predictions after each token, (T, A), for an
// alphabet of A tokens.
type InductionForm struct {
	Extract [][]float64
	Gather  [][][]float64 // one matrix for each head
	Select  [][]float64
	Output  [][]float64
}

// ClosedForm returns the result of the construction for the given tokens, computed from
// the formulas at [Induction] and without a transformer. There may be at most n_ctx
// tokens, all in the chain's alphabet. It returns an error if λ is so small that a masked
// source could have more than e^−50 of the weight of a source that is not masked.
//
// Up to position k̂, and at some positions after it, a head of layer 2 has no token to
// attend to. It then passes on the uniform average of all tokens so far, and layer 3 adds
// up the part of this average within its masks. The form contains these averages at those
// positions. It also covers the positions up to min K, where layer 1 has no source at a
// lag.
func (c Induction) ClosedForm(tokens []int32) (*InductionForm, error) {
	r, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if err := (model.Config{NCtx: r.NCtx, DVocab: r.tokens}).CheckTokens(tokens); err != nil {
		return nil, fmt.Errorf("induction: %w", err)
	}
	f := &inductionForm{induction: r, tokens: tokens}
	f.extract()
	f.gather()
	f.selectLag()
	return &f.InductionForm, nil
}

// inductionForm is a form that is being computed. Its positions count from 0.
type inductionForm struct {
	*induction
	InductionForm
	tokens []int32
}

// square returns a (T, T) matrix of zeros.
func (f *inductionForm) square() [][]float64 {
	return FillInduction(len(f.tokens), func(int, int) float64 { return 0 })
}

// extract computes layer 1: p̃.
func (f *inductionForm) extract() {
	f.Extract = f.square()
	P := f.Chain.P()
	for i, row := range f.Extract {
		var sources []int
		var logs []float64
		for j := range i + 1 {
			if i < f.lags[0] || slices.Contains(f.lags, i-j) {
				sources = append(sources, j)
				logs = append(logs, f.logP(P[f.tokens[j]][f.tokens[i]]))
			}
		}
		attend(row, sources, logs)
	}
}

// attend sets the entries of row at the given sources to the softmax of their scores.
func attend(row []float64, sources []int, scores []float64) {
	top, total := slices.Max(scores), 0.0
	for n, j := range sources {
		row[j] = math.Exp(scores[n] - top)
		total += row[j]
	}
	for _, j := range sources {
		row[j] /= total
	}
}

// gather computes layer 2.
func (f *inductionForm) gather() {
	for h := range f.pattern.Heads {
		attention := f.square()
		for i, row := range attention {
			byHead, all := f.gathered(i)
			f.attendHead(row[:i+1], h, i, byHead[h], max(all, 1))
		}
		f.Gather = append(f.Gather, attention)
	}
}

// attendHead writes the attention of head h from position i. The heads together gather
// `all` transitions, and this head n of them.
func (f *inductionForm) attendHead(row []float64, h, i, n, all int) {
	each := 1 / float64(max(n, 1))
	switch {
	case f.Average == PerTransition:
		each = 1 / float64(all)
		row[0] = float64(all-n) / float64(all)
	case n == 0:
		each = 1 / float64(i+1)
	}
	for j := range row {
		if f.attends(h, i, j) || n == 0 && f.Average == PerHead {
			row[j] = each
		}
	}
}

// selectLag computes layer 3 and the output.
func (f *inductionForm) selectLag() {
	f.Select = f.square()
	P := f.Chain.P()
	for i, row := range f.Select {
		var sources []int
		for j := range i + 1 {
			if i+1 < f.lags[0] || slices.Contains(f.lags, i-j+1) {
				sources = append(sources, j)
			}
		}
		scores := make([]float64, len(sources))
		for n, j := range sources {
			scores[n] = f.score(i, j)
		}
		attend(row, sources, scores)
		output := make([]float64, f.induction.tokens)
		for _, j := range sources {
			for z, p := range P[f.tokens[j]] {
				output[z] += row[j] * p
			}
		}
		f.Output = append(f.Output, output)
	}
}

// score returns the score, without the mask, that source j = i−k+1 of a lag k has at
// position i. It is S_k(i), except where a head has no token to attend to.
func (f *inductionForm) score(i, j int) float64 {
	sum := 0.0
	for h := range f.pattern.Heads {
		switch {
		case f.Third == Transposed:
			sum += f.difference(i, j)
		case f.exact(h, i, j):
			sum += f.mean(h, i, i-j+1)
		default:
			sum += f.blurred(h, i, j)
		}
	}
	return sum
}

// exact reports whether the contribution of head h to the score of source j, at position
// i, is the head's term of S_k(i).
func (f *inductionForm) exact(h, i, j int) bool {
	if f.Average == PerTransition {
		return true
	}
	rows, _ := f.gathered(i)
	masks, _ := f.gathered(j)
	return rows[h] > 0 && (f.Third == Positional || masks[h] > 0)
}

// mean returns β/n · Σ p̃_{m,k}, where m is each of the n tokens to which head h attends
// from position i.
func (f *inductionForm) mean(h, i, k int) float64 {
	byHead, all := f.gathered(i)
	n := byHead[h]
	if f.Average == PerTransition {
		n = max(all, 1)
	}
	sum := 0.0
	for m := f.longest; m <= i; m++ {
		if f.attends(h, i, m) {
			sum += f.Extract[m][m-k]
		}
	}
	return f.factor() * sum / float64(n)
}

// difference returns the score of source j for two lags with one head. It is β times the
// average of a difference: p̃ of the source's lag minus p̃ of the other lag. The average
// is over the tokens to which the head attends from the source. If there are no such
// tokens, the head's uniform average over all tokens is used instead.
func (f *inductionForm) difference(i, j int) float64 {
	byHead, _ := f.gathered(j)
	if byHead[0] == 0 {
		return f.spread(0, j, func(a int) float64 { return f.sum(0, i, a) })
	}
	own, other := i-j+1, f.lags[0]+f.longest-(i-j+1)
	sum := 0.0
	for m := f.longest; m <= j; m++ {
		if f.attends(0, j, m) {
			sum += f.Extract[m][m-own] - f.Extract[m][m-other]
		}
	}
	return f.factor() * sum / float64(byHead[0])
}

// spread returns Σ_a p̂_h(i)_a · weight(a), summed token by token.
func (f *inductionForm) spread(h, i int, weight func(a int) float64) float64 {
	sum := 0.0
	for m, share := range f.Gather[h][i][:i+1] {
		if share == 0 {
			continue
		}
		for a, p := range f.Extract[m][:m+1] {
			if p != 0 {
				sum += share * p * weight(a)
			}
		}
	}
	return sum
}

// blurred returns the contribution of head h to the score of source j if the head has no
// token to attend to at position i or at the source.
func (f *inductionForm) blurred(h, i, j int) float64 {
	if f.Third == Positional {
		return f.spread(h, i, func(a int) float64 { return f.sum(h, a, j) })
	}
	// B m̂_h(j) marks the class of tokens to which head h attends from the source, shifted
	// by one. If the head attends to all tokens, every class receives a part of this mark.
	period := len(f.pattern.Of)
	byHead, _ := f.gathered(j)
	return f.spread(h, i, func(a int) float64 {
		if byHead[h] > 0 {
			if f.pattern.Head(modulo(j-1-a, period)) == h {
				return f.factor()
			}
			return 0
		}
		hits := 0
		for b := range j + 1 {
			if modulo(a-b+1, period) == 0 {
				hits++
			}
		}
		return f.factor() * float64(hits) / float64(j+1)
	})
}
