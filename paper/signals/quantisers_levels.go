package signals

import (
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/token"
)

const (
	// codecLevels is the number of levels of 8 bits, as in telephony.
	codecLevels = 256
	// lowestLevel is the least level of the sweep in dB, and levelStep the step.
	lowestLevel, levelStep = -60, 2
	// The levels in dB between which a compander is to keep its ratio of signal to noise,
	// and the most by which it may change there, in dB.
	keepsFrom, keepsTo, keepsWithin = -40, -20, 6
)

// levelCurves holds the ratios of signal to noise of quantisers with 256 levels between
// −1 and 1, on samples of one density at different levels.
type levelCurves struct {
	density string
	curves  []levelCurve
}

// levelCurve holds a quantiser's ratios of signal to noise in dB, in the order of
// [sweptLevels].
type levelCurve struct {
	law   string
	ratio []float64
}

// sweptLevels returns the levels in dB: 20·log₁₀ of the standard deviation, where the
// quantisers clip at 1.
func sweptLevels() (list []float64) {
	for level := lowestLevel; level <= 0; level += levelStep {
		list = append(list, float64(level))
	}
	return list
}

// measureLevels integrates the distortions of the uniform quantiser, µ-law and A-law.
func measureLevels() (list []levelCurves, err error) {
	uniform, err := token.NewUniform(-1, 1, codecLevels)
	if err != nil {
		return nil, err
	}
	mu, err := token.NewCompanded(token.MuLaw(255), 1, codecLevels)
	if err != nil {
		return nil, err
	}
	a, err := token.NewCompanded(token.ALaw(87.6), 1, codecLevels)
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		name    string
		density func(mean, deviation float64) *token.Density
	}{{"normal", token.Normal}, {"Laplace", token.Laplace}} {
		c := levelCurves{density: of.name, curves: []levelCurve{{law: uniformCoder}, {law: "µ-law"}, {law: aLawCoder}}}
		for _, level := range sweptLevels() {
			deviation := math.Pow(10, level/20)
			d := of.density(0, deviation)
			for i, q := range []token.Staircase{uniform, mu, a} {
				c.curves[i].ratio = append(c.curves[i].ratio, decibel(deviation*deviation/d.Distortion(q)))
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// at returns the ratio at a level.
func (c levelCurve) at(level float64) float64 {
	for i, l := range sweptLevels() {
		if l == level {
			return c.ratio[i]
		}
	}
	return math.NaN()
}

// keeps answers the question of whether companders keep their ratio of signal to noise
// over a range of levels in which the uniform quantiser's falls with the level.
func (m quantised) keeps() claim.Question {
	most, least := 0.0, math.Inf(1)
	for _, d := range m.levels {
		for _, c := range d.curves {
			change := math.Abs(c.at(keepsTo) - c.at(keepsFrom))
			if c.law == uniformCoder {
				least = min(least, change)
			} else {
				most = max(most, change)
			}
		}
	}
	return claim.Question{
		Question: fmt.Sprintf("With 8 bits, does the ratio of signal to noise of µ-law and A-law change by at most %d "+
			"dB from a level of %d dB to one of %d dB, and the uniform quantiser's by more? (The laboratory's own "+
			"question)", keepsWithin, keepsFrom, keepsTo),
		Answer:   claim.AnswerIf(most <= keepsWithin && least > keepsWithin),
		Obtained: fmt.Sprintf("by at most %.1f dB, and the uniform quantiser's by at least %.1f dB", most, least),
	}
}

// levelTable returns the ratios, with one row for each level.
func (m quantised) levelTable() document.Frame {
	f := document.Frame{
		Title: "signal to noise in dB, 8 bits, by the level of the signal in dB",
		Columns: []document.Column{{
			Name: "level", Heading: "level",
			Meaning: "20·log₁₀ of the standard deviation, where samples are clipped at 1",
		}},
	}
	for _, d := range m.levels {
		for _, c := range d.curves {
			f.Columns = append(f.Columns, document.Column{
				Name: d.density + "_" + lawNames[c.law], Heading: d.density + ", " + c.law, Format: "%.1f",
				Meaning: "signal to noise in dB, " + d.density + " density, " + c.law,
			})
		}
	}
	for i, level := range sweptLevels() {
		cells := []any{level}
		for _, d := range m.levels {
			for _, c := range d.curves {
				cells = append(cells, c.ratio[i])
			}
		}
		f.Row(cells...)
	}
	return f
}

// lawNames are the names of the quantisers in data files.
var lawNames = map[string]string{uniformCoder: "uniform", "µ-law": "mu_law", aLawCoder: "a_law"}

// levelFigure returns a figure of the ratios by level.
func (m quantised) levelFigure() *figure.Figure {
	var panels []figure.Panel
	for _, d := range m.levels {
		chart := figure.Chart{
			Title: d.density + " density", X: figure.Axis{Label: "level, dB"},
			Y: figure.Axis{Label: "signal to noise, dB", Include: []float64{-10, 40}},
		}
		for i, c := range d.curves {
			chart.Series = append(chart.Series, figure.Series{
				Name: c.law, X: sweptLevels(), Y: c.ratio, Color: i + 1, Open: c.law == aLawCoder,
			})
		}
		panels = append(panels, chart)
	}
	return figure.Row("Eight bits by level", "The uniform quantiser's curve rises as a straight line. The "+
		"companders' curves are flat over 20 dB and more. All fall at high levels, where samples are clipped.",
		panels...)
}
