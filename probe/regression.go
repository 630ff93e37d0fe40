package probe

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"foretell/internal/random"
)

// Folds says how the rows are divided to test a regression on rows that it has not seen.
type Folds struct {
	Count int    // at least 3; 0 stands for 5
	Seed  uint64 // of the shuffle that assigns rows to folds

	// Shares, if not empty, is (n, Count): the share of each row's weight that each fold holds; a row's shares sum to
	// one. A row that stands for many draws, as a short word does for all sequences that begin with it, may be in
	// several folds. See [SequenceFolds].
	Shares Table
}

// Fit is a linear map with an intercept: y = x·Coef + Intercept.
type Fit struct {
	Coef      Table     // (d, k)
	Intercept []float64 // (k)
	Rank      int       // the number of directions of x that were used, at most d
	Cutoff    float64   // the variance, relative to the largest, up to which directions were left out
}

// Score says how well predictions ŷ match targets y (n, k), weighted. R² is 1 − Σw|y−ŷ|²/Σw|y−ȳ|², where ȳ is the
// weighted mean over all rows; it is negative when the mean would predict better, and NaN or −∞ when y is constant.
type Score struct {
	R2       float64   // all columns together
	R2Column []float64 // (k)
	MSE      float64   // Σw|y−ŷ|²/(k·Σw): the mean over rows and columns
	RMSE     float64   // its square root, in the units of y
}

// Regression is a linear regression of targets on activations, tested on rows that it has not seen.
type Regression struct {
	Fit            // to all rows
	InSample Score // of Fit on the rows that made it
	HeldOut  Score // of each fold by the fit to the other folds: the one to report
	folds    []Fit // folds[f] is the fit to what fold f does not hold
	shares   Table // (n, folds)
}

