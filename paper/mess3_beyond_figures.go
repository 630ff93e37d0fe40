package paper

import (
	"fmt"
	"slices"

	"foretell/figure"
	"foretell/probe"
)

// addBeyond draws the three processes of M15, each with fewer heads and with
// those that theory asks for.
func (s *Study) addBeyond(c *Claim, drawn [][2]beyondCell) error {
	if err := s.addBeyondBars(c, drawn); err != nil {
		return err
	}
	if err := s.addBeyondProfiles(c, drawn); err != nil {
		return err
	}
	f := &figure.Figure{
		Title: "The intermediate stage of three processes that are not Mess3",
		Desc:  "Three rows, one a process; columns: the constrained geometry, and the intermediate stage regressed to it, with fewer heads and with those that theory asks for.",
		Cols:  []string{"constrained beliefs (Eq. 26)", "one head fewer", "as theory asks"},
	}
	for _, cells := range drawn {
		m := cells[0].first
		f.Rows = append(f.Rows, m.name)
		row := []figure.Panel{geometryPanel(m, probe.Table{Width: m.prefixes.States, Data: m.prefixes.Constrained})}
		for _, cell := range cells {
			row = append(row, geometryPanel(cell.first, cell.first.mid().constrained.regressed))
		}
		f.Panels = append(f.Panels, row)
	}
	return s.addFigure(c, "geometry", "Words of up to 8 tokens, coloured by their beliefs. First column: the constrained beliefs; second and third: what a linear probe reads of them after attention. "+
		"The alternation has two states, and its first coordinate is plotted against the constrained belief itself: the better the probe, the nearer to the diagonal.", f)
}

// geometryPanel shows vectors over three states in their triangle, and over two
// states their first coordinate against the constrained belief's.
func geometryPanel(m *subject, vectors probe.Table) figure.Panel {
	p := m.prefixes
	if p.States == 3 {
		return figure.Simplex{P: cut(vectors.Data, 3), Belief: cut(p.Beliefs, 3)}
	}
	points := figure.Points{}
	for row := range p.Rows() {
		points.X, points.Y = append(points.X, p.ConstrainedBelief(row)[0]), append(points.Y, vectors.Row(row)[0])
		b := p.Belief(row)[0]
		points.Colors = append(points.Colors, figure.RGB(b, 0, 1-b))
	}
	return figure.Plane{X: "constrained", Y: "read", Layers: []figure.Layer{points}}
}

func (s *Study) addBeyondBars(c *Claim, drawn [][2]beyondCell) error {
	missed := figure.Bars{Y: figure.Axis{Label: "information missed"}}
	profiles := figure.Bars{Y: figure.Axis{Label: "error of the profiles"}, Refs: []figure.Ref{{Label: "rule", Value: 0.2}}}
	for i, name := range []string{"one head fewer", "as theory asks"} {
		a, b := figure.BarSeries{Name: name}, figure.BarSeries{Name: name}
		for _, cells := range drawn {
			a, b = withBar(a, cells[i].missed), withBar(b, cells[i].profiles)
		}
		missed.Series, profiles.Series = append(missed.Series, a), append(profiles.Series, b)
	}
	for _, cells := range drawn {
		name := fmt.Sprintf("%s: %d or %d", cells[0].first.name, cells[0].heads, cells[1].heads)
		missed.Groups, profiles.Groups = append(missed.Groups, name), append(profiles.Groups, name)
	}
	return s.addFigure(c, "bars", "Three processes, each with one head fewer than theory asks for and with that number. "+
		"Above: the share of the information in words that the model misses. Below: how far the heads' attention is from making the profiles λⁿ. Error bars: the range over seeds.",
		&figure.Figure{
			Title: "Heads fewer than theory asks for, and as many", Desc: "Two charts of bars: missed information and error of the attention profiles, three processes, two numbers of heads.",
			Panels: [][]figure.Panel{{missed}, {profiles}},
		})
}

// withBar adds a bar: the mean over seeds and their range.
func withBar(b figure.BarSeries, bySeed []float64) figure.BarSeries {
	b.Y, b.Lo, b.Hi = append(b.Y, mean(bySeed)), append(b.Lo, slices.Min(bySeed)), append(b.Hi, slices.Max(bySeed))
	return b
}

// withPoint adds a point: the mean over seeds and their range.
func withPoint(series figure.Series, x float64, bySeed []float64) figure.Series {
	series.X, series.Y = append(series.X, x), append(series.Y, mean(bySeed))
	series.Lo, series.Hi = append(series.Lo, slices.Min(bySeed)), append(series.Hi, slices.Max(bySeed))
	return series
}

func (s *Study) addBeyondProfiles(c *Claim, drawn [][2]beyondCell) error {
	series := [][2]string{{"heads", "wanted, λⁿ"}, {"heads, second profile", "wanted, second profile"}}
	f := &figure.Figure{
		Title: "What the constrained belief asks of attention, and what the heads make",
		Desc:  "Three rows, one a process; the profiles λⁿ against the lag n and the best combination of the heads, with fewer heads and with those that theory asks for.",
		Cols:  []string{"one head fewer", "as theory asks"},
	}
	for _, cells := range drawn {
		f.Rows = append(f.Rows, "λ = "+eigenvalues(cells[0].first.hmm))
		var row []figure.Panel
		for _, cell := range cells {
			fit, err := fitProfiles(cell.first, cell.first.patterns)
			if err != nil {
				return err
			}
			chart := figure.Chart{X: figure.Axis{Label: "lag n"}, Y: figure.Axis{Label: "profile", Include: []float64{0}}}
			for i := range fit.wanted {
				lag := counting(len(fit.wanted[i]) + 1)[1:]
				chart.Series = append(chart.Series,
					figure.Series{Name: series[i][0], X: lag, Y: fit.made[i], Color: i + 1},
					figure.Series{Name: series[i][1], X: lag, Y: fit.wanted[i], Color: i + 1, Open: true})
			}
			row = append(row, chart)
		}
		f.Panels = append(f.Panels, row)
	}
	return s.addFigure(c, "profiles", "Dashed: how the trace of a token has to change with the lag n, λⁿ; the second profile is the imaginary part of a complex λ, or the other eigenvalue. Solid: the combination of the heads' mean attention that comes nearest, "+
		"mean over sources. Models of the first seed.", f)
}
