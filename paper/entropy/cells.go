package entropy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
)

// cell is one source at one length.
type cell struct {
	judged
	length, n int // the length's index, and the length
}

// cells returns all cells, source by source.
func (m measured) cells() (list []cell) {
	for _, j := range m.sources {
		for i, n := range m.lengths {
			list = append(list, cell{j, i, n})
		}
	}
	return list
}

func (c cell) String() string { return c.name + ", " + symbols(c.n) }

// symbols is a length in words.
func symbols(n int) string { return "n = " + numerals.Grouped(n) }

// errors returns an estimator's estimates minus the entropy rate, by seed.
func (c cell) errors(estimator int) []float64 { return c.judged.errors(c.length, estimator) }

// isBelow reports whether an estimator's mean is below the entropy rate by more than two
// standard errors and the half-width of the rate.
func (c cell) isBelow(estimator int) bool {
	errors := c.errors(estimator)
	return seeds.Mean(errors)+margin(errors) < -c.within
}

// rmse is the root of an estimator's mean squared error over seeds.
func (c cell) rmse(estimator int) float64 {
	sum := 0.0
	errors := c.errors(estimator)
	for _, e := range errors {
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(errors)))
}

// lowest returns the mean of a number over seeds in the cell where it is the lowest, as
// an effect, and that cell.
func lowest(what, unit string, cells []cell, values func(cell) []float64) (*claim.Effect, cell) {
	at := slices.MinFunc(cells, func(a, b cell) int {
		return cmp.Compare(seeds.Mean(values(a)), seeds.Mean(values(b)))
	})
	e := claim.Over(fmt.Sprintf("%s (%v)", what, at), unit, values(at))
	e.Seeds = 0 // a seed is a sequence, and no model is trained
	return e, at
}

// lowestError returns the lowest mean error of an estimator.
func lowestError(estimator int, cells []cell) *claim.Effect {
	e, _ := lowest("error of "+names[estimator], "nats", cells, func(c cell) []float64 { return c.errors(estimator) })
	return e
}

// sourceNames returns the sources' names in their order.
func (m measured) sourceNames() []string {
	list := make([]string, len(m.sources))
	for i, j := range m.sources {
		list[i] = j.name
	}
	return list
}

// frame returns a table whose rows begin with a source, as a number in files, and n.
func (m measured) frame(title string, columns ...document.Column) document.Frame {
	return document.Frame{Title: title, Columns: append([]document.Column{
		{Name: "source", Heading: "source", Codes: m.sourceNames()},
		{Name: "n", Heading: "n"},
	}, columns...)}
}

// panels returns a figure with a panel for each length, a line for each source, and a
// series with the mean and range over seeds for each estimator.
func (m measured) panels(title, desc, axis string, names []string, values func(c cell, series int) []float64,
) *figure.Figure {
	var panels []figure.Panel
	for i, n := range m.lengths {
		dots := figure.Dots{
			Title: symbols(n), X: figure.Axis{Label: axis, Include: []float64{0}}, Groups: m.sourceNames(),
			Refs: []figure.Ref{{Value: 0, Vertical: true}},
		}
		for k, name := range names {
			series := figure.DotSeries{Name: name, Color: k + 1}
			for _, j := range m.sources {
				series = seeds.Dot(series, values(cell{j, i, n}, k))
			}
			dots.Series = append(dots.Series, series)
		}
		panels = append(panels, dots)
	}
	return figure.Row(title, desc, panels...)
}

// counts is how many of n things are so.
type counts struct{ k, n int }

func (c *counts) add(so bool) {
	c.n++
	if so {
		c.k++
	}
}

func (c counts) plus(d counts) counts { return counts{c.k + d.k, c.n + d.n} }

// share is their share, or 0 if there are no things.
func (c counts) share() float64 { return float64(c.k) / float64(max(1, c.n)) }

func (c counts) String() string { return fmt.Sprintf("%d of %d", c.k, c.n) }

// all is the verdict on a claim about all things: it holds if it is so for all, fails if
// for none, and differs otherwise.
func (c counts) all() (claim.Verdict, claim.Reason) {
	switch c.k {
	case c.n:
		return claim.Holds, ""
	case 0:
		return claim.Fails, ""
	}
	return claim.Differs, claim.Conditions
}
