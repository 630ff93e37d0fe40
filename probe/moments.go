package probe

import (
	"slices"

	"foretell/internal/kernel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// moments are sums over rows z with weights w: Σw, Σw·z and Σw·zᵀz. They can be added and
// subtracted: the moments of all rows outside a fold are the total minus the fold's
// moments, so no row is visited twice. Sums of squares are accurate only if the columns
// are roughly centred, so a shift is subtracted from the rows.
type moments struct {
	width  int
	weight float64
	sum    []float64 // Σw·z, (width)
	gram   []float64 // Σw·zᵀz, (width, width); only the upper triangle is used

	block   []float64 // (blockRows, width) in the kernel's layout: rows times √w not yet added to gram
	waiting int       // number of rows in the block
}

func newMoments(width int) *moments {
	return &moments{width: width, sum: make([]float64, width), gram: make([]float64, width*width)}
}

// blockRows is the number of rows that are added to gram at a time, few enough for the
// kernel's working set to stay in the first-level cache. Results do not depend on it, to
// the last bit.
const blockRows = 96

// push adds a row of weight w. After the last row, flush must be called.
func (m *moments) push(row []float64, w float64) {
	if w == 0 {
		return
	}
	if m.block == nil {
		m.block = make([]float64, kernel.PanelsLen(blockRows, m.width))
	}
	m.weight += w
	kernel.GramRow(m.block, blockRows, m.waiting, m.sum, row, w)
	if m.waiting++; m.waiting == blockRows {
		m.flush()
	}
}

// flush adds the waiting rows to gram.
func (m *moments) flush() {
	kernel.Gram(m.gram, m.width, m.block, blockRows, m.waiting, m.width)
	m.waiting = 0
}

// momentsOf returns the moments of the rows of several tables, whose columns are
// concatenated, after a shift is subtracted from each column.
func momentsOf(tables []Table, shift, weights []float64) *moments {
	m, row := newMoments(len(shift)), make([]float64, 0, len(shift))
	for i, w := range weights {
		row = row[:0]
		for _, t := range tables {
			row = append(row, t.Row(i)...)
		}
		floats.Sub(row, shift)
		m.push(row, w)
	}
	m.flush()
	return m
}

// merge adds the moments in o to m, and resets o to 0.
func (m *moments) merge(o *moments) {
	o.flush()
	m.weight += o.weight
	floats.Add(m.sum, o.sum)
	floats.Add(m.gram, o.gram)
	o.weight = 0
	clear(o.sum)
	clear(o.gram)
}

// plus returns m + f·o.
func (m *moments) plus(f float64, o *moments) *moments {
	sum := newMoments(m.width)
	sum.weight = m.weight + f*o.weight
	for i := range sum.sum {
		sum.sum[i] = m.sum[i] + f*o.sum[i]
	}
	for i := range sum.gram {
		sum.gram[i] = m.gram[i] + f*o.gram[i]
	}
	return sum
}

// mean returns the mean of the shifted columns.
func (m *moments) mean() []float64 {
	mean := slices.Clone(m.sum)
	floats.Scale(1/m.weight, mean)
	return mean
}

// covariance returns entry (i, j), i ≤ j, of the covariance, normalised by the sum of
// the weights.
func (m *moments) covariance(i, j int) float64 {
	return m.gram[i*m.width+j]/m.weight - m.sum[i]/m.weight*(m.sum[j]/m.weight)
}

// eigen returns the eigenvalues, largest first, and the eigenvectors, by row, of the
// covariance of the first d columns.
func (m *moments) eigen(d int) (values []float64, vectors Table) {
	symmetric := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			symmetric.SetSym(i, j, m.covariance(i, j))
		}
	}
	var decomposition mat.EigenSym
	if !decomposition.Factorize(symmetric, true) {
		panic("probe: the eigenvalues of a covariance do not converge") // with finite numbers this has never happened
	}
	ascending := decomposition.Values(nil)
	var byColumn mat.Dense
	decomposition.VectorsTo(&byColumn)
	values, vectors = make([]float64, d), Table{Data: make([]float64, d*d), Width: d}
	for i := range values {
		values[i] = ascending[d-1-i]
		for j := range d {
			vectors.Data[i*d+j] = byColumn.At(j, d-1-i)
		}
	}
	return values, vectors
}
