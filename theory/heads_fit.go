package theory

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// headFit is a set of heads, with the part of the constrained beliefs that they miss.
type headFit struct {
	patterns [][]float64 // [head]: attention, (positions, positions), zero except below the diagonal
	// values has a row for each source, head and coordinate of the source's token, and n
	// columns: the vector that the source contributes.
	values *mat.Dense
	missed float64
}

// row returns the index of the first row of headFit.values that belongs to a source and a
// head.
func (p *headProblem) row(source, head, heads int) int { return (source*heads + head) * p.q }

// climb alternates between fitting values and attention until the fit no longer improves,
// or ctx ends.
func (p *headProblem) climb(ctx context.Context, start [][]float64) headFit {
	var patterns [][]float64
	for _, pattern := range start {
		patterns = append(patterns, slices.Clone(pattern))
	}
	fit := p.fit(patterns)
	if p.q == 0 {
		return fit
	}
	untilFlat(ctx, headRounds, headGain*p.total, fit.missed, func() float64 {
		for d := 1; d < p.positions; d++ {
			p.attend(fit, d)
		}
		next := p.fit(fit.patterns)
		if next.missed < fit.missed {
			fit.values, fit.missed = next.values, next.missed
		}
		return fit.missed
	})
	return fit
}

// untilFlat calls the function round repeatedly, at most the given number of times. Each
// call returns the remaining error; missed is the error before the first call. The calls
// stop when headPatience of them have lowered the error by no more than gain, or when ctx
// ends.
func untilFlat(ctx context.Context, most int, gain, missed float64, round func() (missed float64)) {
	marked := missed
	for n := 1; n <= most && ctx.Err() == nil; n++ {
		missed = round()
		if n%headPatience == 0 {
			if marked-missed <= gain {
				return
			}
			marked = missed
		}
	}
}

// fit returns the patterns with their best values, by least squares.
func (p *headProblem) fit(patterns [][]float64) headFit {
	fit := headFit{patterns: patterns, missed: p.missing}
	heads := len(patterns)
	size := (p.positions - 1) * heads * p.q
	if size == 0 {
		return fit
	}
	fit.values = mat.NewDense(size, p.n, nil)
	normal, wanted := mat.NewSymDense(size, nil), mat.NewDense(size, p.n, nil)
	for d := 1; d < p.positions; d++ {
		for s := range d {
			for h, pattern := range patterns {
				if a := pattern[d*p.positions+s]; a != 0 {
					p.addNormal(normal, patterns, d, s, h, a)
					for i := range p.q {
						pulled := p.pulled[d].RawRowView((d-s-1)*p.q + i)
						floats.AddScaled(wanted.RawRowView(p.row(s, h, heads)+i), a, pulled)
					}
				}
			}
		}
	}
	fit.missed -= solveSemidefinite(fit.values, normal, wanted)
	return fit
}

// addNormal adds the terms of one attention weight to the symmetric matrix normal of the
// normal equations. The weight is a, from destination d to source s in head h. Its terms
// are its products with itself and with all later weights of the same destination.
func (p *headProblem) addNormal(normal *mat.SymDense, patterns [][]float64, d, s, h int, a float64) {
	heads := len(patterns)
	for t := s; t < d; t++ {
		for g, other := range patterns {
			b := a * other[d*p.positions+t]
			if b == 0 || t == s && g < h {
				continue
			}
			for i := range p.q {
				for j := range p.q {
					row, column := p.row(s, h, heads)+i, p.row(t, g, heads)+j
					if row <= column {
						normal.SetSym(row, column,
							normal.At(row, column)+b*p.covariance.At((d-s-1)*p.q+i, (d-t-1)*p.q+j))
					}
				}
			}
		}
	}
}

// solveSemidefinite solves m·x = b for a symmetric positive semidefinite m. It returns
// 2⟨x, b⟩ − ⟨x, mx⟩, the amount by which x lowers the squared error; this is correct for
// any x, even if rounding made the solution inexact. A ridge of 1e-13 times the largest
// diagonal entry makes m invertible.
func solveSemidefinite(x *mat.Dense, m *mat.SymDense, b *mat.Dense) float64 {
	size := m.SymmetricDim()
	largest := 0.0
	for i := range size {
		largest = max(largest, m.At(i, i))
	}
	if largest == 0 {
		return 0
	}
	ridged := mat.NewSymDense(size, nil)
	var cholesky mat.Cholesky
	for ridge := 1e-13; ; ridge *= 10 {
		ridged.CopySym(m)
		for i := range size {
			ridged.SetSym(i, i, m.At(i, i)+ridge*largest)
		}
		if cholesky.Factorize(ridged) {
			break
		}
	}
	// A bad condition number is not an error: it concerns directions that do not matter.
	var condition mat.Condition
	if err := cholesky.SolveTo(x, b); err != nil && !errors.As(err, &condition) {
		panic(err)
	}
	var product mat.Dense
	product.Mul(m, x)
	solved := x.RawMatrix().Data
	return 2*floats.Dot(solved, b.RawMatrix().Data) - floats.Dot(solved, product.RawMatrix().Data)
}

// attend sets the attention of one destination to the best non-negative weights for the
// current values.
func (p *headProblem) attend(fit headFit, d int) {
	heads, size := len(fit.patterns), d*len(fit.patterns)
	quadratic, linear := make([]float64, size*size), make([]float64, size)
	weights := make([]float64, size)
	for k := range size {
		s, h := k/heads, k%heads
		weights[k] = fit.patterns[h][d*p.positions+s]
		at := p.row(s, h, heads)
		for i := range p.q {
			linear[k] += floats.Dot(fit.values.RawRowView(at+i), p.pulled[d].RawRowView((d-s-1)*p.q+i))
		}
		for l := k; l < size; l++ {
			t, g := l/heads, l%heads
			sum := 0.0
			for i := range p.q {
				for j := range p.q {
					c := p.covariance.At((d-s-1)*p.q+i, (d-t-1)*p.q+j)
					sum += c * floats.Dot(fit.values.RawRowView(at+i), fit.values.RawRowView(p.row(t, g, heads)+j))
				}
			}
			quadratic[k*size+l], quadratic[l*size+k] = sum, sum
		}
	}
	nonNegativeLeastSquares(weights, quadratic, linear)
	for k, a := range weights {
		fit.patterns[k%heads][d*p.positions+k/heads] = a
	}
}

// nonNegativeLeastSquares lowers ½xᵀQx − bᵀx over x ≥ 0 by coordinate descent from the
// given x, until a sweep moves no entry by more than 1e-9 times the largest entry, or for
// headSweeps sweeps.
func nonNegativeLeastSquares(x, q, b []float64) {
	n := len(x)
	for range headSweeps {
		moved := 0.0
		for i := range x {
			if q[i*n+i] <= 0 {
				continue
			}
			to := max(0, x[i]+(b[i]-floats.Dot(q[i*n:(i+1)*n], x))/q[i*n+i])
			moved, x[i] = max(moved, math.Abs(to-x[i])), to
		}
		if moved <= 1e-9*floats.Norm(x, math.Inf(1)) {
			return
		}
	}
}
