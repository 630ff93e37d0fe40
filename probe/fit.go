package probe

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// Fit is a linear map with an intercept: y = x·Coef + Intercept.
type Fit struct {
	Coef      Table     // (d, k)
	Intercept []float64 // (k)
	Rank      int       // number of directions of x that were used, at most d
	Cutoff    float64   // directions of x with at most this variance, relative to the largest, were dropped
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

// predictor returns the function that writes the fit's prediction from x (d) to y (k).
func (f *Fit) predictor() func(y, x []float64) {
	d, k := f.Coef.Rows(), f.Coef.Width
	columns := Table{Data: make([]float64, d*k), Width: d} // transposed Coef, for scalar products of whole rows
	for a := range d {
		for b, c := range f.Coef.Row(a) {
			columns.Data[b*d+a] = c
		}
	}
	return func(y, x []float64) {
		if len(x) != d {
			panic(fmt.Sprintf("probe: the fit predicts from %d features, not from %d", d, len(x)))
		}
		for b := range y {
			y[b] = f.Intercept[b] + floats.Dot(columns.Row(b), x)
		}
	}
}
