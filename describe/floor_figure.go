package describe

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/figure"
)

// mostCounted is the largest number of positions for which each has a label on the axis.
const mostCounted = 16

// Figure draws the floor by position, with lines at chance and at the entropy rate. It
// shades the area between floor and chance, which is what can be learned. The heading and
// the notes have the name and the parameters of the process.
func (f *Floors) Figure() *figure.Figure {
	n := len(f.Floor)
	x, lo, hi := figure.Numbers(1, n), make([]float64, n), make([]float64, n)
	axis := figure.Axis{Label: "position of the token to be predicted, from 1"}
	if n <= mostCounted {
		x = figure.Numbers(0, n)
		for t := range n {
			axis.Names = append(axis.Names, strconv.Itoa(t+1))
		}
	}
	for t, h := range f.Floor {
		lo[t], hi[t] = min(h, f.Chance), max(h, f.Chance)
	}
	rate := "entropy rate " + short(f.EntropyRate)
	if f.roughRate() {
		rate += fmt.Sprintf(" ± %.1g", f.EntropyRateError)
	}
	k := f.ExactPositions
	chart := figure.Chart{
		X: axis, Y: figure.Axis{Label: "loss, nats per token"},
		Series: []figure.Series{
			{
				Name: "what can be learned: chance − floor", X: x, Y: f.Floor, Lo: lo, Hi: hi,
				Style: figure.Band, Color: figure.Grey,
			},
			{Name: "floor, the lowest possible loss", X: x[:k], Y: f.Floor[:k], Color: 1},
		},
		Refs: []figure.Ref{
			{Label: f.chanceName() + short(f.Chance), Value: f.Chance}, {Label: rate, Value: f.EntropyRate},
		},
		Aspect: 0.55,
	}
	if !f.FloorExact {
		chart.Series = append(chart.Series, f.estimated(x))
	}
	if f.roughRate() {
		chart.Series = append(chart.Series, f.rateBand(x))
	}
	drawn := figure.Single(f.Process+": the lowest possible loss by position",
		fmt.Sprintf("The floor at %d positions, which approaches the entropy rate, and chance, the loss of "+
			"the best constant guess.", n), chart)
	drawn.Width = 520
	notes := []string{"No predictor has a lower loss than the floor. Chance is the loss of the best constant guess" +
		f.ChanceOf + "."}
	for _, more := range []string{f.EstimateNote(), f.AboveChance(), f.memorisedNote()} {
		if more != "" {
			notes = append(notes, more)
		}
	}
	f.of.head(drawn, "the lowest possible loss at each position", strings.Join(notes, " "))
	return drawn
}

// chanceName returns the beginning of the label of the line at chance. It names the
// positions if chance depends on them.
func (f *Floors) chanceName() string {
	if f.ChanceOf == "" {
		return "chance "
	}
	return fmt.Sprintf("chance at 1 … %d: ", len(f.Floor))
}

// roughRate reports whether the error of the entropy rate is too large for the three
// decimals of its label.
func (f *Floors) roughRate() bool { return f.EntropyRateError > 5e-4 }

// rateBand returns a band that shows the uncertainty of the entropy rate. x has the
// horizontal coordinates of the positions.
func (f *Floors) rateBand(x []float64) figure.Series {
	ends := []float64{x[0], x[len(x)-1]}
	at := func(rate float64) []float64 { return []float64{rate, rate} }
	return figure.Series{
		Name: "uncertainty of the entropy rate", X: ends, Y: at(f.EntropyRate),
		Lo: at(f.EntropyRate - f.EntropyRateError), Hi: at(f.EntropyRate + f.EntropyRateError),
		Style: figure.Band, Color: 5,
	}
}

// estimated returns the curve of the estimated part of the floor, with its errors. x has
// the horizontal coordinates of all positions.
func (f *Floors) estimated(x []float64) figure.Series {
	k := f.ExactPositions
	line := figure.Series{Name: "estimated, ± two standard errors", Color: 1, Open: true}
	for t := k; t < len(f.Floor); t++ {
		line.AddInterval(x[t], f.Floor[t], f.Floor[t]-f.FloorError[t], f.Floor[t]+f.FloorError[t])
	}
	return line
}

// exact formats a number so that parsing the text returns the same number.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
