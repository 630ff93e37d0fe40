package induction

import (
	"slices"

	"foretell/figure"
)

// alongChart returns a chart, still without series, of divergence against position.
func alongChart(title string) figure.Chart {
	return figure.Chart{
		Title: title, X: figure.Axis{Label: "position"},
		Y: figure.Axis{Label: "KL (nats)", Include: []float64{0}},
	}
}

// shownPositions is the number of positions averaged into one point of a drawn curve,
// because curves over held-out sequences are noisy.
const shownPositions = 4

// band returns a series that draws the mean and the range over seeds. There is one curve
// along the sequence for each seed.
func band(name string, bySeed [][]float64, color int) figure.Series {
	s := figure.Series{Name: name, Color: color, Band: true}
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
		s.X = append(s.X, float64(t+end+1)/2)
		s.Y = append(s.Y, mean)
		s.Lo = append(s.Lo, slices.Min(values))
		s.Hi = append(s.Hi, slices.Max(values))
	}
	return s
}
