package probe

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Estimate is a number with its standard error from sampling.
type Estimate struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"error"`
}

// Ratio estimates Σa/Σb, where a_g and b_g are the sums of a and b over group g, one of G
// independent groups. Its standard error is the standard error of a ratio,
//
//	√(G/(G−1) · Σ_g (a_g − ρ·b_g)²) / Σb,  ρ = Σa/Σb,
//
// which for groups of equal size, b_g = 1, is the standard deviation of the a_g over √G.
func Ratio(a, b []float64) Estimate {
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

// Reading is the result of a linear regression: how well a target can be read from
// features, under a convention.
type Reading struct {
	// Score is the score on the prefixes that the convention specifies. If each position has
	// its own fit, R² compares with the variance about that position's mean.
	Score
	InSample   Score   // score of Fits on the prefixes that they were fitted to
	R2Error    float64 // standard error of R2, from the spread over the folds (of a sample: over its groups)
	ByPosition []Score // one for each position if each has its own fit, otherwise nil
	Fits       []Fit   // fits to all prefixes: one, or one for each position
}

// Regress regresses a target on features, both of the plan. A reading is computed only
// once. Regress panics if the plan does not have the target or the features.
func (a *Analysis) Regress(target Target, on Features) *Reading {
	return a.entry(on).readings[a.targetIndex(target)]()
}

// read computes the reading of the target with the given index from the features x.
func (a *Analysis) read(x *studied, target int) *Reading {
	r, folds, k := &Reading{}, a.shares.Width, a.tables[target].Width
	total, inSample := newResiduals(make([]float64, k)), newResiduals(make([]float64, k))
	residual, variance := make([]float64, folds), make([]float64, folds)
	slots, _ := a.fitted(context.Background(), x) // this context never ends
	for _, s := range slots {
		all := s.fit(-1, a.targets[target], a.Plan.Convention.Cutoff)
		r.Fits = append(r.Fits, all.absolute(s.shift, a.targets[target]))
		here, whole := a.newTest(x, s, target), a.newTest(x, s, target)
		whole.all(all)
		for f := range folds {
			fit := all
			if a.Plan.Convention.HoldOut != InSample {
				fit = s.fit(f, a.targets[target], a.Plan.Convention.Cutoff)
			}
			res, v := here.fold(fit, f)
			residual[f], variance[f] = residual[f]+res, variance[f]+v
		}
		if a.Plan.Convention.HoldOut == InSample {
			here = whole
		}
		total.merge(here.residuals)
		inSample.merge(whole.residuals)
		if a.Plan.Convention.Positions == EachPosition {
			r.ByPosition = append(r.ByPosition, here.score())
		}
	}
	r.Score, r.InSample, r.R2Error = total.score(), inSample.score(), Ratio(residual, variance).Error
	return r
}

// Fit computes the data that all readings share, which is most of their work, so that
// [Analysis.Regress] has little left to do. It returns an error if ctx is done, which it
// checks between decompositions. Without Fit, readings are computed on demand and cannot
// be interrupted.
func (a *Analysis) Fit(ctx context.Context) error {
	for _, x := range a.features {
		if _, err := a.fitted(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// fitted returns the slots of x with the data for their fits, which it computes only
// once.
func (a *Analysis) fitted(ctx context.Context, x *studied) ([]slot, error) {
	x.fitting.Lock()
	defer x.fitting.Unlock()
	if x.slots == nil {
		slots, err := a.fit(ctx, x)
		if err != nil {
			return nil, err
		}
		x.slots = slots
	}
	return x.slots, nil
}

// fit computes the slots of x with the data that all their fits share.
func (a *Analysis) fit(ctx context.Context, x *studied) (slots []slot, err error) {
	for t := range a.Plan.Convention.slots(a.Prefixes) {
		var s slot
		if a.Plan.Keep {
			s = a.fitRows(x, a.slotWeights(t))
		} else {
			s = slot{shift: x.shift, validation: newValidation(x.moments[t], x.width)}
		}
		s.decompose(ctx, a.Plan.Convention.Cutoff == 0, a.Plan.Workers)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slots = append(slots, s)
	}
	return slots, nil
}

// test sums the squared errors of fits on the prefixes of a slot: from the rows if they
// are kept, otherwise from the moments.
type test struct {
	*residuals
	slot
	y          columns
	kept, rows Table // features and target of every prefix, if rows are kept
	shares     Table
}

func (a *Analysis) newTest(x *studied, s slot, target int) *test {
	t := &test{slot: s, y: a.targets[target], shares: a.shares}
	if a.Plan.Keep {
		t.kept, t.rows = x.kept, a.tables[target]
		t.residuals = newResiduals(s.shift[x.width+t.y.from : x.width+t.y.to])
	} else {
		t.residuals = newResiduals(s.total.mean()[x.width+t.y.from : x.width+t.y.to])
	}
	return t
}

// fold adds the errors of a fit on one fold. It returns the added residual and variance,
// each summed over all columns.
func (t *test) fold(fit Fit, fold int) (residual, variance float64) {
	if t.weights == nil {
		one := t.parts[fold].residuals(fit, t.d, t.y, t.mean)
		t.merge(one)
		return floats.Sum(one.residual), floats.Sum(one.variance)
	}
	residual, variance = floats.Sum(t.residual), floats.Sum(t.variance)
	t.add(fit.absolute(t.shift, t.y), t.kept, t.rows, weightsIn(t.shares, fold, t.weights))
	return floats.Sum(t.residual) - residual, floats.Sum(t.variance) - variance
}

// all adds the errors of a fit on all folds.
func (t *test) all(fit Fit) {
	if t.weights != nil {
		t.add(fit.absolute(t.shift, t.y), t.kept, t.rows, t.weights)
		return
	}
	for f := range t.parts {
		t.fold(fit, f)
	}
}

// residuals returns the squared errors of a fit on the rows of the moments, and the
// squared distances of the targets from the given mean, which is shifted like the
// targets.
func (m *moments) residuals(fit Fit, d int, y columns, mean []float64) *residuals {
	r := newResiduals(mean)
	r.weight, r.residual = m.weight, m.squaredErrors(fit, d, y)
	for b, c := range mean {
		j := d + y.from + b
		r.variance[b] = max(0, m.gram[j*m.width+j]-2*c*m.sum[j]+c*c*m.weight)
	}
	return r
}

// divergence estimates KL from its parts, one for each fold, whose sum is KL.
func (a *Analysis) divergence(parts []float64) Estimate {
	shares := make([]float64, len(parts)) // share of the sequences that are in each group
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
	return Ratio(parts, shares)
}
