package paper

import (
	"fmt"
	"strings"

	"foretell/figure"
	"foretell/probe"
	"foretell/process"
)

// deepConditions are the models of Fig. A5 and A6: four layers, with the heads of
// the one-layer models, which the paper does not state.
func deepConditions(p Profile) []condition {
	list := trainingConditions(p)
	for i := range list {
		list[i].Layers, list[i].training = 4, p.Deep
	}
	return list
}

// testLayers is M10: Fig. A5 and A6.
func testLayers(s *Study, c *Claim) error {
	table := Table{
		Title:   "held-out MSE and R² by stage, each geometry by a regression of its own",
		Columns: []string{"model", "stage", "MSE, constrained", "MSE, full", "random init, constrained", "random init, full", "R², constrained", "R², full", "as Fig. A6", "as Fig. A6 in the scale of Eq. 5"},
	}
	fit := &figure.Figure{
		Title: "Fit to both geometries by stage of a four-layer model",
		Desc:  "Four charts, one a process: MSE on a logarithmic scale at eight stages, constrained and full geometry, trained and random.",
	}
	var panels []figure.Panel
	var rows [][]float64
	var obtained []string
	all, ends := true, true
	stages, inScale := 0, 0
	for _, m := range s.of(deepConditions(s.Profile)) {
		scale, err := scaleOfEq5(m.hmm)
		if err != nil {
			return err
		}
		var wrong []string
		for i := range m.stages {
			st := &m.stages[i]
			ordered, scaled := st.inOrder(i == 0, 1), st.inOrder(i == 0, scale)
			if !ordered {
				wrong = append(wrong, stageName(i))
			}
			stages, inScale = stages+1, inScale+oneIf(scaled)
			all, ends = all && ordered, ends && (ordered || i > 0 && i < len(m.stages)-1)
			table.Rows = append(table.Rows, []string{
				m.String(), strings.ReplaceAll(stageName(i), " ", "\u00a0"), mse(st.constrained.Trained), mse(st.full.Trained), mse(st.constrained.Random), mse(st.full.Random),
				r2(st.constrained.Trained), r2(st.full.Trained), yesOrNo(ordered), yesOrNo(scaled),
			})
			rows = append(rows, []float64{
				m.x, m.a, float64(i / 2), float64(i % 2), st.constrained.Trained.HeldOut.MSE, st.full.Trained.HeldOut.MSE,
				st.constrained.Random.HeldOut.MSE, st.full.Random.HeldOut.MSE, st.constrained.Trained.HeldOut.R2, st.full.Trained.HeldOut.R2,
			})
		}
		verdict := "as Fig. A6 at every stage"
		if len(wrong) > 0 {
			verdict = "not as Fig. A6 at " + strings.Join(wrong, ", ")
		}
		obtained = append(obtained, fmt.Sprintf("%s (misses %.0f %% of what words tell): %s", m, 100*m.missed(), verdict))
		panels = append(panels, stageChart(m))
	}
	c.Tables, c.Setting, c.Obtained = append(c.Tables, table), s.Profile.describe(s.Profile.Deep), strings.Join(obtained, "; ")
	c.Obtained += fmt.Sprintf(". With the constrained geometry to the scale of Eq. 5, as Fig. A6 has it: %d of %d stages", inScale, stages)
	switch {
	case all:
		c.Verdict = Holds
	case ends:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"The order is that of absolute MSE, as the paper has it. The two geometries differ in spread, so that R², in the table, may order them otherwise, and so may the scale: "+
			"the constrained geometry is Eq. 26; drawn as Eq. 5 prints it (claim M3) its MSE is smaller by one factor for all stages, which the last column allows for. The rule is about Eq. 26.",
		"The paper states neither width nor heads of its four-layer models; here one head a layer for x = 0.15, two for x = 0.5.")
	fit.Panels = [][]figure.Panel{panels[:2], panels[2:]}
	err := s.addFigure(c, "stages", "From left to right along the residual stream: MSE of the regression to the constrained and to the full beliefs, after attention (mid) and after the MLP (post) of each layer. "+
		"Filled and solid: trained; open and dashed: the random initialisation.", fit)
	if err != nil {
		return err
	}
	if err := s.addLayers(c); err != nil {
		return err
	}
	return s.addCSV(c, "stages", []string{
		"x", "alpha", "layer", "post", "mse_constrained", "mse_full", "mse_constrained_random", "mse_full_random", "r2_constrained", "r2_full",
	}, rows)
}

