package induction

import (
	"math"

	"foretell/claim"
	"foretell/figure"
	"foretell/process"
)

// statistics returns the rows about the process and its predictors, which train no model.
func (l *lab) statistics() []claim.Row {
	return []claim.Row{
		l.generator(),    // row I1
		l.predictors(),   // row I2
		l.proofs(),       // row I15
		l.sampledClaim(), // row I13
		l.cumulative(),   // row I14
		l.exactClaim(),   // row I17
	}
}

// claimed is the set of twelve lags with which App. F validates Claim 1.
const claimed task = "1,2,7,9,10,11,13,15,16,22,26,28"

// alphabets are the sizes of the alphabets in App. F. The paper does not say how its
// matrices are drawn: here each row is drawn from the Dirichlet distribution of
// concentration 1 (the constant flat), under which all distributions are equally likely.
var alphabets = []int{10, 25}

const flat = 1.0

// effort sets how much of App. F a profile repeats. The paper has 1,000 matrices and,
// for each lag, 1,000 sequences of 1,000 tokens.
type effort struct {
	matrices, sequences, length int
	exact                       int // number of matrices for which expectations are computed exactly
	starts                      int // number of random starts of the search for a counterexample
}

// The efforts of the quick profile (part) and of the full profile (whole).
var (
	part  = effort{matrices: 100, sequences: 1000, length: 1000, exact: 50, starts: 300}
	whole = effort{matrices: 1000, sequences: 1000, length: 1000, exact: 1000, starts: 4000}
)

// interleaved returns the process with the task's lags and a random matrix P, which its
// index determines.
func (t task) interleaved(tokens int, concentration float64, matrix int) (*process.Interleaved, error) {
	P, err := process.DirichletRows(tokens, concentration, 1, uint64(matrix))
	if err != nil {
		return nil, err
	}
	return process.NewInterleaved(P, t.lags())
}

// advantage returns the mean at the true lag minus the largest of the other means:
// D'Angelo et al. 2025, Eq. 9.
func advantage(means []float64, truth int) float64 {
	most := -1.0
	for r, mean := range means {
		if r != truth {
			most = max(most, mean)
		}
	}
	return means[truth] - most
}

// histogram returns a chart, still without series, for the distribution of a number that
// Claim 1 requires to be positive. The function binned makes its series.
func histogram(title, number string) figure.Chart {
	return figure.Chart{
		Title: title, X: figure.Axis{Label: number, Include: []float64{0}},
		Y:    figure.Axis{Label: "share of cases", Include: []float64{0}},
		Refs: []figure.Ref{{Label: "0", Value: 0, Vertical: true}},
	}
}

// binned returns the share of sorted values in each of forty bins, at the bins' centres.
func binned(name string, color int, sorted []float64) figure.Series {
	const count = 40
	low, high := min(0, sorted[0]), sorted[len(sorted)-1]
	width := math.Max(high-low, 1e-12) / count
	x, y := make([]float64, count), make([]float64, count)
	for i := range x {
		x[i] = low + (float64(i)+0.5)*width
	}
	for _, v := range sorted {
		y[min(int((v-low)/width), count-1)] += 1 / float64(len(sorted))
	}
	return figure.Series{Name: name, X: x, Y: y, Color: color}
}
