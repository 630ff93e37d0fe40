package probe

import (
	"fmt"
	"math"

	"foretell/model"
	"foretell/process"
)

// Table is a table of numbers, row-major. For example, it has one row for each prefix and
// one column for each direction of the residual stream.
type Table struct {
	Data  []float64 // (rows, Width)
	Width int
}

// Rows returns the number of rows.
func (t Table) Rows() int { return len(t.Data) / t.Width }

// Row returns row i, which shares memory with the table.
func (t Table) Row(i int) []float64 { return t.Data[i*t.Width : (i+1)*t.Width] }

// Occurring returns the rows of the prefixes that can occur, from a table with a row for
// each prefix in p. The rows share memory with the table. Figures show these rows only,
// because a fit's values for other prefixes are extrapolations.
func (t Table) Occurring(p *process.Prefixes) [][]float64 {
	t.check("the table", p.Rows())
	var rows [][]float64
	for row, prob := range p.Prob {
		if prob > 0 {
			rows = append(rows, t.Row(row))
		}
	}
	return rows
}

// check panics if the table has no rows, or if it does not have the given number of rows;
// a negative number allows any.
func (t Table) check(name string, rows int) {
	if t.Width <= 0 || len(t.Data) == 0 || len(t.Data)%t.Width != 0 {
		panic(fmt.Sprintf("probe: %s is a table of %d numbers in rows of %d, want at least one full row",
			name, len(t.Data), t.Width))
	}
	if rows >= 0 && t.Rows() != rows {
		panic(fmt.Sprintf("probe: %s has %d rows, not %d", name, t.Rows(), rows))
	}
}

// checkWeights panics unless there is one weight for each row, no weight is negative and
// not all are zero. It returns equal weights for nil.
func checkWeights(weights []float64, rows int) []float64 {
	if weights == nil {
		weights = make([]float64, rows)
		for i := range weights {
			weights[i] = 1
		}
	}
	if len(weights) != rows {
		panic(fmt.Sprintf("probe: %d weights for %d rows, want one for each", len(weights), rows))
	}
	total := 0.0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			panic(fmt.Sprintf("probe: the weight of row %d is %g, want a finite number of at least 0", i, w))
		}
		total += w
	}
	if total == 0 {
		panic("probe: all weights are zero, want at least one positive weight")
	}
	return weights
}

// weightedMean returns the weighted mean of each column. It returns an error if a number
// is not finite, as in a model that has diverged.
func (t Table) weightedMean(name string, weights []float64) ([]float64, error) {
	mean, total := make([]float64, t.Width), 0.0
	for i, w := range weights {
		for j, x := range t.Row(i) {
			mean[j] += w * x
		}
		total += w
	}
	for j := range mean {
		mean[j] /= total
		if math.IsNaN(mean[j]) || math.IsInf(mean[j], 0) {
			return nil, fmt.Errorf("probe: column %d of %s holds numbers that are %w", j, name, model.ErrNotFinite)
		}
	}
	return mean, nil
}