// inOrder says whether a stage fits as Fig. A6 has it: the first the constrained
// geometry better, later ones the full one, and that one better than a random
// initialisation. The constrained geometry is Eq. 26 drawn to a scale.
func (st *stage) inOrder(first bool, scale float64) bool {
	constrained, full := scale*scale*st.constrained.Trained.HeldOut.MSE, st.full.Trained.HeldOut.MSE
	if first {
		return constrained < full && constrained < scale*scale*st.constrained.Random.HeldOut.MSE
	}
	return full < constrained && full < st.full.Random.HeldOut.MSE
}

// scaleOfEq5 is (Eq. 5 − π)/(Eq. 26 − π), one number for all words of Mess3 (claim
// M3).
func scaleOfEq5(h *process.HMM) (float64, error) {
	word := []int{0}
	five, err := h.ConstrainedEq5(word)
	if err != nil {
		return 0, err
	}
	source, err := h.Constrained(word)
	if err != nil {
		return 0, err
	}
	pi := h.Stationary()[0]
	return (five[0] - pi) / (source[0] - pi), nil
}

// addLayers draws Fig. A5: every stage through its regression to the full beliefs.
func (s *Study) addLayers(c *Claim) error {
	f := &figure.Figure{
		Title: "Every stage of a four-layer model, regressed to the full beliefs",
		Desc:  "Eight rows of four triangles: for each process the stages after attention and after the MLP of layers 0 to 3.",
		Cols:  []string{"layer 0", "layer 1", "layer 2", "layer 3"},
	}
	for _, m := range s.of(deepConditions(s.Profile)) {
		beliefs := cut(m.prefixes.Beliefs, 3)
		for after, name := range []string{"mid", "post"} {
			f.Rows = append(f.Rows, m.String()+", "+name)
			var row []figure.Panel
			for i := after; i < len(m.stages); i += 2 {
				row = append(row, figure.Simplex{P: cut(m.stages[i].full.regressed.Data, 3), Belief: beliefs})
			}
			f.Panels = append(f.Panels, row)
		}
	}
	return s.addFigure(c, "layers", "All panels show regressions to the full beliefs, whose colours they have, so that a stage which carries them shows the belief geometry. "+
		"The claim to look for: top left of each pair of rows, after the first attention, the best linear reading of the beliefs still has the shape of the constrained geometry.", f)
}

// stageName names a stage as Fig. A6 does.
func stageName(i int) string { return fmt.Sprintf("L%d %s", i/2, []string{"mid", "post"}[i%2]) }

// mse prints a regression's held-out MSE.
func mse(r *probe.Regression) string { return fmt.Sprintf("%.2e", r.HeldOut.MSE) }

func stageChart(m *subject) figure.Panel {
	chart := figure.Chart{Title: m.String(), X: figure.Axis{}, Y: figure.Axis{Label: "held-out MSE", Log: true}}
	constrained, full := figure.Series{Name: "constrained beliefs", Color: 3}, figure.Series{Name: "full beliefs", Color: 2}
	constrainedRandom, fullRandom := figure.Series{Name: "constrained, random initialisation", Color: 3, Open: true}, figure.Series{Name: "full, random initialisation", Color: 2, Open: true}
	for i := range m.stages {
		st := &m.stages[i]
		chart.X.Names = append(chart.X.Names, stageName(i))
		constrained.Y = append(constrained.Y, st.constrained.Trained.HeldOut.MSE)
		full.Y = append(full.Y, st.full.Trained.HeldOut.MSE)
		constrainedRandom.Y = append(constrainedRandom.Y, st.constrained.Random.HeldOut.MSE)
		fullRandom.Y = append(fullRandom.Y, st.full.Random.HeldOut.MSE)
	}
	for _, series := range []figure.Series{constrained, full, constrainedRandom, fullRandom} {
		series.X = counting(len(series.Y))
		chart.Series = append(chart.Series, series)
	}
	return chart
}

// counting returns 0, 1, 2 …, n numbers.
func counting(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
