package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/figure"

	"gonum.org/v1/gonum/mat"
)

// abcClasses are classes of solutions, the largest first. They are made by single
// linkage, so that two members of a class may be far from each other.
type abcClasses struct {
	of    []int // of each run, from 0
	size  []int // of each class
	text  string
	table Table

	sensitivity []string // to the disparity from which two solutions count as different
}

// solutions sorts the runs that reached the threshold into classes; the others
// are of class −1.
func solutions(runs []*abcRun) abcClasses {
	c := abcClasses{of: make([]int, len(runs))}
	shapes := make([]*mat.Dense, len(runs))
	for i, r := range runs {
		c.of[i] = -1
		if r.steps > 0 {
			shapes[i] = r.shape()
		}
	}
	members := link(shapes, abcApart)
	c.table = Table{
		Title:   "classes of solutions, compared up to rotation and reflection",
		Columns: []string{"class", "seeds", "disparity of two members: median", "largest", "example", "turns from A to B to C", "right without attention, of 9"},
	}
	var widest float64
	for k, class := range members {
		c.size = append(c.size, len(class))
		least, most, orders := 9, 0, map[string]int{}
		for _, i := range class {
			c.of[i] = k
			least, most = min(least, runs[i].ablated), max(most, runs[i].ablated)
			orders[runs[i].order()]++
		}
		var turns string
		for _, name := range []string{"left", "right"} {
			if orders[name] > 0 {
				turns += fmt.Sprintf("%s %d ", name, orders[name])
			}
		}
		between := disparities(shapes, class)
		apart := []string{"–", "–"}
		if len(between) > 0 {
			apart = []string{fmt.Sprintf("%.2f", median(between)), fmt.Sprintf("%.2f", between[len(between)-1])}
			widest = max(widest, between[len(between)-1])
		}
		c.table.Rows = append(c.table.Rows, []string{
			fmt.Sprint(k + 1), fmt.Sprint(len(class)), apart[0], apart[1], fmt.Sprintf("seed %d", runs[class[0]].seed), strings.TrimSpace(turns), fmt.Sprintf("%d–%d", least, most),
		})
	}
	switch {
	case len(members) == 0:
		c.text = "none is learned"
	case len(members) == 1 && widest < abcApart:
		c.text = "all solutions are one up to rotation and reflection"
	default:
		c.text = fmt.Sprintf("the solutions are not one up to rotation: %s by single linkage, the largest a chain of %d seeds whose members differ by up to %s",
			count(len(members), "group"), c.size[0], c.table.Rows[0][3])
	}
	for _, apart := range []float64{0.02, 0.05, 0.1, 0.2, 0.3} {
		groups := link(shapes, apart)
		if len(groups) == 0 {
			break
		}
		c.sensitivity = append(c.sensitivity, fmt.Sprintf("%d and %d at %g", len(groups), len(groups[0]), apart))
	}
	return c
}

// link joins shapes whose disparity to a member is below apart to classes, the largest
// first. Shapes that are nil take no part.
func link(shapes []*mat.Dense, apart float64) [][]int {
	var members [][]int
	for i, shape := range shapes {
		if shape == nil {
			continue
		}
		joined := []int{i}
		members = slices.DeleteFunc(members, func(class []int) bool {
			for _, j := range class {
				if disparity(shape, shapes[j]) < apart {
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

// disparities lists those of each two of a class, ascending.
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

// unembedding returns the unembedding vectors of the three tokens, (3,2), less
// their mean, which no prediction depends on.
func (r *abcRun) unembedding() [3][2]float64 {
	w := r.model.Weights.Get("unembed.W_U").Data // (2,3)
	var u [3][2]float64
	for k := range 2 {
		mean := float64(w[3*k]+w[3*k+1]+w[3*k+2]) / 3
		for z := range 3 {
			u[z][k] = float64(w[3*k+z]) - mean
		}
	}
	return u
}

// order says which way the unembedding vectors turn from A to B to C.
func (r *abcRun) order() string {
	u := r.unembedding()
	if u[0][0]*u[1][1]-u[0][1]*u[1][0]+u[1][0]*u[2][1]-u[1][1]*u[2][0]+u[2][0]*u[0][1]-u[2][1]*u[0][0] > 0 {
		return "left"
	}
	return "right"
}

// shape is what rotations and reflections of the residual stream leave of a
// solution to compare: the final residuals of the nine contexts about their mean
// and the unembedding vectors, (12,2), each of the two of norm √½.
func (r *abcRun) shape() *mat.Dense {
	points := slices.Clone(r.residual)
	for k := range 2 {
		mean := 0.0
		for i := range 9 {
			mean += r.residual[2*i+k] / 9
		}
		for i := range 9 {
			points[2*i+k] -= mean
		}
	}
	for _, u := range r.unembedding() {
		points = append(points, u[:]...)
	}
	normalise(points[:18])
	normalise(points[18:])
	return mat.NewDense(12, 2, points)
}

// normalise gives a vector the norm √½.
func normalise(x []float64) {
	square := 0.0
	for _, v := range x {
		square += v * v
	}
	for i := range x {
		x[i] *= math.Sqrt(0.5 / square)
	}
}

// disparity is the Procrustes disparity of two shapes of norm 1: the squared
// distance that the best orthogonal map leaves, 1 − (Σσ)² with the singular values
// of aᵀb.
func disparity(a, b *mat.Dense) float64 {
	var product mat.Dense
	product.Mul(a.T(), b)
	var svd mat.SVD
	if !svd.Factorize(&product, mat.SVDNone) {
		panic("paper: a singular value decomposition did not converge")
	}
	sum := 0.0
	for _, s := range svd.Values(nil) {
		sum += s
	}
	return 1 - sum*sum
}

// abcSolutionsFigure shows an example of each of the largest classes.
func abcSolutionsFigure(runs []*abcRun, classes abcClasses) *figure.Figure {
	f := &figure.Figure{
		Title:  "Solutions of the tiny transformer",
		Desc:   "Planes with nine points and three arrows each: final residuals and unembedding vectors.",
		Panels: [][]figure.Panel{nil},
	}
	for k := range min(4, len(classes.size)) {
		r := runs[slices.Index(classes.of, k)]
		plane := figure.Plane{Title: fmt.Sprintf("class %d, seed %d", k+1, r.seed)}
		reach := 0.0
		for _, x := range r.residual {
			reach = max(reach, math.Abs(x))
		}
		u, longest := r.unembedding(), 0.0
		for _, v := range u {
			longest = max(longest, math.Hypot(v[0], v[1]))
		}
		for z, name := range []string{"A", "B", "C"} {
			var x, y []float64
			for i, token := range abcContexts {
				if int(token+1)%3 == z {
					x, y = append(x, r.residual[2*i]), append(y, r.residual[2*i+1])
				}
			}
			scale := reach / longest
			plane.Layers = append(plane.Layers,
				figure.Arrows{X: []float64{scale * u[z][0]}, Y: []float64{scale * u[z][1]}, Color: z + 1},
				figure.Points{Name: "then " + name, X: x, Y: y, Color: z + 1})
		}
		f.Panels[0] = append(f.Panels[0], plane)
	}
	return f
}
