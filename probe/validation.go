package probe

import "math"

// validation chooses the cut-off of fits by cross-validation. It works on the moments of the folds alone: both a fit
// and its squared error on a fold follow from them, so no row is visited again.
type validation struct {
	parts []*moments // of each fold
	total *moments
	d     int // columns of x; the others are y
	pairs map[[2]int]*spectralFits
}

func newValidation(parts []*moments, d int) *validation {
	v := &validation{parts: parts, total: newMoments(parts[0].width), d: d, pairs: map[[2]int]*spectralFits{}}
	for _, part := range parts {
		v.total = v.total.plus(1, part)
	}
	return v
}

// fit returns the fit to all folds but one, or to all when without is −1, with the cut-off that predicts each of these
// folds best from the rest of them. Of equal ones it takes the smallest.
func (v *validation) fit(without int) Fit {
	errors := make([]float64, len(cutoffs))
	for g, part := range v.parts {
		if g == without {
			continue
		}
		fits := v.leaving(without, g)
		for i, cutoff := range cutoffs {
			errors[i] += part.squaredError(fits.fit(cutoff), v.d)
		}
	}
	best := 0
	for i, e := range errors {
		if e < errors[best] {
			best = i
		}
	}
	return v.leaving(without, without).fit(cutoffs[best])
}

// leaving returns the fits to all folds but f and g, either of which may be −1.
func (v *validation) leaving(f, g int) *spectralFits {
	key := [2]int{min(f, g), max(f, g)}
	if fits, ok := v.pairs[key]; ok {
		return fits
	}
	rest := v.total
	for i := range v.parts {
		if i == f || i == g {
			rest = rest.plus(-1, v.parts[i])
		}
	}
	fits := newSpectralFits(rest, v.d)
	v.pairs[key] = fits
	return fits
}

// spectralFits are the least-squares fits of y to x by the eigenvectors of the covariance of x:
//
//	Coef = Σ_i v_iᵀ (v_i·C_xy) / λ_i
type spectralFits struct {
	d, k    int
	values  []float64 // λ, largest first
	vectors Table     // (d, d): v_i by row
	weights Table     // (d, k): (v_i·C_xy)/λ_i
	mean    []float64
	cached  map[int]Fit // by rank
}

func newSpectralFits(m *moments, d int) *spectralFits {
	s := &spectralFits{d: d, k: m.width - d, mean: m.mean(), cached: map[int]Fit{}}
	s.values, s.vectors = m.eigen(d)
	s.weights = Table{Data: make([]float64, d*s.k), Width: s.k}
	for i, value := range s.values {
		if !(value > cutoffs[0]*s.values[0]) {
			break
		}
		row := s.weights.Row(i)
		for a, va := range s.vectors.Row(i) {
			for b := range row {
				row[b] += va * m.covariance(a, d+b) / value
			}
		}
	}
	return s
}

// fit returns the fit within the directions whose variance is above the cut-off. Its intercept is that of the shifted
// columns; see absolute.
func (s *spectralFits) fit(cutoff float64) Fit {
	rank := 0
	for rank < s.d && s.values[rank] > cutoff*s.values[0] {
		rank++
	}
	if fit, ok := s.cached[rank]; ok {
		fit.Cutoff = cutoff
		return fit
	}
	fit := Fit{Coef: Table{Data: make([]float64, s.d*s.k), Width: s.k}, Intercept: make([]float64, s.k), Rank: rank, Cutoff: cutoff}
	for i := range rank {
		w := s.weights.Row(i)
		for a, va := range s.vectors.Row(i) {
			row := fit.Coef.Row(a)
			for b, wb := range w {
				row[b] += va * wb
			}
		}
	}
	for b := range fit.Intercept {
		fit.Intercept[b] = s.mean[s.d+b]
		for a := range s.d {
			fit.Intercept[b] -= s.mean[a] * fit.Coef.Data[a*s.k+b]
		}
	}
	s.cached[rank] = fit
	return fit
}

// absolute returns the fit in terms of columns that are not shifted.
func (f Fit) absolute(shift []float64) Fit {
	d, k := f.Coef.Rows(), f.Coef.Width
	intercept := make([]float64, k)
	for b := range intercept {
		intercept[b] = f.Intercept[b] + shift[d+b]
		for a := range d {
			intercept[b] -= shift[a] * f.Coef.Data[a*k+b]
		}
	}
	f.Intercept = intercept
	return f
}

// squaredError returns Σw|y − x·Coef − Intercept|² over the rows of the moments, whose columns are shifted as the fit's.
func (m *moments) squaredError(f Fit, d int) float64 {
	k := f.Coef.Width
	// With z = (1, x, y) and the residual's coefficients c = (−Intercept, −Coef, 1) it is cᵀ(Σw·zᵀz)c.
	sum := 0.0
	c := make([]float64, m.width)
	for b := range k {
		for a := range d {
			c[a] = -f.Coef.Data[a*k+b]
		}
		clear(c[d:])
		c[d+b] = 1
		intercept := -f.Intercept[b]
		sum += m.weight * intercept * intercept
		for i, ci := range c {
			if ci == 0 {
				continue
			}
			sum += 2 * intercept * ci * m.sum[i]
			sum += ci * ci * m.gram[i*m.width+i]
			for j := i + 1; j < m.width; j++ {
				sum += 2 * ci * c[j] * m.gram[i*m.width+j]
			}
		}
	}
	return math.Max(sum, 0)
}
