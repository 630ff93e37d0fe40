package inspect

import (
	"fmt"
	"strconv"

	"foretell/document"
	"foretell/figure"
)

// Looked is a [Look] with what is needed to show it.
type Looked struct {
	*Look
	Model string // the name under which the model was opened
}

// Forms returns the forms of the look: tables for a terminal, .svg, .csv with a row for
// each number, .json, and a page (.html) that names the command line.
func (l *Looked) Forms(command string) document.Forms {
	page := func() document.Document { return illustrated(l.figure(), l.text()) }
	return document.Answer{
		Text: l.text, Figure: document.Sure(l.figure), Page: document.Sure(page),
		Numbers: document.Sure(l.numbers), Value: l.Look,
	}.Forms(command)
}

// illustrated returns a page that begins with a figure.
func illustrated(f *figure.Figure, sections []document.Section) document.Document {
	first := document.Section{Figure: f, Caption: f.Desc}
	return document.Document{Title: f.Title, Sections: append([]document.Section{first}, sections...)}
}

// place returns a position as a column is named: its number and its token.
func (l *Looked) place(t int) string { return fmt.Sprintf("%d: %s", t, l.Names[l.Tokens[t]]) }

// text returns a row for each position with the KL at each stage, and a row for each head
// with what the last position attends to.
func (l *Looked) text() []document.Section {
	heading := []string{"position: token", "likeliest next", "KL"}
	for _, stage := range l.Lens {
		heading = append(heading, stage.Name)
	}
	var rows [][]string
	for t, p := range l.Look.Model {
		best := 0
		for z := range p {
			if p[z] > p[best] {
				best = z
			}
		}
		row := []string{l.place(t), l.Names[best], natsOrNone(l.KL[t])}
		for _, stage := range l.Lens {
			row = append(row, natsOrNone(stage.KL[t]))
		}
		rows = append(rows, row)
	}
	first := document.Section{Tables: []document.Table{document.Texts("KL by position", heading, rows...)}}
	if l.KL[0] != nil {
		first.Text = []string{"KL in nats from the optimal prediction after the position to the model's, and to what " +
			"the logit lens reads at each stage of the residual stream."}
	}
	if len(l.Patterns) == 0 {
		return []document.Section{first}
	}
	return []document.Section{first, l.attentionText()}
}

// attentionText returns a row for each head with the attention of the last position, to
// at most mostColumns positions, the latest.
func (l *Looked) attentionText() document.Section {
	last := len(l.Tokens) - 1
	from := max(0, last+1-mostColumns)
	heading := []string{"head"}
	for s := from; s <= last; s++ {
		heading = append(heading, l.place(s))
	}
	var rows [][]string
	for layer, heads := range l.Patterns {
		for h, pattern := range heads {
			row := []string{fmt.Sprintf("%d.%d", layer, h)}
			for _, x := range pattern[last][from:] {
				row = append(row, strconv.FormatFloat(x, 'f', 3, 64))
			}
			rows = append(rows, row)
		}
	}
	return document.Section{
		Text:   []string{"Attention of the last position:"},
		Tables: []document.Table{document.Texts("Attention of the last position", heading, rows...)},
	}
}

// natsOrNone formats a KL, or a dash if there is no optimum.
func natsOrNone(kl *float64) string {
	if kl == nil {
		return "–"
	}
	return nats(*kl)
}

// mostMaps is the largest number of heads that are drawn.
const mostMaps = 48

// figure draws the attention of each head, and the KL by position if it is known.
func (l *Looked) figure() *figure.Figure {
	var panels []figure.Panel
	if kl := l.klChart(); len(kl.Series) > 0 {
		panels = append(panels, kl)
	}
	drawn, all := 0, 0
	for layer, heads := range l.Patterns {
		for h, pattern := range heads {
			if all++; drawn == mostMaps {
				continue
			}
			drawn++
			m := figure.HeatMap{
				Title: fmt.Sprintf("head %d.%d", layer, h), Z: pattern, Lower: true, X: "attends to", Y: "position",
				Label: "attention", Range: [2]float64{0, 1},
			}
			for t := range l.Tokens {
				m.Rows = append(m.Rows, l.Names[l.Tokens[t]])
			}
			m.Cols = m.Rows
			panels = append(panels, m)
		}
	}
	desc := "The KL from the optimal prediction to the model's by position, and the attention of each head."
	if drawn < all {
		desc += fmt.Sprintf(" The first %d of %d heads.", drawn, all)
	}
	if len(panels) == 0 {
		panels = append(panels, l.likeliest())
	}
	return figure.Grid(min(3, len(panels)), l.Model+": along a sequence", desc, panels...)
}

// klChart draws the KL by position up to the first position that has no optimum.
func (l *Looked) klChart() figure.Chart {
	kl := figure.Axis{Label: "KL, nats", Include: []float64{0}}
	c := figure.Chart{X: figure.Axis{Label: "position, from 0"}, Y: kl}
	s := figure.Series{Name: "the model"}
	for t, kl := range l.KL {
		if kl != nil {
			s.Add(float64(t), *kl)
		}
	}
	if len(s.X) > 0 {
		c.Series = []figure.Series{s}
	}
	return c
}

// likeliest draws the probability of the likeliest next token by position.
func (l *Looked) likeliest() figure.Chart {
	s := figure.Series{Name: "the likeliest token"}
	for t, p := range l.Look.Model {
		most := 0.0
		for _, x := range p {
			most = max(most, x)
		}
		s.Add(float64(t), most)
	}
	return figure.Chart{
		X: figure.Axis{Label: "position, from 0"}, Y: figure.Axis{Label: "probability", Include: []float64{0, 1}},
		Series: []figure.Series{s},
	}
}

// numbers returns a row for each number. quantity is kl, lens_kl, likeliest or attention;
// name is the stage or the head.
func (l *Looked) numbers() document.Frame {
	f := document.Frame{Columns: document.Named("quantity", "name", "position", "token", "source", "value")}
	for t, z := range l.Tokens {
		f.Row("kl", "", t, l.Names[z], "", l.KL[t])
	}
	for _, stage := range l.Lens {
		for t, z := range l.Tokens {
			f.Row("lens_kl", stage.Stage, t, l.Names[z], "", stage.KL[t])
			f.Row("likeliest", stage.Stage, t, l.Names[z], "", stage.Likeliest[t])
		}
	}
	for layer, heads := range l.Patterns {
		for h, pattern := range heads {
			for t, row := range pattern {
				for s := range t + 1 {
					f.Row("attention", fmt.Sprintf("%d.%d", layer, h), t, l.Names[l.Tokens[t]], s, row[s])
				}
			}
		}
	}
	return f
}
