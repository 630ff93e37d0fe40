package probe

import (
	"fmt"
	"math"

	"foretell/internal/random"
)

// Folds says how the rows are divided to test a regression on rows that it has not seen.
type Folds struct {
	Count int    // 0 stands for 5
	Seed  uint64 // of the shuffle that assigns rows to folds
}

// Fit is a linear map with an intercept: y = x·Coef + Intercept.
type Fit struct {
	Coef      Table     // (d, k)
	Intercept []float64 // (k)
	Rank      int       // the number of directions of x that were used, at most d
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
	Fit              // to all rows
	InSample Score   // of Fit on the rows that made it
	HeldOut  Score   // of each fold by the fit to the other folds: the one to report
	folds    []Fit   // folds[f] is the fit to all rows but those of fold f
	fold     []uint8 // (n) of each row
}

// rankCutoff is the variance of a direction of x, relative to the largest, up to which the direction is left out as
// rounding noise. Activations in float32 carry a relative error of 1e-7, which as a variance is 1e-14; what a small
// model spans beyond that is real.
const rankCutoff = 1e-12

// Regress fits y (n, k) by weighted least squares to x (n, d) with an intercept, to all rows and, for each fold, to
// the rows of the others. Nil weights stand for equal ones.
//
// Activations of a small model span few directions, so the covariance of x is singular as a rule. The solution is the
// one of least norm within the directions whose variance is above 1e-12 of the largest.
//
// Numbers that are not finite are an error. It panics when the shapes do not fit, or when a fold would be empty.
func Regress(x, y Table, weights []float64, folds Folds) (*Regression, error) {
	x.check("x", -1)
	n := x.Rows()
	y.check("y", n)
	weights = checkWeights(weights, n)
	if folds.Count == 0 {
		folds.Count = 5
	}
	if folds.Count < 2 || folds.Count > n || folds.Count > math.MaxUint8 {
		panic(fmt.Sprintf("probe: %d rows in %d folds", n, folds.Count))
	}
	xMean, err := x.weightedMean("x", weights)
	if err != nil {
		return nil, err
	}
	yMean, err := y.weightedMean("y", weights)
	if err != nil {
		return nil, err
	}

	r := &Regression{fold: folds.assign(n)}
	c := columns{tables: []Table{x, y}, shift: append(append([]float64{}, xMean...), yMean...)}
	parts := make([]*moments, folds.Count)
	total := newMoments(x.Width + y.Width)
	for f := range parts {
		parts[f] = newMoments(x.Width + y.Width)
		parts[f].add(c, weights, r.rowsOf(f))
		total = total.plus(1, parts[f])
	}
	r.Fit = total.solve(x.Width, c.shift)
	for _, part := range parts {
		r.folds = append(r.folds, total.plus(-1, part).solve(x.Width, c.shift))
	}
	r.InSample = score(y, r.Predict(x), weights, yMean)
	r.HeldOut = score(y, r.PredictHeldOut(x), weights, yMean)
	return r, nil
}

// assign deals the rows out to the folds in a shuffled order, so that their sizes differ by one at most.
func (f Folds) assign(n int) []uint8 {
	order := allRows(n)
	random.New(f.Seed, "probe/folds").Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	fold := make([]uint8, n)
	for i, row := range order {
		fold[row] = uint8(i % f.Count)
	}
	return fold
}

// rowsOf returns the rows of a fold in order.
func (r *Regression) rowsOf(fold int) []int {
	var rows []int
	for i, f := range r.fold {
		if int(f) == fold {
			rows = append(rows, i)
		}
	}
	return rows
}

// solve returns the least-squares fit of the columns after the first d to those; shift is what was subtracted from each.
func (m *moments) solve(d int, shift []float64) Fit {
	k := m.width - d
	values, vectors := m.eigen(d)
	fit := Fit{Coef: Table{Data: make([]float64, d*k), Width: k}, Intercept: make([]float64, k)}
	// Coef = Σ_i v_iᵀ (v_i·C_xy) / λ_i over the eigenvectors v_i of C_xx.
	projection := make([]float64, k)
	for i, value := range values {
		if !(value > rankCutoff*values[0]) {
			break
		}
		fit.Rank++
		clear(projection)
		v := vectors.Row(i)
		for a, va := range v {
			for b := range projection {
				projection[b] += va * m.covariance(a, d+b)
			}
		}
		for a, va := range v {
			for b, p := range projection {
				fit.Coef.Data[a*k+b] += va * p / value
			}
		}
	}
	mean := m.mean()
	for b := range fit.Intercept {
		fit.Intercept[b] = shift[d+b] + mean[d+b]
		for a := range d {
			fit.Intercept[b] -= (shift[a] + mean[a]) * fit.Coef.Data[a*k+b]
		}
	}
	return fit
}

// Predict returns the fit's predictions (n, k) for the rows of x (n, d).
func (f *Fit) Predict(x Table) Table {
	x.check("x", -1)
	predicted := Table{Data: make([]float64, x.Rows()*f.Coef.Width), Width: f.Coef.Width}
	for i := range x.Rows() {
		f.predictRow(predicted.Row(i), x.Row(i))
	}
	return predicted
}

func (f *Fit) predictRow(y, x []float64) {
	if len(x) != f.Coef.Rows() {
		panic(fmt.Sprintf("probe: a prediction from %d numbers by a fit to %d", len(x), f.Coef.Rows()))
	}
	copy(y, f.Intercept)
	for a, xa := range x {
		for b, c := range f.Coef.Row(a) {
			y[b] += xa * c
		}
	}
}

// PredictHeldOut returns the prediction (n, k) of each row by the fit that did not see its fold. Row i of x must be
// row i of the regression's own x.
func (r *Regression) PredictHeldOut(x Table) Table {
	x.check("x", len(r.fold))
	predicted := Table{Data: make([]float64, x.Rows()*r.Coef.Width), Width: r.Coef.Width}
	for i, f := range r.fold {
		r.folds[f].predictRow(predicted.Row(i), x.Row(i))
	}
	return predicted
}

// score compares predictions with targets whose weighted mean is mean.
func score(y, predicted Table, weights, mean []float64) Score {
	residual, variance, total := make([]float64, y.Width), make([]float64, y.Width), 0.0
	for i, w := range weights {
		total += w
		p := predicted.Row(i)
		for b, yb := range y.Row(i) {
			residual[b] += w * (yb - p[b]) * (yb - p[b])
			variance[b] += w * (yb - mean[b]) * (yb - mean[b])
		}
	}
	s := Score{R2Column: make([]float64, y.Width)}
	allResidual, allVariance := 0.0, 0.0
	for b := range residual {
		s.R2Column[b] = 1 - residual[b]/variance[b]
		allResidual += residual[b]
		allVariance += variance[b]
	}
	s.R2 = 1 - allResidual/allVariance
	s.MSE = allResidual / total / float64(y.Width)
	s.RMSE = math.Sqrt(s.MSE)
	return s
}
