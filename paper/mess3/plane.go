package mess3

import (
	"context"
	"math"

	"foretell/figure"
	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/mat"
)

// align rotates the first principal components (n, m) of sequences so that two
// orthonormal directions among them show the targets (n, 3) in the orientation of the
// simplex, as the paper does ("we slightly rotate the PCA basis"). It returns the
// coordinates (n, 2) and the held-out R² of the targets on the components. The rotation
// is the orthogonal matrix nearest to the regression (Procrustes), so no direction is
// stretched.
func align(ctx context.Context, p *process.Prefixes, components, targets probe.Table) (probe.Table, float64, error) {
	plane := probe.Table{Width: 2}
	for i := range targets.Rows() {
		at := project(targets.Row(i))
		plane.Data = append(plane.Data, at[:]...)
	}
	read, err := probe.Relate(ctx, p, components, plane, probe.Ours)
	if err != nil {
		return plane, 0, err
	}
	turn := orthonormalised(read.Fits[0].Coef)
	out := probe.Table{Width: 2, Data: make([]float64, 2*components.Rows())}
	for i := range components.Rows() {
		for j, x := range components.Row(i) {
			out.Data[2*i] += x * turn.At(j, 0)
			out.Data[2*i+1] += x * turn.At(j, 1)
		}
	}
	return out, read.R2, nil
}

// orthonormalised returns the matrix with orthonormal columns that is nearest to a linear
// map (m, 2).
func orthonormalised(coef probe.Table) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(coef.Rows(), 2, coef.Data), mat.SVDThin) {
		panic("mess3: a singular value decomposition did not converge")
	}
	var u, v, turn mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	turn.Mul(&u, v.T())
	return &turn
}

// point is a point in the plane of the simplex, relative to its centre, or a
// displacement.
type point [2]float64

// project returns the position, in the plane of the simplex and relative to its centre,
// of a vector whose entries sum to one.
func project(p []float64) point {
	x, y := figure.Project(p[0], p[1], p[2])
	cx, cy := figure.Project(1./3, 1./3, 1./3)
	return point{x - cx, y - cy}
}

func (a point) plus(b point) point { return point{a[0] + b[0], a[1] + b[1]} }

func (a point) minus(b point) point { return point{a[0] - b[0], a[1] - b[1]} }

func (a point) length() float64 { return math.Hypot(a[0], a[1]) }

// unit returns the displacement of length one in the same direction.
func (a point) unit() point { return point{a[0] / a.length(), a[1] / a.length()} }

// separation returns the distance between two points.
func separation(a, b point) float64 { return a.minus(b).length() }

// cosine returns the cosine of the angle between two displacements.
func cosine(a, b point) float64 {
	return (a[0]*b[0] + a[1]*b[1]) / (a.length() * b.length())
}

// cut returns the rows of a row-major array as views, for use in a [figure.Simplex].
func cut(flat []float64, width int) [][]float64 {
	rows := make([][]float64, len(flat)/width)
	for i := range rows {
		rows[i] = flat[i*width : (i+1)*width]
	}
	return rows
}

// triangle draws vectors over three states, (rows, 3), of the sequences in p, in the
// colours of their beliefs.
func triangle(vectors []float64, p *process.Prefixes) figure.Simplex {
	return figure.Simplex{P: cut(vectors, 3), Belief: cut(p.Beliefs, 3)}
}
