package probe

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// moments are weighted sums over rows z, the first and the second of them: Σw, Σw·z and Σw·zᵀz. They add and subtract,
// so those of all rows but a fold's are those of all rows less the fold's, and no row is visited twice.
type moments struct {
	width  int
	weight float64
	sum    []float64 // (width)
	gram   []float64 // (width, width), upper triangle
}

func newMoments(width int) *moments {
	return &moments{width: width, sum: make([]float64, width), gram: make([]float64, width*width)}
}

// blockRows is the number of rows that are added at a time: few enough for a block to stay in the cache, and a
// partial sum over a block keeps the rounding errors of a long sum down.
const blockRows = 256

// columns are tables side by side, with the numbers to subtract from each column: sums of squares are accurate when
// the columns are centred at about their mean.
type columns struct {
	tables []Table
	shift  []float64 // (sum of the widths)
}

// add adds the rows of the tables whose weight is not zero.
func (m *moments) add(c columns, weights []float64) {
	var rows []int
	for i, w := range weights {
		if w != 0 {
			rows = append(rows, i)
		}
	}
	block := make([]float64, m.width*blockRows) // (width, blockRows), each row of the tables a column times √w
	for start := 0; start < len(rows); start += blockRows {
		part := rows[start:min(start+blockRows, len(rows))]
		c.pack(block, weights, part)
		for r, i := range part {
			root := math.Sqrt(weights[i])
			m.weight += weights[i]
			for j := range m.sum {
				m.sum[j] += root * block[j*blockRows+r]
			}
		}
		blas64.Syrk(blas.NoTrans,
			1, blas64.General{Rows: m.width, Cols: len(part), Stride: blockRows, Data: block},
			1, blas64.Symmetric{N: m.width, Stride: m.width, Data: m.gram, Uplo: blas.Upper})
	}
}

// pack writes the rows given by their indices into block, transposed, less the shift and times √w.
func (c columns) pack(block, weights []float64, rows []int) {
	for r, i := range rows {
		root, column := math.Sqrt(weights[i]), 0
		for _, t := range c.tables {
			for _, x := range t.Row(i) {
				block[column*blockRows+r] = root * (x - c.shift[column])
				column++
			}
		}
	}
}

// plus adds f times the moments o.
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
	mean := make([]float64, m.width)
	for i := range mean {
		mean[i] = m.sum[i] / m.weight
	}
	return mean
}

// covariance returns entry (i, j), i ≤ j, of the covariance, normalised by the sum of the weights.
func (m *moments) covariance(i, j int) float64 {
	return m.gram[i*m.width+j]/m.weight - m.sum[i]/m.weight*(m.sum[j]/m.weight)
}

// eigen returns the eigenvalues, largest first, and the eigenvectors, by row, of the covariance of the first d columns.
func (m *moments) eigen(d int) (values []float64, vectors Table) {
	symmetric := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			symmetric.SetSym(i, j, m.covariance(i, j))
		}
	}
	var decomposition mat.EigenSym
	if !decomposition.Factorize(symmetric, true) {
		panic("probe: the eigenvalues of a covariance do not converge") // of finite numbers they always did
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
