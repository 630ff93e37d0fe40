package signals

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

func (m solutions) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "the settings, and when each seed reaches 99 % of the ceiling",
		Columns: slices.Concat(
			document.Headed("", "signal", "steps of 64 sequences", "learning rate", "weight of retrieval steps",
				"seed"),
			document.Headed("%.2f %%", "at the end"), document.Headed("", "99 % at step")),
	}
	for _, s := range m.signals {
		for _, m := range s.models.Models {
			t := s.solving(uint64(m.Seed)).Config.Train
			f.Row(s.title, t.NumSteps, t.LR, max(1, t.EventWeight), m.Seed, m.Found.end,
				atStep(m.Found.reaches(ofCeiling)))
		}
	}
	c.Tables = append(c.Tables, f.Table(), m.circuits().Table())
}

// atStep returns a step as a cell of a table; 0 stands for no step.
func atStep(step float64) any {
	if step == 0 {
		return "–"
	}
	return step
}

// circuits returns the head that attends most to each look, and the step at which it
// appeared.
func (m solutions) circuits() document.Frame {
	f := document.Frame{
		Title: "where heads attend at the end of training, first seed",
		Columns: slices.Concat(
			document.Headed("%.2f", "signal", "attends to", "strongest head", "attention", "before training"),
			document.Headed("", "appears at step", "half of the ceiling at step")),
	}
	for _, s := range m.signals {
		for i, l := range s.circuit.looks {
			h := s.circuit.strongest(i)
			f.Row(s.title, l.name, fmt.Sprintf("%d.%d", h.layer+1, h.head+1), h.along[len(h.along)-1], h.along[0],
				h.appeared(s.circuit.steps), atStep(s.first().reaches(0.5)))
		}
	}
	return f
}

func (m solutions) draw(out *claim.Output) {
	var panels, maps []figure.Panel
	attention := document.Frame{Columns: document.Named("signal", "look", "layer", "head", "step", "attention")}
	for i, s := range m.signals {
		if len(s.models.Models) == 0 {
			continue
		}
		panels = append(panels, s.chart())
		maps = append(maps, s.pattern())
		for look := range s.circuit.looks {
			h := s.circuit.strongest(look)
			for k, x := range h.along {
				attention.Row(i+1, look, h.layer+1, h.head+1, s.circuit.steps[k], x)
			}
		}
	}
	if len(panels) == 0 {
		return
	}
	out.Figure("circuits", figure.Grid(2, "Which circuit appears when",
		"Accuracy rises when one head begins to attend to the token that the rule needs.", panels...))
	out.Figure("maps", figure.Grid(2, "Attention maps",
		"Diagonals are fixed delays; columns are tokens that many positions attend to.", maps...))
	out.CSV("circuits", attention)
}

// pattern draws the attention pattern of the head that attends most to the first look.
func (s solution) pattern() figure.HeatMap {
	h := s.circuit.strongest(0)
	return figure.HeatMap{
		Title: fmt.Sprintf("%s: %s, %d.%d", s.title[:1], s.circuit.looks[0].name, h.layer+1, h.head+1),
		Z:     s.circuit.pattern, Lower: true, X: "source", Y: "destination",
		Label: "attention", Range: [2]float64{0, 1},
	}
}

// chart draws the accuracy of the first seed and the attention of the strongest heads.
func (s solution) chart() figure.Chart {
	c := figure.Chart{
		Title: s.title,
		X:     figure.Axis{Label: "step"}, Y: figure.Axis{Label: "share", Include: []float64{0, 1}},
		Series: []figure.Series{{Name: "accuracy", X: s.first().steps, Y: s.first().share, Color: 1, Open: true}},
	}
	for i, l := range s.circuit.looks[:drawnLooks[s.signal]] {
		h := s.circuit.strongest(i)
		c.Series = append(c.Series, figure.Series{
			Name: fmt.Sprintf("%s: %s, %d.%d", s.title[:1], l.name, h.layer+1, h.head+1),
			X:    s.circuit.steps, Y: h.along, Color: i + 2,
		})
	}
	return c
}
