package abc

import (
	"fmt"
	"strings"

	"foretell/claim"
	"foretell/internal/plural"

	"gonum.org/v1/gonum/mat"
)

// apart is the disparity from which two solutions count as different.
const apart = 0.1

// classes are classes of solutions, the largest first. They are made by single linkage,
// so that two members of a class may be far from each other.
type classes struct {
	list []class
	of   []int // the class of each solution, from 0; −1 for one that did not learn the pattern

	sensitivity []string // to the disparity from which two solutions count as different
}

// class is one of them.
type class struct {
	seeds       []uint64
	left        int       // members whose unembedding turns left from A to B to C
	least, most int       // contexts that are right without attention
	disparities []float64 // of each two members, ascending
}

// classify sorts the solutions that reached the threshold into classes.
func classify(solutions []*solution) classes {
	c := classes{of: make([]int, len(solutions))}
	shapes := make([]*mat.Dense, len(solutions))
	for i, r := range solutions {
		c.of[i] = -1
		if r.steps > 0 {
			shapes[i] = r.shape()
		}
	}
	for k, members := range link(shapes, apart) {
		of := class{least: len(contexts), disparities: disparities(shapes, members)}
		for _, i := range members {
			c.of[i] = k
			of.add(solutions[i])
		}
		c.list = append(c.list, of)
	}
	c.sensitivity = sensitivity(shapes)
	return c
}

// add counts a member.
func (c *class) add(r *solution) {
	c.seeds = append(c.seeds, r.seed)
	c.least, c.most = min(c.least, r.ablated), max(c.most, r.ablated)
	if r.turnsLeft() {
		c.left++
	}
}

// sensitivity says how many classes there are, and seeds in the largest, by the disparity
// that makes two.
func sensitivity(shapes []*mat.Dense) (texts []string) {
	for _, bound := range []float64{0.02, 0.05, apart, 0.2, 0.3} {
		groups := link(shapes, bound)
		if len(groups) == 0 {
			break
		}
		texts = append(texts, fmt.Sprintf("%d and %d at %g", len(groups), len(groups[0]), bound))
	}
	return texts
}

// widest is the largest disparity of two members; 0 of a class of one.
func (c class) widest() float64 {
	if len(c.disparities) == 0 {
		return 0
	}
	return c.disparities[len(c.disparities)-1]
}

// widestText prints it.
func (c class) widestText() string {
	if len(c.disparities) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", c.widest())
}

// medianText prints the median disparity of two members.
func (c class) medianText() string {
	if len(c.disparities) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", median(c.disparities))
}

// turns says how many members turn which way.
func (c class) turns() string {
	var texts []string
	if c.left > 0 {
		texts = append(texts, fmt.Sprintf("left %d", c.left))
	}
	if right := len(c.seeds) - c.left; right > 0 {
		texts = append(texts, fmt.Sprintf("right %d", right))
	}
	return strings.Join(texts, " ")
}

// String says in words whether there is one solution.
func (c classes) String() string {
	if len(c.list) == 0 {
		return "none is learned"
	}
	largest, widest := c.list[0], 0.0
	for _, of := range c.list {
		widest = max(widest, of.widest())
	}
	if len(c.list) == 1 && widest < apart {
		return "all solutions are one up to rotation and reflection"
	}
	return fmt.Sprintf("the solutions are not one up to rotation: %s by single linkage, the largest a chain of %d "+
		"seeds whose members differ by up to %s",
		plural.Count(len(c.list), "group"), len(largest.seeds), largest.widestText())
}

func (c classes) table() claim.Table {
	table := claim.Table{
		Title: "classes of solutions, compared up to rotation and reflection",
		Columns: []string{
			"class", "seeds", "disparity of two members: median", "largest", "example", "turns from A to B to C",
			fmt.Sprintf("right without attention, of %d", len(contexts)),
		},
	}
	for k, of := range c.list {
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(k + 1), fmt.Sprint(len(of.seeds)), of.medianText(), of.widestText(),
			fmt.Sprintf("seed %d", of.seeds[0]), of.turns(), fmt.Sprintf("%d–%d", of.least, of.most),
		})
	}
	return table
}

// median is that of sorted numbers.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
