package inspect

import (
	"fmt"
	"slices"
	"strings"

	"foretell/figure"
	"foretell/token"
)

// mostPredicted is the largest number of tokens that are drawn.
const mostPredicted = 40

// drawn returns the tokens that are drawn, in the order of the alphabet: the tokens that
// a terminal shows, at most forty.
func (p *Predicted) drawn() []int {
	list := p.shown(p.Top)
	list = slices.Clone(list[:min(mostPredicted, len(list))])
	slices.Sort(list)
	return list
}

// figure draws the model's probability of each token and the optimal one, if known; of a
// large alphabet, the tokens that are printed, at most forty. For a signal it draws the
// probability of each value of the next sample along an axis in the signal's unit, with
// the mean and the values that hold 90 %.
func (p *Predicted) figure() *figure.Figure {
	panel, width := p.dots(), 270.0
	if p.Values != nil {
		panel, width = p.density(), 460
	}
	f := figure.Single(p.Model+": the next token", p.caption(), panel)
	if p.Values != nil {
		f.Title = p.Model + ": the next sample"
	}
	f.Heading, f.Notes, f.Width = f.Title, append([]string{p.after()}, p.forecasts()...), width
	n, drawn := len(p.Prediction.Model), len(p.drawn())
	switch {
	case p.Values != nil && n > len(p.Values):
		f.Notes = append(f.Notes, fmt.Sprintf("%d of the model's tokens have no value.", n-len(p.Values)))
	case p.Values == nil && n > drawn:
		f.Notes = append(f.Notes, fmt.Sprintf("The %d likeliest of %d tokens.", drawn, n))
	}
	switch {
	case p.Optimality != nil:
		f.Notes = append(f.Notes, p.divergence())
	case p.Impossible != nil:
		f.Notes = append(f.Notes, "Only the model's prediction is shown: "+p.Impossible.Error()+".")
	}
	return f
}

// dots draws the probabilities of tokens, with a row for each token.
func (p *Predicted) dots() figure.Panel {
	d := figure.Dots{
		X: figure.Axis{Label: "probability of the next token", Include: []float64{0}}, Label: "next token",
		Series: []figure.DotSeries{{Name: "the model"}},
	}
	if p.Optimality != nil {
		d.Series = append(d.Series, figure.DotSeries{Name: "the optimal prediction", Open: true})
	}
	for _, z := range p.drawn() {
		d.Groups = append(d.Groups, p.Names.Of(int32(z)))
		d.Series[0].X = append(d.Series[0].X, p.Prediction.Model[z])
		if p.Optimality != nil {
			d.Series[1].X = append(d.Series[1].X, *p.optimal(z))
		}
	}
	return d
}

// density draws the probabilities of a signal's levels as steps, each as wide as the
// interval that its level represents, and shades the levels that hold 90 % of the model's
// probability.
func (p *Predicted) density() figure.Panel {
	n := min(len(p.Values), len(p.Prediction.Model))
	levels, modelled := p.Values[:n], p.Prediction.Model[:n]
	c := figure.Chart{
		X: figure.Axis{Label: "next sample, in the signal's unit"},
		Y: figure.Axis{Label: "probability of each level", Include: []float64{0}}, Aspect: 0.5,
	}
	for i, run := range token.Likeliest(modelled, likelyShare) {
		shaded := steps(levels, modelled, run)
		shaded.Lo, shaded.Hi = make([]float64, len(shaded.X)), shaded.Y
		shaded.Style, shaded.Color = figure.Band, 1
		if i == 0 {
			shaded.Name = "fewest levels that hold 90 % of the model's probability"
		}
		c.Series = append(c.Series, shaded)
	}
	all := [2]int{0, n - 1}
	line := steps(levels, modelled, all)
	line.Name, line.Color, line.Style = "the model", 1, figure.Curve
	c.Series = append(c.Series, line)
	c.Refs = append(c.Refs, figure.Ref{Label: "model's mean", Value: p.Forecast.Mean, Vertical: true})
	if p.Optimality != nil {
		line := steps(levels, p.Optimal, all)
		line.Name, line.Color, line.Style, line.Open = "the optimal prediction", 2, figure.Curve, true
		c.Series = append(c.Series, line)
		c.Refs = append(c.Refs, figure.Ref{Label: "optimal mean", Value: p.OptimalForecast.Mean, Vertical: true})
	}
	return c
}

// steps returns the probabilities of a run of levels as the outline of a step function,
// which starts and ends at 0.
func steps(levels, probabilities []float64, run [2]int) figure.Series {
	first, _ := token.Interval(levels, [2]int{run[0], run[0]})
	s := figure.Series{X: []float64{first}, Y: []float64{0}}
	for z := run[0]; z <= run[1]; z++ {
		lo, hi := token.Interval(levels, [2]int{z, z})
		s.Add(lo, probabilities[z])
		s.Add(hi, probabilities[z])
	}
	s.Add(s.X[len(s.X)-1], 0)
	return s
}

// forecasts returns a sentence for each forecast of a signal, or nil if the process is
// not a signal.
func (p *Predicted) forecasts() (sentences []string) {
	for _, line := range p.summaries() {
		sentences = append(sentences, strings.ToUpper(line[:1])+line[1:]+".")
	}
	return sentences
}
