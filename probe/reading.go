package probe

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Estimate is a number with the standard error that sampling gives it.
type Estimate struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"error"`
}

// ratio estimates Σa/Σb from its terms in G independent groups. Its standard error is that of a ratio,
//
//	√(G/(G−1) · Σ_g (a_g − ρ·b_g)²) / Σb,  ρ = Σa/Σb,
//
// which for groups of one size, b_g = 1, is the standard deviation of the a_g over √G.
func ratio(a, b []float64) Estimate {
	sumA, sumB, squares := 0.0, 0.0, 0.0
	for g := range a {
		sumA += a[g]
		sumB += b[g]
	}
	e := Estimate{Mean: sumA / sumB}
	for g := range a {
		squares += (a[g] - e.Mean*b[g]) * (a[g] - e.Mean*b[g])
	}
	e.Error = math.Sqrt(squares*float64(len(a))/float64(len(a)-1)) / sumB
	return e
}

// Reading is how well a target is read from features, under a convention.
type Reading struct {
	Score              // as the convention has it; over all positions, the variance that counts is that within each position's fit
	R2Error    float64 // standard error of R2 from the spread over the folds; of sampling where these are the groups of a sample
	ByPosition []Score // where the convention fits each position
	Fits       []Fit   // to all words: one, or one a position
}

// Regress returns the regression of a target on features, each numbered as [Analyze] was given them.
func (a *Analysis) Regress(features, target int) *Reading {
	x, y := a.features[features], a.targets[target]
	a.prepare(x)
	folds := a.kl.Width
	r := &Reading{}
	total := newResiduals(make([]float64, y.to-y.from))
	residual, variance := make([]float64, folds), make([]float64, folds)
	for _, v := range x.validations {
		here := newResiduals(make([]float64, y.to-y.from))
		mean := v.total.mean()[v.d+y.from : v.d+y.to]
		all := v.fit(-1, y, a.Convention.Cutoff)
		r.Fits = append(r.Fits, all.absolute(x.shift, y))
		for f, part := range v.parts {
			fit := all
			if a.Convention.Test != InSample {
				fit = v.fit(f, y, a.Convention.Cutoff)
			}
			one := part.residuals(fit, v.d, y, mean)
			residual[f], variance[f] = residual[f]+floats.Sum(one.residual), variance[f]+floats.Sum(one.variance)
			here.merge(one)
		}
		total.merge(here)
		if a.Convention.Positions == EachPosition {
			r.ByPosition = append(r.ByPosition, here.score())
		}
	}
	r.Score, r.R2Error = total.score(), ratio(residual, variance).Error
	return r
}

// prepare makes what the fits to features have in common.
func (a *Analysis) prepare(x *studied) {
	if x.validations != nil {
		return
	}
	for _, folds := range x.moments {
		v := newValidation(folds, x.width)
		v.decompose(a.Convention.Cutoff == 0, a.workers)
		x.validations = append(x.validations, v)
	}
}

// residuals returns what a fit leaves unexplained, of targets whose mean, shifted as they are, is given.
func (m *moments) residuals(fit Fit, d int, y columns, mean []float64) *residuals {
	r := newResiduals(mean)
	r.weight, r.residual = m.weight, m.squaredErrors(fit, d, y)
	for b, c := range mean {
		j := d + y.from + b
		r.variance[b] = max(0, m.gram[j*m.width+j]-2*c*m.sum[j]+c*c*m.weight)
	}
	return r
}

// KLByPosition returns the divergence from the optimal next-token distribution to the model's, in nats, over the words
// of each length, weighted by probability. The error is that of sampling, where p is of sampled sequences.
func (a *Analysis) KLByPosition() []Estimate {
	list := make([]Estimate, a.kl.Rows())
	for t := range list {
		list[t] = a.divergence(a.kl.Row(t))
	}
	return list
}

// KL returns the mean of the divergence over positions.
func (a *Analysis) KL() Estimate {
	sum := make([]float64, a.kl.Width)
	for t := range a.kl.Rows() {
		for f, kl := range a.kl.Row(t) {
			sum[f] += kl / float64(a.kl.Rows())
		}
	}
	return a.divergence(sum)
}

// divergence estimates KL from its parts by fold, which sum to it.
func (a *Analysis) divergence(parts []float64) Estimate {
	shares := make([]float64, len(parts)) // of the sequences, by group
	if a.Prefixes.Sequences == 0 {
		return Estimate{Mean: floats.Sum(parts)}
	}
	for row := range a.Prefixes.Rows() {
		if a.Prefixes.Parent(row) >= 0 {
			break
		}
		for g, n := range a.Prefixes.Draws(row) {
			shares[g] += float64(n) / float64(a.Prefixes.Sequences)
		}
	}
	return ratio(parts, shares)
}
