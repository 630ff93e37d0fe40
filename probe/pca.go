package probe

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Principal is a weighted principal component analysis.
type Principal struct {
	Mean       []float64 // (d)
	Components Table     // (d, d): one component per row, of length 1, sorted by variance
	Variance   []float64 // (d): variance of each projection, largest first, normalised by the sum of the weights
}

// PrincipalComponents returns the principal components of the rows of x (n, d): the
// eigenvectors of the weighted covariance. Nil weights mean equal weights. The sign of
// each component is chosen so that its entry of largest magnitude is positive.
// PrincipalComponents returns an error if a number is not finite, and panics if there are
// not n weights, if a weight is negative or not finite, or if all weights are zero.
func PrincipalComponents(x Table, weights []float64) (*Principal, error) {
	x.check("x", -1)
	weights = checkWeights(weights, x.Rows())
	mean, err := x.weightedMean("x", weights)
	if err != nil {
		return nil, err
	}
	return momentsOf([]Table{x}, mean, weights).principal(x.Width, mean), nil
}

// principal returns the principal components of the first d columns. The shift is what
// was subtracted from the columns.
func (m *moments) principal(d int, shift []float64) *Principal {
	p := &Principal{Mean: m.mean()[:d]}
	floats.Add(p.Mean, shift[:d])
	p.Variance, p.Components = m.eigen(d)
	for i := range p.Variance {
		p.Variance[i] = max(p.Variance[i], 0) // rounding leaves −1e-17 where the variance is zero
		fixSign(p.Components.Row(i))
	}
	return p
}

// fixSign flips the sign of v if its first entry of largest magnitude is negative.
func fixSign(v []float64) {
	largest := 0.0
	for _, x := range v {
		if math.Abs(x) > math.Abs(largest) {
			largest = x
		}
	}
	if largest < 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
}

// CumulativeRatio returns, for each component, the share of the variance that this
// component and the preceding ones explain (Piotrowski et al. 2025, Table 1); NaN without
// variance.
func (p *Principal) CumulativeRatio() []float64 {
	ratios, total := make([]float64, len(p.Variance)), 0.0
	for i, v := range p.Variance {
		total += v
		ratios[i] = total
	}
	for i := range ratios {
		ratios[i] /= total
	}
	return ratios
}

// Project subtracts the mean from the rows of x (n, d), and returns their coordinates (n,
// m) on the first m components.
func (p *Principal) Project(x Table, m int) Table {
	if d := len(p.Mean); x.Width != d || m < 1 || m > d {
		panic(fmt.Sprintf("probe: cannot project rows of %d numbers on %d of %d components; "+
			"want rows of %[3]d numbers and 1 to %[3]d components", x.Width, m, d))
	}
	projected := Table{Data: make([]float64, x.Rows()*m), Width: m}
	centred := make([]float64, x.Width)
	for i := range x.Rows() {
		for j, xj := range x.Row(i) {
			centred[j] = xj - p.Mean[j]
		}
		row := projected.Row(i)
		for k := range row {
			row[k] = dot(centred, p.Components.Row(k))
		}
	}
	return projected
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
