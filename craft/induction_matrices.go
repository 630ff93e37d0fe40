package craft

import (
	"math"
	"slices"
)

// InductionMatrices are the nonzero blocks in the weights of an [Induction], except log
// Pᵀ and the output's P. All are (n_ctx, n_ctx) by rows. Rows are the positions of
// queries and columns the positions of keys, except in Sum, whose two indices
// [ThirdLayer] defines. To see the effect of a different formula, change a matrix and
// pass them all to [Induction.Assemble].
type InductionMatrices struct {
	Extract [][]float64   // A⁽¹⁾, for layer 1
	Gather  [][][]float64 // A⁽²'ʰ⁾, for each head h of layer 2
	Select  [][]float64   // A⁽³⁾, for layer 3
	Sum     [][][]float64 // B⁽³'ʰ⁾, for layer 3 and each head h of layer 2
}

// Matrices returns the blocks of the construction. It returns the same errors as
// Transformer.
func (c Induction) Matrices() (*InductionMatrices, error) {
	r, err := c.resolve()
	if err != nil {
		return nil, err
	}
	return r.matrices(), nil
}

func (r *induction) matrices() *InductionMatrices {
	m := &InductionMatrices{
		Extract: r.fill(func(i, j int) float64 { return r.mask(slices.Contains(r.lags, i-j)) }),
		Select:  r.fill(func(i, j int) float64 { return r.mask(slices.Contains(r.lags, i-j+1)) }),
	}
	for h := range r.pattern.Heads {
		m.Gather = append(m.Gather, r.fill(func(i, j int) float64 { return r.mask(r.attends(h, i, j)) }))
		m.Sum = append(m.Sum, r.fill(func(a, b int) float64 { return r.sum(h, a, b) }))
	}
	if r.Average == PerTransition {
		r.evenOut(m)
	}
	return m
}

// FillInduction returns the (n, n) matrix whose entries the formula computes. Positions
// count from 0.
func FillInduction(n int, formula func(row, column int) float64) [][]float64 {
	flat, m := make([]float64, n*n), make([][]float64, n)
	for i := range m {
		m[i] = flat[i*n : (i+1)*n]
		for j := range m[i] {
			m[i][j] = formula(i, j)
		}
	}
	return m
}

func (r *induction) fill(formula func(row, column int) float64) [][]float64 {
	return FillInduction(r.NCtx, formula)
}

func (r *induction) mask(open bool) float64 {
	if open {
		return r.Lambda
	}
	return -r.Lambda
}

// sum returns the entry (a, b) of B⁽³'ʰ⁾; see [ThirdLayer].
func (r *induction) sum(h, a, b int) float64 {
	switch r.Third {
	case Masked:
		if modulo(a-b+1, len(r.pattern.Of)) != 0 {
			return 0
		}
	case Positional:
		if b-1-a < 0 || r.pattern.Head(b-1-a) != h {
			return 0
		}
	case Transposed:
		d := r.longest - r.lags[0]
		if modulo(a-b-2*r.lags[0]+1, 2*d) >= d {
			return -r.factor()
		}
	}
	return r.factor()
}

func modulo(a, n int) int { return (a%n + n) % n }

// evenOut changes the blocks so that every head divides by the number of all transitions;
// see [PerTransition].
func (r *induction) evenOut(m *InductionMatrices) {
	for i := range r.NCtx {
		byHead, all := r.gathered(i)
		all = max(all, 1)
		for h, n := range byHead {
			if n == all {
				continue
			}
			m.Gather[h][i][0] = r.Lambda + math.Log(float64(all-n))
			share := float64(all-n) / float64(all)
			for j := range m.Select[i] {
				m.Select[i][j] -= share * m.Sum[h][0][j]
			}
		}
	}
}
