package signals

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

func (m solutions) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "the settings, and when each seed reaches 99 % of the ceiling",
		Columns: []string{
			"signal", "steps of 64 sequences", "learning rate", "weight of retrieval steps", "seed", "at the end",
			"99 % at step",
		},
	}
	for _, s := range m.signals {
		for i, l := range s.curves {
			t := s.solving(s.seeds[i]).Config.Train
			table.Rows = append(table.Rows, []string{
				s.title, fmt.Sprint(t.NumSteps), fmt.Sprint(t.LR), fmt.Sprint(max(1, t.EventWeight)),
				fmt.Sprint(s.seeds[i]), fmt.Sprintf("%.2f %%", 100*l.end), atStep(l.reaches(ofCeiling)),
			})
		}
	}
	c.Tables = append(c.Tables, table, m.circuits())
	c.Setting = "width 64, three layers of four heads (4, 8 and 4 for switching delay), 64 tokens, layer norm, " +
		"rotary positions, initial weights of standard deviation 0.02; a loss on every position, with the optimal " +
		"predictor's distribution as the target; Adam with a warm-up and a cosine schedule to 0"
}

func atStep(step float64) string {
	if step == 0 {
		return "–"
	}
	return fmt.Sprint(step)
}

// circuits returns a table of the head that attends most to each look, and of the step at
// which it appeared.
func (m solutions) circuits() document.Table {
	table := document.Table{
		Title: "where heads attend at the end of training, first seed",
		Columns: []string{
			"signal", "attends to", "strongest head", "attention", "before training", "appears at step",
			"half of the ceiling at step",
		},
	}
	for _, s := range m.signals {
		for i, l := range s.circuit.looks {
			h := s.circuit.strongest(i)
			table.Rows = append(table.Rows, []string{
				s.title, l.name, fmt.Sprintf("%d.%d", h.layer+1, h.head+1),
				fmt.Sprintf("%.2f", h.along[len(h.along)-1]), fmt.Sprintf("%.2f", h.along[0]),
				fmt.Sprint(h.appeared(s.circuit.steps)), atStep(s.curves[0].reaches(0.5)),
			})
		}
	}
	return table
}

func (m solutions) draw(out *claim.Output) {
	var panels, maps []figure.Panel
	var rows [][]float64
	for i, s := range m.signals {
		if len(s.curves) == 0 {
			continue
		}
		panels = append(panels, s.chart())
		maps = append(maps, s.pattern())
		for look := range s.circuit.looks {
			h := s.circuit.strongest(look)
			for k, x := range h.along {
				rows = append(rows, []float64{
					float64(i + 1), float64(look), float64(h.layer + 1), float64(h.head + 1), s.circuit.steps[k], x,
				})
			}
		}
	}
	if len(panels) == 0 {
		return
	}
	out.Figure("circuits", &figure.Figure{
		Title: "Which circuit appears when", Panels: inPairs(panels),
		Desc: "Accuracy rises when one head begins to attend to the token that the rule needs.",
	})
	out.Figure("maps", &figure.Figure{
		Title: "Attention maps", Panels: inPairs(maps),
		Desc: "Diagonals are fixed delays; columns are tokens that many positions attend to.",
	})
	out.CSV("circuits", document.Numbers([]string{"signal", "look", "layer", "head", "step", "attention"}, rows))
}

// inPairs arranges panels in two columns.
func inPairs(panels []figure.Panel) (rows [][]figure.Panel) {
	for pair := range slices.Chunk(panels, 2) {
		rows = append(rows, pair)
	}
	return rows
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
		Series: []figure.Series{{Name: "accuracy", X: s.curves[0].steps, Y: s.curves[0].share, Color: 1, Open: true}},
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
