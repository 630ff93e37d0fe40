package induction

import (
	"cmp"
	"slices"

	"foretell/document"
	"foretell/figure"
)

// alongChart returns a chart, still without series, of divergence against position.
func alongChart(title string) figure.Chart {
	return figure.Chart{
		Title: title, X: figure.Axis{Label: "position"},
		Y: figure.Axis{Label: "KL (nats)", Include: []float64{0}},
	}
}

// labelled is a curve along the sequence: its name in charts, its name in data files, and
// a number for each position.
type labelled struct {
	name, column string
	meaning      string // of the column; the name if empty
	color        int
	along        []float64
}

// from returns the curve as a series of a chart, from a position on.
func (c labelled) from(position int) figure.Series {
	s := figure.Series{Name: c.name, Color: c.color}
	for t := position - 1; t < len(c.along); t++ {
		s.Add(float64(t+1), c.along[t])
	}
	return s
}

// byPosition returns a frame with a row for each position and a column for each curve.
func byPosition(curves []labelled) document.Frame {
	f := document.Frame{Columns: []document.Column{{Name: "position"}}}
	for _, c := range curves {
		meaning := "divergence in nats: " + cmp.Or(c.meaning, c.name)
		f.Columns = append(f.Columns, document.Column{Name: c.column, Meaning: meaning})
	}
	for t := range curves[0].along {
		cells := []any{t + 1}
		for _, c := range curves {
			cells = append(cells, c.along[t])
		}
		f.Row(cells...)
	}
	return f
}

// shownPositions is the number of positions averaged into one point of a drawn curve,
// because curves over held-out sequences are noisy.
const shownPositions = 4

// band returns a series that draws the mean and the range over seeds. There is one curve
// along the sequence for each seed.
func band(name string, bySeed [][]float64, color int) figure.Series {
	s := figure.Series{Name: name, Color: color, Style: figure.BandedLine}
	for t := 0; t < len(bySeed[0]); t += shownPositions {
		end := min(t+shownPositions, len(bySeed[0]))
		var values []float64
		for _, along := range bySeed {
			sum := 0.0
			for _, x := range along[t:end] {
				sum += x / float64(end-t)
			}
			values = append(values, sum)
		}
		mean := 0.0
		for _, x := range values {
			mean += x / float64(len(values))
		}
		s.AddInterval(float64(t+end+1)/2, mean, slices.Min(values), slices.Max(values))
	}
	return s
}
