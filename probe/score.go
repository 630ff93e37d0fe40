package probe

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Score measures how well predictions ŷ match targets y (n, k), with a weight w for each
// row. R² is 1 − Σw|y−ŷ|²/Σw|y−ȳ|², where ȳ is the weighted mean over all rows; it is
// negative if the mean would predict better, and NaN or −∞ if y is constant.
type Score struct {
	R2   float64
	MSE  float64 // Σw|y−ŷ|²/(k·Σw): the mean over rows and columns
	RMSE float64 // its square root, in the units of y
}

// residuals sums the squared errors of predictions, and the squared distances of the
// targets from their weighted mean.
type residuals struct {
	mean               []float64
	residual, variance []float64 // by column: Σw|y−ŷ|² and Σw|y−ȳ|²
	weight             float64
}

func newResiduals(mean []float64) *residuals {
	return &residuals{mean: mean, residual: make([]float64, len(mean)), variance: make([]float64, len(mean))}
}

// add adds the predictions of a fit for the rows whose weight is not zero.
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
	residual, variance := 0.0, 0.0
	for b := range r.mean {
		residual += r.residual[b]
		variance += r.variance[b]
	}
	s := Score{R2: 1 - residual/variance, MSE: residual / r.weight / float64(len(r.mean))}
	s.RMSE = math.Sqrt(s.MSE)
	return s
}
