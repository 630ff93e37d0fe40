package describe

import (
	"context"
	"fmt"
	"slices"

	"foretell/figure"
	"foretell/process"
)

const (
	mostSequences = 64 // largest number of sequences in a picture
	mostWaves     = 6  // largest number of sequences of a signal drawn as lines
	mostClasses   = 7  // largest alphabet in which each token has its own colour
)

// figure draws a sample. A signal is drawn as values against time, with a line for each
// of a few sequences. One sequence of another process is drawn as tokens by position,
// with the optimal predictor's probability of each token; several sequences are drawn as
// a row each, with a colour for each token. It returns an error if there are too many
// sequences or tokens to draw.
func (s Sample) figure() (*figure.Figure, error) {
	if s.Number > mostSequences || s.Length > mostTokens {
		return nil, fmt.Errorf("%d sequences of %d tokens are too many for a picture, want at most %d of %d",
			s.Number, s.Length, mostSequences, mostTokens)
	}
	var rows [][]int32
	for tokens := range s.Sequences(context.Background()) {
		rows = append(rows, slices.Clone(tokens))
	}
	heading, note := fmt.Sprintf("%d sequences of %d tokens", s.Number, s.Length), fmt.Sprintf("Seed %d.", s.Seed)
	if s.Number == 1 {
		heading = fmt.Sprintf("a sequence of %d tokens", s.Length)
	}
	f := figure.Single(s.Process.Name()+": "+heading, "", nil)
	switch levels := process.LevelsOf(s.Process); {
	case levels != nil:
		f.Desc = "Each token is drawn as the value of the signal that it stands for."
		f.Panels[0][0] = waves(rows, levels)
		if s.Number == 1 {
			right, err := s.rightToken(rows[0])
			if err != nil {
				return nil, err
			}
			f.Panels = append(f.Panels, []figure.Panel{right})
		}
	case s.Number == 1:
		var err error
		if f, err = s.tokens(rows[0], []group{{"tokens", 1, func(int) bool { return true }}}); err != nil {
			return nil, err
		}
	default:
		f.Desc = "A row for each sequence, a colour for each token."
		f.Panels[0][0] = tokenMap(rows, s.Process.Tokens())
	}
	f.Width = pictureWidth
	s.head(f, heading, note)
	return f, nil
}

// waves draws sequences of a signal as lines, or many sequences as a heat map.
func waves(rows [][]int32, levels []float64) figure.Panel {
	if len(rows) > mostWaves {
		m := mapOf(rows, func(z int32) float64 { return levels[z] })
		m.Label = "signal"
		return m
	}
	chart := figure.Chart{X: figure.Axis{Label: "time, samples, from 0"}, Y: figure.Axis{Label: "signal"}, Aspect: 0.4}
	for i, row := range rows {
		line := figure.Series{Name: fmt.Sprintf("sequence %d", i), X: figure.Numbers(0, len(row))}
		if len(row) > drawnTokens {
			line.Style = figure.Curve
		}
		for _, z := range row {
			line.Y = append(line.Y, levels[z])
		}
		chart.Series = append(chart.Series, line)
	}
	return chart
}

// tokenMap draws sequences as rows of a heat map. Tokens of a small alphabet each have a
// colour, with names in the legend; tokens of a large one are coloured on a scale by
// number.
func tokenMap(rows [][]int32, names []string) figure.Panel {
	m := mapOf(rows, func(z int32) float64 { return float64(z) })
	if m.Label = "token"; len(names) <= mostClasses {
		for _, name := range names {
			m.Classes = append(m.Classes, "token "+name)
		}
	}
	return m
}

// mapOf returns a heat map of the values of tokens, with a row for each sequence.
func mapOf(rows [][]int32, value func(z int32) float64) figure.HeatMap {
	m := figure.HeatMap{X: "position, tokens, from 0", Y: "sequence, from 0"}
	for _, row := range rows {
		values := make([]float64, len(row))
		for t, z := range row {
			values[t] = value(z)
		}
		m.Z = append(m.Z, values)
	}
	return m
}
