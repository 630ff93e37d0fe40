package mess3

import (
	"fmt"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m beyondProcesses) draw(out *claim.Output) {
	m.drawBars(out)
	m.drawProfiles(out)
	m.drawGeometry(out)
	out.CSV("beyond", []string{
		"process", "heads", "seed", "kl", "missed", "r2_constrained", "r2_constrained_random", "r2_full",
		"profile_error", "profile_error_random", "attention_spread",
	}, m.rows())
}

// headCells name the cells of a process.
var headCells = []string{"one head fewer", "as theory asks"}

// drawBars shows what models miss, and how far their heads are from the profiles.
func (m beyondProcesses) drawBars(out *claim.Output) {
	missed := figure.Bars{Y: figure.Axis{Label: "information missed"}}
	profiles := figure.Bars{Y: figure.Axis{Label: "error of the profiles"}}
	profiles.Refs = []figure.Ref{{Label: "rule", Value: profileError}}
	for i, name := range headCells {
		a, b := figure.BarSeries{Name: name}, figure.BarSeries{Name: name}
		for _, p := range m.processes {
			cell := p.cells()[i]
			a, b = seeds.Bar(a, cell.missed), seeds.Bar(b, cell.profiles)
		}
		missed.Series, profiles.Series = append(missed.Series, a), append(profiles.Series, b)
	}
	for _, p := range m.processes {
		name := fmt.Sprintf("%s: %d or %d", p, p.fewer.heads, p.asked.heads)
		missed.Groups, profiles.Groups = append(missed.Groups, name), append(profiles.Groups, name)
	}
	out.Figure("bars", "Three processes, each with one head fewer than theory asks for and with that number. Above: "+
		"the share of the information in words that the model misses. Below: how far the heads' attention is from "+
		"making the profiles λⁿ. Error bars: the range over seeds.",
		&figure.Figure{
			Title: "Heads fewer than theory asks for, and as many", Desc: "Two charts of bars: missed information " +
				"and error of the attention profiles, three processes, two numbers of heads.",
			Panels: [][]figure.Panel{{missed}, {profiles}},
		})
}

// drawProfiles shows the profiles and what the heads make of them.
func (m beyondProcesses) drawProfiles(out *claim.Output) {
	f := &figure.Figure{
		Title: "What the constrained belief asks of attention, and what the heads make",
		Desc: "Three rows, one a process; the profiles λⁿ against the lag n and the best combination of the heads, " +
			"with fewer heads and with those that theory asks for.",
		Cols: headCells,
	}
	for _, p := range m.processes {
		f.Rows = append(f.Rows, "λ = "+p.eigenvalues)
		f.Panels = append(f.Panels, []figure.Panel{p.fewer.fit.chart(), p.asked.fit.chart()})
	}
	out.Figure("profiles", "Dashed: how the trace of a token has to change with the lag n, λⁿ; the second profile is "+
		"the imaginary part of a complex λ, or the other eigenvalue. Solid: the combination of the heads' mean "+
		"attention that comes nearest, mean over sources. Models of the first seed.", f)
}

// chart shows each profile beside what the heads make of it.
func (f profileFit) chart() figure.Panel {
	names := [][2]string{{"heads", "wanted, λⁿ"}, {"heads, second profile", "wanted, second profile"}}
	chart := figure.Chart{X: figure.Axis{Label: "lag n"}, Y: figure.Axis{Label: "profile", Include: []float64{0}}}
	for i := range f.wanted {
		made := figure.Series{Name: names[i][0], Y: f.made[i], Color: i + 1}
		wanted := figure.Series{Name: names[i][1], Y: f.wanted[i], Color: i + 1, Open: true}
		for n := range f.wanted[i] {
			made.X, wanted.X = append(made.X, float64(n+1)), append(wanted.X, float64(n+1))
		}
		chart.Series = append(chart.Series, made, wanted)
	}
	return chart
}

// drawGeometry shows the intermediate stages beside the constrained beliefs.
func (m beyondProcesses) drawGeometry(out *claim.Output) {
	f := &figure.Figure{
		Title: "The intermediate stage of three processes that are not Mess3",
		Desc: "Three rows, one a process; columns: the constrained geometry, and the intermediate stage regressed " +
			"to it, with fewer heads and with those that theory asks for.",
		Cols: append([]string{"constrained beliefs (Eq. 26)"}, headCells...),
	}
	for _, p := range m.processes {
		f.Rows = append(f.Rows, p.String())
		row := []figure.Panel{p.fewer.shown.geometry(p.fewer.shown.Prefixes.Constrained)}
		for _, cell := range p.cells() {
			row = append(row, cell.shown.geometry(cell.shown.mid().constrained.regressed.Data))
		}
		f.Panels = append(f.Panels, row)
	}
	out.Figure("geometry", "Words of up to 8 tokens, coloured by their beliefs. First column: the constrained "+
		"beliefs; second and third: what a linear probe reads of them after attention. The alternation has two "+
		"states, and its first coordinate is plotted against the constrained belief itself: the better the probe, "+
		"the nearer to the diagonal.", f)
}

// geometry shows vectors over three states, (rows, states), in their triangle, and over
// two states their first coordinate against the constrained belief's.
func (s *subject) geometry(vectors []float64) figure.Panel {
	p := s.Prefixes
	if p.States == 3 {
		return triangle(vectors, p)
	}
	points := figure.Points{}
	for row := range p.Rows() {
		points.X, points.Y = append(points.X, p.ConstrainedBelief(row)[0]), append(points.Y, vectors[row*p.States])
		b := p.Belief(row)[0]
		points.Colors = append(points.Colors, figure.RGB(b, 0, 1-b))
	}
	return figure.Plane{X: "constrained", Y: "read", Layers: []figure.Layer{points}}
}

// rows are the models, for the file of data.
func (m beyondProcesses) rows() (rows [][]float64) {
	for i, p := range m.processes {
		for _, c := range p.cells() {
			for j, seed := range m.seeds {
				rows = append(rows, []float64{
					float64(i), float64(c.heads), float64(seed), c.kl[j], c.missed[j],
					c.constrained[j], c.random[j], c.full[j], c.profiles[j], c.profilesRandom[j], c.spread[j],
				})
			}
		}
	}
	return rows
}
