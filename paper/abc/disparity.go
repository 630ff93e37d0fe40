package abc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// normalise scales a vector to the norm √½.
func normalise(x []float64) {
	square := 0.0
	for _, v := range x {
		square += v * v
	}
	for i := range x {
		x[i] *= math.Sqrt(0.5 / square)
	}
}

// disparity returns the Procrustes disparity of two matrices of norm 1, with a point in
// each row: the squared distance that remains after the best orthogonal map and scaling.
// It equals 1 − (Σσ)², where σ are the singular values of aᵀb.
func disparity(a, b *mat.Dense) float64 {
	var product mat.Dense
	product.Mul(a.T(), b)
	var svd mat.SVD
	if !svd.Factorize(&product, mat.SVDNone) {
		panic("abc: a singular value decomposition did not converge")
	}
	sum := 0.0
	for _, s := range svd.Values(nil) {
		sum += s
	}
	return 1 - sum*sum
}

// link sorts shapes into classes by single linkage: a shape belongs to a class if its
// disparity to any member is below the threshold. It returns the indices of the shapes in
// each class, the largest class first. It ignores nil shapes.
func link(shapes []*mat.Dense, threshold float64) [][]int {
	var members [][]int
	for i, shape := range shapes {
		if shape == nil {
			continue
		}
		joined := []int{i}
		members = slices.DeleteFunc(members, func(class []int) bool {
			for _, j := range class {
				if disparity(shape, shapes[j]) < threshold {
					joined = append(joined, class...)
					return true
				}
			}
			return false
		})
		members = append(members, joined)
	}
	for _, class := range members {
		slices.Sort(class)
	}
	slices.SortStableFunc(members, func(a, b []int) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return a[0] - b[0]
	})
	return members
}

// disparities returns the disparity of each pair of shapes in a class, ascending. The
// class holds indices into shapes.
func disparities(shapes []*mat.Dense, class []int) []float64 {
	var list []float64
	for at, i := range class {
		for _, j := range class[:at] {
			list = append(list, disparity(shapes[i], shapes[j]))
		}
	}
	slices.Sort(list)
	return list
}
