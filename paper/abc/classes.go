package abc

import (
	"fmt"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/internal/text"
	"foretell/paper/internal/seeds"

	"gonum.org/v1/gonum/mat"
)

// apart is the threshold for different solutions: two solutions count as different if
// their Procrustes disparity is at least this large.
const apart = 0.1

// classes holds groups of similar solutions, the largest first. Groups are formed by
// single linkage, so two members of one group may still be very different.
type classes struct {
	list []class
	of   []int // for each solution, the index of its class in list; −1 if it did not learn the pattern

	sensitivity []string // for several thresholds, how many classes there are; see the function sensitivity
}

// class is one group of similar solutions.
type class struct {
	seeds       []int
	left        int       // members whose unembedding vectors A, B, C are in counterclockwise order
	least, most int       // fewest and most contexts that a member predicts correctly without attention
	disparities []float64 // one for each pair of members, ascending
}

// classify sorts the solutions that learned the pattern into classes.
func classify(models []claim.Seeded[*solution]) classes {
	c := classes{of: make([]int, len(models))}
	shapes := make([]*mat.Dense, len(models))
	for i, m := range models {
		c.of[i] = -1
		if m.Unconverged == "" {
			shapes[i] = m.Found.shape()
		}
	}
	for k, members := range link(shapes, apart) {
		of := class{least: len(contexts), disparities: disparities(shapes, members)}
		for _, i := range members {
			c.of[i] = k
			of.add(models[i])
		}
		c.list = append(c.list, of)
	}
	c.sensitivity = sensitivity(shapes)
	return c
}

// add makes a solution a member of the class.
func (c *class) add(m claim.Seeded[*solution]) {
	c.seeds = append(c.seeds, m.Seed)
	c.least, c.most = min(c.least, m.Found.ablated), max(c.most, m.Found.ablated)
	if m.Found.turnsLeft() {
		c.left++
	}
}

// sensitivity returns a text for each of several thresholds of the disparity: the number
// of classes, the number of seeds in the largest class, and the threshold.
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

// widest returns the largest disparity between two members, 0 for a class of one.
func (c class) widest() float64 {
	if len(c.disparities) == 0 {
		return 0
	}
	return c.disparities[len(c.disparities)-1]
}

// widestText formats widest, or a dash for a class of one.
func (c class) widestText() string {
	if len(c.disparities) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", c.widest())
}

// turns formats how many members have the unembedding vectors A, B and C in
// counterclockwise order (“left”) and in clockwise order (“right”).
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

// String summarises how many different solutions there are.
func (c classes) String() string {
	if len(c.list) == 0 {
		return "no seed learns the pattern"
	}
	largest, widest := c.list[0], 0.0
	for _, of := range c.list {
		widest = max(widest, of.widest())
	}
	if len(c.list) == 1 && widest < apart {
		return "all solutions are the same up to rotation and reflection"
	}
	return fmt.Sprintf("the solutions are not the same up to rotation: %s by single linkage; the largest has %s, "+
		"with disparities of up to %s",
		text.Count(len(c.list), "group"), text.Count(len(largest.seeds), "seed"), largest.widestText())
}

func (c classes) frame() document.Frame {
	f := document.Frame{
		Title: "classes of solutions, compared up to rotation and reflection",
		Columns: []document.Column{
			{Heading: "class"},
			{Heading: "seeds"},
			{Heading: "disparity between members: median", Format: "%.2f"},
			{Heading: "largest", Format: "%.2f"},
			{Heading: "example"},
			{Heading: "turns from A to B to C"},
			{Heading: fmt.Sprintf("correct without attention, of %d", len(contexts))},
		},
	}
	for k, of := range c.list {
		var middle, widest any = "–", "–"
		if len(of.disparities) > 0 {
			middle, widest = seeds.Median(of.disparities), of.widest()
		}
		f.Row(k+1, len(of.seeds), middle, widest, fmt.Sprintf("seed %d", of.seeds[0]), of.turns(),
			fmt.Sprintf("%d–%d", of.least, of.most))
	}
	return f
}
