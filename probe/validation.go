package probe

import (
	"context"
	"slices"

	"foretell/internal/parallel"

	"gonum.org/v1/gonum/floats"
)

// validation chooses the cut-off of fits by cross-validation. It uses only the moments of
// the folds: both a fit and its squared error on a fold can be computed from them, so no
// row is visited again.
type validation struct {
	parts []*moments // moments of each fold
	total *moments
	d     int     // number of columns of x; the others are y
	least float64 // largest variance of a direction that counts as constant
	pairs map[pair]*spectralFits
}

// pair is a pair of folds that a fit leaves out, the lower one first; −1 means no fold.
type pair [2]int

func newPair(f, g int) pair { return pair{min(f, g), max(f, g)} }

// columns are the columns from ≤ b < to of y.
type columns struct{ from, to int }

// cutoffs are the candidates for the cut-off. A fit drops a direction of x if its
// variance, relative to the largest, is not above the cut-off. Activations in float32
// have a relative error of 1e-7, which is 1e-14 as a variance, so the first candidate
// drops only rounding noise; the last ones keep a handful of directions.
var cutoffs = []float64{1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// noVariance is the share of the total variance below which the variance of a direction
// is rounding noise, for example if a fit has only one row left.
const noVariance = 1e-14

func newValidation(parts []*moments, d int) *validation {
	v := &validation{parts: parts, total: newMoments(parts[0].width), d: d, pairs: map[pair]*spectralFits{}}
	for _, part := range parts {
		v.total = v.total.plus(1, part)
	}
	for j := range d {
		v.least += noVariance * v.total.covariance(j, j)
	}
	return v
}

// fit fits some columns of y on all folds except the given one, or on all folds if the
// fold is −1. A cut-off of 0 is replaced by the candidate that best predicts each of the
// fitted folds from the others; among equally good candidates it is the smallest.
func (v *validation) fit(without int, y columns, cutoff float64) Fit {
	if cutoff == 0 {
		cutoff = v.choose(without, y)
	}
	return v.leaving(without, without).fit(cutoff, y)
}

func (v *validation) choose(without int, y columns) float64 {
	errors := make([]float64, len(cutoffs))
	for g, part := range v.parts {
		if g == without {
			continue
		}
		fits := v.leaving(without, g)
		rank, e := -1, 0.0
		for i, cutoff := range cutoffs {
			if r := fits.rank(cutoff); r != rank {
				rank, e = r, floats.Sum(part.squaredErrors(fits.fit(cutoff, y), v.d, y))
			}
			errors[i] += e
		}
	}
	return cutoffs[floats.MinIdx(errors)]
}

// leaving returns the fits to all folds except f and g; −1 means no fold.
func (v *validation) leaving(f, g int) *spectralFits {
	key := newPair(f, g)
	fits, ok := v.pairs[key]
	if !ok {
		fits = v.newFits(key)
		v.pairs[key] = fits
	}
	return fits
}

func (v *validation) newFits(without pair) *spectralFits {
	rest := v.total
	for i := range v.parts {
		if i == without[0] || i == without[1] {
			rest = rest.plus(-1, v.parts[i])
		}
	}
	if rest.weight < 1e-12*v.total.weight { // the folds left out hold all weight
		rest = newMoments(rest.width)
	}
	return newSpectralFits(rest, v.d, v.least)
}

// decompose computes in advance the eigendecompositions that fit needs. If nested is set,
// it includes the ones for the choice of cut-offs. If ctx is done, it stops early.
func (v *validation) decompose(ctx context.Context, nested bool, workers int) {
	var list []pair
	for f := -1; f < len(v.parts); f++ {
		list = append(list, newPair(f, f))
		for g := f + 1; g < len(v.parts) && nested; g++ {
			list = append(list, newPair(f, g))
		}
	}
	fits := make([]*spectralFits, len(list))
	_ = parallel.Each(ctx, workers, len(list), func(i int) error {
		fits[i] = v.newFits(list[i])
		return nil
	})
	for i, key := range list {
		v.pairs[key] = fits[i]
	}
}

// spectralFits are the least-squares fits of y to x by the eigenvectors v_i and
// eigenvalues λ_i of the covariance of x, with the covariance C_xy of x and y:
//
//	Coef = Σ_i v_iᵀ (v_i·C_xy) / λ_i
type spectralFits struct {
	d, k    int
	values  []float64 // λ, largest first, of the directions that vary
	vectors Table     // (d, d): v_i by row
	weights Table     // (d, k): (v_i·C_xy)/λ_i
	mean    []float64 // (d+k): mean of each shifted column
}

// newSpectralFits computes the fits from moments whose first d columns are x. It treats a
// direction as constant if its variance is at most the given least variance.
func newSpectralFits(m *moments, d int, least float64) *spectralFits {
	s := &spectralFits{d: d, k: m.width - d, mean: make([]float64, m.width)}
	if m.weight == 0 {
		return s
	}
	s.mean = m.mean()
	values, vectors := m.eigen(d)
	s.vectors, s.weights = vectors, Table{Data: make([]float64, d*s.k), Width: s.k}
	for i, value := range values {
		if !(value > max(cutoffs[0]*values[0], least)) {
			break
		}
		s.values = values[:i+1]
		row := s.weights.Row(i)
		for a, va := range s.vectors.Row(i) {
			for b := range row {
				row[b] += va * m.covariance(a, d+b) / value
			}
		}
	}
	return s
}

// rank returns the number of directions whose variance is above the cut-off.
func (s *spectralFits) rank(cutoff float64) int {
	rank := 0
	for rank < len(s.values) && s.values[rank] > cutoff*s.values[0] {
		rank++
	}
	return rank
}

// fit returns the fit of some columns of y within the directions whose variance is above
// the cut-off. Its intercept is for shifted columns; see absolute.
func (s *spectralFits) fit(cutoff float64, y columns) Fit {
	k := y.to - y.from
	fit := Fit{Coef: Table{Data: make([]float64, s.d*k), Width: k}, Rank: s.rank(cutoff), Cutoff: cutoff}
	for i := range fit.Rank {
		w := s.weights.Row(i)[y.from:y.to]
		for a, va := range s.vectors.Row(i) {
			floats.AddScaled(fit.Coef.Row(a), va, w)
		}
	}
	fit.Intercept = append(fit.Intercept, s.mean[s.d+y.from:s.d+y.to]...)
	for a := range s.d {
		floats.AddScaled(fit.Intercept, -s.mean[a], fit.Coef.Row(a))
	}
	return fit
}

// absolute converts a fit of some columns of y, made for shifted columns, to columns
// without the shift.
func (f Fit) absolute(shift []float64, y columns) Fit {
	d := f.Coef.Rows()
	intercept := slices.Clone(shift[d+y.from : d+y.to])
	floats.Add(intercept, f.Intercept)
	for a := range d {
		floats.AddScaled(intercept, -shift[a], f.Coef.Row(a))
	}
	f.Intercept = intercept
	return f
}

// squaredErrors returns Σw(y − x·Coef − Intercept)² for each of the given columns of y,
// over the rows of the moments. The moments must be shifted like the fit's columns.
func (m *moments) squaredErrors(f Fit, d int, y columns) []float64 {
	sums := make([]float64, y.to-y.from)
	// With z = (1, x, y) and the residual's coefficients c = (−Intercept, −Coef, 1) the sum
	// is cᵀ(Σw·zᵀz)c.
	c := make([]float64, m.width)
	for b := range sums {
		for a := range d {
			c[a] = -f.Coef.Row(a)[b]
		}
		clear(c[d:])
		c[d+y.from+b] = 1
		intercept := -f.Intercept[b]
		sum := m.weight*intercept*intercept + 2*intercept*floats.Dot(c, m.sum)
		for i, ci := range c {
			if ci != 0 {
				row := m.gram[i*m.width : (i+1)*m.width]
				sum += ci * (ci*row[i] + 2*floats.Dot(c[i+1:], row[i+1:]))
			}
		}
		sums[b] = max(sum, 0)
	}
	return sums
}