// cutoffs are the candidates for the variance of a direction of x, relative to the largest, up to which the direction
// is left out of a fit. Activations in float32 carry a relative error of 1e-7, which as a variance is 1e-14, so the
// first one leaves nothing out but rounding noise; the last ones keep a handful of directions.
var cutoffs = []float64{1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// Regress fits y (n, k) by weighted least squares to x (n, d) with an intercept, to all rows and, for each fold, to
// the rows of the others. Nil weights stand for equal ones.
//
// Activations of a small model span few directions, so the covariance of x is singular, or nearly so, as a rule, and a
// fit that uses every direction fits noise. The solution is the one of least norm within the directions whose variance
// is above a cut-off, from 1e-12 to 1e-2 of the largest. The cut-off is chosen by cross-validation over the folds that a
// fit may see, and over no other: a held-out row has no say in the fit that predicts it.
//
// Numbers that are not finite are an error. It panics when the shapes do not fit, or when a fold would be empty.
func Regress(x, y Table, weights []float64, folds Folds) (*Regression, error) {
	list, err := RegressEach(x, []Table{y}, weights, folds)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// RegressEach is [Regress] for each of the targets ys (n, any), whose cut-offs are chosen one by one. What depends on x
// alone, most of the work, is done once.
func RegressEach(x Table, ys []Table, weights []float64, folds Folds) ([]*Regression, error) {
	x.check("x", -1)
	n := x.Rows()
	weights = checkWeights(weights, n)
	if folds.Count == 0 {
		folds.Count = 5
	}
	if folds.Count < 3 || folds.Count > n {
		panic(fmt.Sprintf("probe: %d rows in %d folds", n, folds.Count))
	}
	shift, err := x.weightedMean("x", weights)
	if err != nil {
		return nil, err
	}
	tables, targets := []Table{x}, make([]columns, len(ys))
	for i, y := range ys {
		y.check("y", n)
		mean, err := y.weightedMean("y", weights)
		if err != nil {
			return nil, err
		}
		targets[i].from = len(shift) - x.Width
		shift, tables = append(shift, mean...), append(tables, y)
		targets[i].to = len(shift) - x.Width
	}
	shares := folds.Shares
	if shares.Width == 0 {
		shares = folds.assign(n)
	}
	shares.check("shares", n)
	parts := make([]*moments, folds.Count)
	for f := range parts {
		parts[f] = momentsOf(tables, shift, weightsIn(shares, f, weights))
	}
	v := newValidation(parts, x.Width)
	list := make([]*Regression, len(ys))
	for i, y := range ys {
		list[i] = v.regression(x, y, targets[i], shift, weights, shares)
	}
	return list, nil
}

// regression returns the regression of some columns of y, which are the table given, with its scores.
func (v *validation) regression(x, table Table, y columns, shift, weights []float64, shares Table) *Regression {
	r := &Regression{shares: shares, Fit: v.fit(-1, y, 0).absolute(shift, y)}
	mean := shift[v.d+y.from : v.d+y.to]
	inSample, heldOut := newResiduals(mean), newResiduals(mean)
	inSample.add(r.Fit, x, table, weights)
	for f := range v.parts {
		r.folds = append(r.folds, v.fit(f, y, 0).absolute(shift, y))
		heldOut.add(r.folds[f], x, table, weightsIn(shares, f, weights))
	}
	r.InSample, r.HeldOut = inSample.score(), heldOut.score()
	return r
}

// assign deals the rows out to the folds in a shuffled order, so that their sizes differ by one at most.
func (f Folds) assign(n int) Table {
	order := allRows(n)
	random.New(f.Seed, "probe/folds").Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	shares := Table{Data: make([]float64, n*f.Count), Width: f.Count}
	for i, row := range order {
		shares.Row(row)[i%f.Count] = 1
	}
	return shares
}

// weightsIn returns the part of each row's weight that a fold holds.
func weightsIn(shares Table, fold int, weights []float64) []float64 {
	part := make([]float64, len(weights))
	for i, w := range weights {
		part[i] = w * shares.Row(i)[fold]
	}
	return part
}

// Predict returns the fit's predictions (n, k) for the rows of x (n, d).
func (f *Fit) Predict(x Table) Table {
	x.check("x", -1)
	predicted := Table{Data: make([]float64, x.Rows()*f.Coef.Width), Width: f.Coef.Width}
	predict := f.predictor()
	for i := range x.Rows() {
		predict(predicted.Row(i), x.Row(i))
	}
	return predicted
}

// predictor returns the function that writes to y (k) what the fit predicts from x (d).
func (f *Fit) predictor() func(y, x []float64) {
	d, k := f.Coef.Rows(), f.Coef.Width
	columns := Table{Data: make([]float64, d*k), Width: d} // Coef transposed, for scalar products of whole rows
	for a := range d {
		for b, c := range f.Coef.Row(a) {
			columns.Data[b*d+a] = c
		}
	}
	return func(y, x []float64) {
		if len(x) != d {
			panic(fmt.Sprintf("probe: a prediction from %d numbers by a fit to %d", len(x), d))
		}
		for b := range y {
			y[b] = f.Intercept[b] + floats.Dot(columns.Row(b), x)
		}
	}
}

// residuals adds up what predictions leave unexplained of targets whose weighted mean is mean.
type residuals struct {
	mean               []float64
	residual, variance []float64 // by column: Σw|y−ŷ|² and Σw|y−ȳ|²
	weight             float64
}

func newResiduals(mean []float64) *residuals {
	return &residuals{mean: mean, residual: make([]float64, len(mean)), variance: make([]float64, len(mean))}
}

// add predicts the rows whose weight is not zero.
func (r *residuals) add(fit Fit, x, y Table, weights []float64) {
	predicted, predict := make([]float64, y.Width), fit.predictor()
	for i, w := range weights {
		if w == 0 {
			continue
		}
		r.weight += w
		predict(predicted, x.Row(i))
		for b, yb := range y.Row(i) {
			r.residual[b] += w * (yb - predicted[b]) * (yb - predicted[b])
			r.variance[b] += w * (yb - r.mean[b]) * (yb - r.mean[b])
		}
	}
}

func (r *residuals) merge(o *residuals) {
	r.weight += o.weight
	floats.Add(r.residual, o.residual)
	floats.Add(r.variance, o.variance)
}

func (r *residuals) score() Score {
	s := Score{R2Column: make([]float64, len(r.mean))}
	residual, variance := 0.0, 0.0
	for b := range r.mean {
		s.R2Column[b] = 1 - r.residual[b]/r.variance[b]
		residual += r.residual[b]
		variance += r.variance[b]
	}
	s.R2 = 1 - residual/variance
	s.MSE = residual / r.weight / float64(len(r.mean))
	s.RMSE = math.Sqrt(s.MSE)
	return s
}
