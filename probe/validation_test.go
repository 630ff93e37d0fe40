package probe

import "testing"

// noisy returns activations (n, d) of which three directions matter, and many
// others carry a little noise, with targets (n, 2) that depend on the three.
func noisy(n, d int) (x, y Table) {
	x = normals(1, n, d)
	for i := range n {
		for j := 3; j < d; j++ {
			x.Row(i)[j] *= 0.01
		}
	}
	coef := normals(2, d, 2)
	clear(coef.Data[6:])
	return x, sum(times(x, coef), 0.3, normals(3, n, 2))
}

// Where most directions are noise the cut-off leaves them out, and held-out
// predictions are better than those of least squares in all directions.
func TestCutoffLeavesNoiseOut(t *testing.T) {
	const n, d = 120, 60
	x, y := noisy(n, d)
	r := regress(t, x, y, nil, Folds{})
	if r.Rank != 3 {
		t.Errorf("%d directions are used, want 3", r.Rank)
	}
	full := 0.0
	for f := range 5 {
		others := make([]float64, n)
		for i := range others {
			if r.foldOf(i) != f {
				others[i] = 1
			}
		}
		fit := leastSquares(x, y, others)
		for i := range n {
			if others[i] == 0 {
				p := times(Table{Data: append(append([]float64{}, x.Row(i)...), 1), Width: d + 1}, fit)
				for b, v := range p.Data {
					full += (v - y.Row(i)[b]) * (v - y.Row(i)[b]) / (2 * n)
				}
			}
		}
	}
	if r.HeldOut.MSE > 0.75*full {
		t.Errorf("held-out error %v, in all directions %v", r.HeldOut.MSE, full)
	}
}

// What a fold holds has no say in the cut-off or the fit that predicts it:
// wild targets there change neither.
func TestHeldOutRowsHaveNoSay(t *testing.T) {
	x, y := noisy(120, 20)
	before := regress(t, x, y, nil, Folds{})
	for i := range y.Rows() {
		if before.foldOf(i) == 2 {
			y.Row(i)[0] += 1000 * float64(i%7)
		}
	}
	after := regress(t, x, y, nil, Folds{})
	if before.folds[2].Cutoff != after.folds[2].Cutoff {
		t.Errorf("the cut-off went from %g to %g", before.folds[2].Cutoff, after.folds[2].Cutoff)
	}
	// The shift of the columns differs, and the rounding with it.
	wantClose(t, "coefficients", after.folds[2].Coef.Data, before.folds[2].Coef.Data, 1e-6)
}

// The squared error from the moments is that from the rows.
func TestSquaredErrorFromMoments(t *testing.T) {
	const n, d, k = 90, 6, 2
	x, y := normals(1, n, d), normals(2, n, k)
	weights := randomWeights(3, n)
	m := momentsOf([]Table{x, y}, make([]float64, d+k), weights)
	fit := Fit{Coef: normals(4, d, k), Intercept: []float64{0.3, -2}}
	want := make([]float64, k)
	predicted := fit.Predict(x)
	for i, w := range weights {
		for b, v := range y.Row(i) {
			want[b] += w * (v - predicted.Row(i)[b]) * (v - predicted.Row(i)[b])
		}
	}
	wantClose(t, "squared errors", m.squaredErrors(fit, d, columns{0, k}), want, 1e-12)
}
