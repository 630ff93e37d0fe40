package curves

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"foretell/figure"
	"foretell/run"
	"foretell/settings"
	"foretell/train"
)

// By returns a figure of the grid's result along its first setting: for each value of the
// second setting the mean with a band of one standard deviation, and a dot for each run.
// A mean of one run has no band. The horizontal axis has numbers if all values of the
// first setting are numbers, and is logarithmic if they span a factor of ten.
func (g *Grid) By() *figure.Figure {
	at, axis := g.positions()
	chart := figure.Chart{X: axis, Y: figure.Axis{Label: resultName(g.Result), Log: g.positive()}}
	for i, row := range g.Cells {
		dots := figure.Series{Style: figure.Scatter, Color: i%7 + 1, Radius: 1.8}
		line := figure.Series{Name: g.name(i), Style: figure.BandedLine, Color: dots.Color}
		for k, cell := range row {
			for _, value := range cell.Values {
				dots.Add(at[k], value)
			}
			if cell.Mean == nil {
				continue
			}
			sd := 0.0
			if cell.SD != nil {
				sd = *cell.SD
			}
			line.AddInterval(at[k], *cell.Mean, *cell.Mean-sd, *cell.Mean+sd)
		}
		if len(line.X) > 0 {
			chart.Series = append(chart.Series, line, dots)
		}
	}
	return &figure.Figure{
		Title: g.title(), Heading: g.title(), Desc: g.title() + ".", Notes: []string{g.caption()},
		Panels: [][]figure.Panel{{chart}}, Width: 420,
	}
}

// linesCaption explains the figure of [Grid.By].
const linesCaption = "The line is the mean of complete runs, the band one standard deviation, and each dot a run."

// name names a value of the second setting.
func (g *Grid) name(i int) string {
	if g.Y == "" {
		return ""
	}
	return settings.ShortPaths([]string{g.Y})[0] + " " + g.Ys[i]
}

// positive reports whether all results are positive, so that an axis can be logarithmic.
func (g *Grid) positive() bool {
	for _, row := range g.Cells {
		for _, cell := range row {
			if slices.ContainsFunc(cell.Values, func(x float64) bool { return x <= 0 }) {
				return false
			}
		}
	}
	return true
}

// positions returns the place of each value of the first setting on the horizontal axis.
func (g *Grid) positions() ([]float64, figure.Axis) {
	at := make([]float64, len(g.Xs))
	numbers := true
	for i, value := range g.Xs {
		x, err := strconv.ParseFloat(value, 64)
		numbers = numbers && err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
		at[i] = x
	}
	if !numbers {
		return figure.Numbers(0, len(at)), figure.Axis{Label: g.X, Names: g.Xs}
	}
	low, high := slices.Min(at), slices.Max(at)
	return at, figure.Axis{Label: g.X, Log: low > 0 && high >= 10*low}
}

// mostPanels is the largest number of panels of [Set.Multiples].
const mostPanels = 12

// Multiples returns a figure with a panel for each value of the grid's second setting,
// which shows the result of each run by step, in a colour for each value of the first
// setting. It returns nil if there are too many panels or runs to be read.
func (c *Set) Multiples(g *Grid) *figure.Figure {
	if len(g.Ys) > mostPanels || len(c.Runs) > mostPanels*mostCurves {
		return nil
	}
	f := &figure.Figure{Title: resultName(g.Result) + " by step", Width: Width}
	f.Desc = f.Title + ", a panel for each value of " + g.Y + "."
	log := true
	var panels []figure.Panel
	for i, value := range g.Ys {
		chart := figure.Chart{Title: g.name(i)}
		chart.X.Label, chart.Y.Label = "step", resultName(g.Result)
		named := map[string]bool{}
		for _, r := range c.Runs {
			if g.Y != "" && r.Setting(g.Y) != value {
				continue
			}
			s := curve(learning(r.Evaluations, train.Evaluation.NearChance), g.Result)
			if len(s.X) == 0 {
				continue
			}
			x := r.Setting(g.X)
			if s.Color = slices.Index(g.Xs, x)%7 + 1; !named[x] {
				s.Name = settings.ShortPaths([]string{g.X})[0] + " " + x
			}
			named[x] = true
			log = log && slices.Min(s.Y) > 0
			chart.Series = append(chart.Series, s)
		}
		if len(chart.Series) > 0 {
			panels = append(panels, chart)
		}
	}
	for i, p := range panels {
		chart := p.(figure.Chart)
		chart.Y.Log = log
		panels[i] = chart
	}
	for row := range slices.Chunk(panels, 2) {
		f.Panels = append(f.Panels, row)
	}
	if len(panels) == 0 {
		return nil
	}
	return f
}

// curve returns a result by step.
func curve(rows []run.Row, result string) (s figure.Series) {
	for _, row := range rows {
		if value, ok := resultOf(row, result); ok {
			s.X = append(s.X, float64(row.Step))
			s.Y = append(s.Y, value)
		}
	}
	return s
}

// CheckOver returns an error if the runs of the grid differ in a setting that is neither
// one of its two settings nor in over. The names in over are paths or their last parts.
func (c *Set) CheckOver(g *Grid, over []string) error {
	var paths []string
	for _, name := range over {
		path, err := c.settingPath(name)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	for _, path := range g.Over {
		if !slices.Contains(paths, path) {
			return fmt.Errorf("the runs also differ in %s; make it the second setting, or name it among those to average over",
				path)
		}
	}
	return nil
}
