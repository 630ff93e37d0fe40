package theory

import (
	"context"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mostSets is the largest number of lags for which all subsets of the lags are
// enumerated.
const mostSets = 12

// bound returns an upper bound on R*_H; see [Layer.HeadsR2]. Its result is meaningless
// once ctx has ended.
func (p *headProblem) bound(ctx context.Context, heads int) float64 {
	if p.q == 0 {
		return 1
	}
	if heads == 0 {
		return p.r2(p.missing)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(p.covariance, false) {
		return 1
	}
	least := slices.Min(eigen.Values(nil))
	if least <= predictable {
		return 1
	}
	gram := p.gram()
	missed := 0.0
	for _, lost := range losses(ctx, gram, heads) {
		missed += lost
	}
	return p.r2(least * missed)
}

// gram returns the scalar products of the corrections at lags 1 … positions−1 (see
// headProblem).
func (p *headProblem) gram() *mat.SymDense {
	lags, size := p.positions-1, p.q*p.n
	data := p.corrections.RawMatrix().Data
	gram := mat.NewSymDense(lags, nil)
	for i := range lags {
		for j := i; j < lags; j++ {
			gram.SetSym(i, j, floats.Dot(data[i*size:(i+1)*size], data[j*size:(j+1)*size]))
		}
	}
	return gram
}

// losses returns lower bounds on the part of a source's corrections (see headProblem)
// that the given number of heads misses. The first is for a source attended to at 1 lag,
// the second at 2 lags, and so on.
func losses(ctx context.Context, gram *mat.SymDense, heads int) []float64 {
	lags := gram.SymmetricDim()
	list := make([]float64, lags)
	if heads == 1 && lags <= mostSets {
		best := oneHead(ctx, gram)
		for i := range list {
			list[i] = max(0, mat.Trace(gram.SliceSym(0, i+1))-best[i])
		}
		return list
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		values := eigenvalues(gram.SliceSym(0, i+1), nil)
		list[i] = max(0, floats.Sum(values[:max(0, len(values)-heads)]))
	}
	return list
}

// oneHead returns the largest aᵀGa, with the matrix G = gram, over vectors a ≥ 0 of
// length 1, for the first lag, the first two lags, and so on. At the maximum, the
// non-zero part of a is an eigenvector of the corresponding submatrix of G, with entries
// of one sign; all submatrices are tried. For equal eigenvalues the sign is not checked,
// because eigenvectors are not unique; this can only make the answer larger.
func oneHead(ctx context.Context, gram *mat.SymDense) []float64 {
	lags := gram.SymmetricDim()
	best := make([]float64, lags)
	for set := uint(1); set < 1<<lags && ctx.Err() == nil; set++ {
		var members []int
		for i := range lags {
			if set>>i&1 == 1 {
				members = append(members, i)
			}
		}
		part := mat.NewSymDense(len(members), nil)
		for i, k := range members {
			for j, l := range members[:i+1] {
				part.SetSym(j, i, gram.At(k, l))
			}
		}
		var vectors mat.Dense
		values := eigenvalues(part, &vectors)
		for i, v := range values {
			double := i > 0 && v-values[i-1] < 1e-9*v || i+1 < len(values) && values[i+1]-v < 1e-9*v
			if double || oneSigned(mat.Col(nil, i, &vectors)) {
				last := bits.Len(set) - 1
				best[last] = max(best[last], v)
			}
		}
	}
	for i := 1; i < lags; i++ {
		best[i] = max(best[i], best[i-1])
	}
	return best
}

// oneSigned reports whether all entries of a vector have one sign, up to rounding.
func oneSigned(v []float64) bool {
	return slices.Min(v) >= -1e-9 || slices.Max(v) <= 1e-9
}

// eigenvalues returns the eigenvalues of m in ascending order, and sets vectors, unless
// it is nil, to the eigenvectors.
func eigenvalues(m mat.Symmetric, vectors *mat.Dense) []float64 {
	var eigen mat.EigenSym
	if !eigen.Factorize(m, vectors != nil) {
		panic("theory: the eigenvalues of a symmetric matrix did not converge")
	}
	if vectors != nil {
		eigen.VectorsTo(vectors)
	}
	return eigen.Values(nil)
}
