package mess3

import (
	"context"
	"fmt"
	"strings"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/process"
)

// layers is M10: Piotrowski et al. 2025, Fig. A5 and A6.
func (l *lab) layers() claim.Row {
	return claim.Row{
		ID: "M10", Source: cite + "Fig. A5 and A6",
		Statement: "In four layers the stage after the first attention fits the constrained beliefs better than the " +
			"full ones, and every later stage the full ones.",
		Expected: "in all four conditions, by held-out MSE: the constrained geometry below the full one at L0 mid, " +
			"above it at each later stage, and the better one below a random initialisation; differs if this is so " +
			"at L0 mid and at the last stage",
		Trainings: trained.Trainings(l.deepModels()),
		Test: claim.Steps[deepModels]{
			Measure: l.measureLayers, Judge: deepModels.judge, Tabulate: deepModels.tabulate, Draw: deepModels.draw,
		}.Test,
	}
}

// deepModels are the models of Fig. A5 and A6: four layers, with the heads of
// the one-layer models, which the paper does not state.
func (p profile) deepModels() []trained.Condition {
	list := p.mainModels()
	for i := range list {
		list[i].Layers, list[i].Settings, list[i].Curve = 4, p.deep, false
	}
	return list
}

// deepModels are several models of many layers.
type deepModels struct {
	setting string
	models  []deepModel
}

// deepModel is how the stages of one fit both geometries.
type deepModel struct {
	trained.Source
	missed float64     // share of what words tell
	scale  float64     // of Eq. 5, see scaleOfEq5
	stages []stageFits // along the residual stream
	shown  *subject
}

// stageFits are the fits of both geometries to a stage.
type stageFits struct{ constrained, full fitErrors }

func (l *lab) measureLayers(ctx context.Context, s *claim.Study) (deepModels, error) {
	found := deepModels{setting: l.describe(l.deep)}
	subjects, err := l.of(ctx, s, l.deepModels())
	for _, m := range subjects {
		scale, err := scaleOfEq5(m.HMM)
		if err != nil {
			return found, err
		}
		model := deepModel{Source: m.Source, missed: m.missed(), scale: scale, shown: m}
		for _, st := range m.stages {
			model.stages = append(model.stages, stageFits{
				fitErrors{st.constrained.trained, st.constrained.random}, fitErrors{st.full.trained, st.full.random},
			})
		}
		found.models = append(found.models, model)
	}
	return found, err
}

// scaleOfEq5 is (Eq. 5 − π)/(Eq. 26 − π), one number for all words of Mess3 (claim
// M3).
func scaleOfEq5(h *process.HMM) (float64, error) {
	word := []int32{0}
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

// inOrder says whether a stage fits as Fig. A6 has it: the first the constrained
// geometry better, later ones the full one, and that one better than a random
// initialisation. The constrained geometry is Eq. 26 drawn to a scale.
func (st stageFits) inOrder(first bool, scale float64) bool {
	constrained, full := scale*scale*st.constrained.trained.heldOut.MSE, st.full.trained.heldOut.MSE
	if first {
		return constrained < full && constrained < scale*scale*st.constrained.random.heldOut.MSE
	}
	return full < constrained && full < st.full.random.heldOut.MSE
}

// outOfOrder lists the stages that do not fit as Fig. A6 has it, with the constrained
// geometry to a scale.
func (m deepModel) outOfOrder(scale float64) (wrong []int) {
	for i, st := range m.stages {
		if !st.inOrder(i == 0, scale) {
			wrong = append(wrong, i)
		}
	}
	return wrong
}

func (m deepModels) judge() claim.Finding {
	all, ends, stages, inScale := true, true, 0, 0
	var obtained []string
	for _, d := range m.models {
		wrong, last := d.outOfOrder(1), len(d.stages)-1
		for _, i := range wrong {
			all, ends = false, ends && i > 0 && i < last
		}
		stages, inScale = stages+len(d.stages), inScale+len(d.stages)-len(d.outOfOrder(d.scale))
		obtained = append(obtained,
			fmt.Sprintf("%s (misses %.0f %% of what words tell): %s", d, 100*d.missed, notAsPrinted(wrong)))
	}
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: strings.Join(obtained, "; ") +
			fmt.Sprintf(". With the constrained geometry to the scale of Eq. 5, as Fig. A6 has it: %d of %d "+
				"stages", inScale, stages),
	}
	switch {
	case all:
		found.Verdict = claim.Holds
	case ends:
		found.Verdict = claim.Differs
	}
	return found
}

// notAsPrinted says which stages are not as Fig. A6 has them.
func notAsPrinted(wrong []int) string {
	if len(wrong) == 0 {
		return "as Fig. A6 at every stage"
	}
	names := make([]string, len(wrong))
	for i, stage := range wrong {
		names[i] = trained.StageName(stage)
	}
	return "not as Fig. A6 at " + strings.Join(names, ", ")
}

func (m deepModels) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "held-out MSE and R² by stage, each geometry by a regression of its own",
		Columns: []string{
			"model", "stage", "MSE, constrained", "MSE, full", "random init, constrained", "random init, full",
			"R², constrained", "R², full", "as Fig. A6", "as Fig. A6 in the scale of Eq. 5",
		},
	}
	for _, d := range m.models {
		for i, st := range d.stages {
			table.Rows = append(table.Rows, []string{
				d.String(), strings.ReplaceAll(trained.StageName(i), " ", "\u00a0"),
				mse(st.constrained.trained), mse(st.full.trained), mse(st.constrained.random), mse(st.full.random),
				r2(st.constrained.trained), r2(st.full.trained),
				yesOrNo(st.inOrder(i == 0, 1)), yesOrNo(st.inOrder(i == 0, d.scale)),
			})
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, layersNotes...)
}

var layersNotes = []string{
	"The order is that of absolute MSE, as the paper has it. The two geometries differ in spread, so that R², in the " +
		"table, may order them otherwise, and so may the scale: the constrained geometry is Eq. 26; drawn as Eq. 5 " +
		"prints it (claim M3) its MSE is smaller by one factor for all stages, which the last column allows for. The " +
		"rule is about Eq. 26.",
	"The paper states neither width nor heads of its four-layer models; here one head a layer for x = 0.15, two for " +
		"x = 0.5.",
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (m deepModels) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, d := range m.models {
		panels = append(panels, d.chart())
		rows = append(rows, d.rows()...)
	}
	out.Figure("stages", "From left to right along the residual stream: MSE of the regression to the constrained and "+
		"to the full beliefs, after attention (mid) and after the MLP (post) of each layer. Filled and solid: "+
		"trained; open and dashed: the random initialisation.",
		&figure.Figure{
			Title: "Fit to both geometries by stage of a four-layer model",
			Desc: "Four charts, one a process: MSE on a logarithmic scale at eight stages, constrained and full " +
				"geometry, trained and random.",
			Panels: [][]figure.Panel{panels[:2], panels[2:]},
		})
	m.drawStages(out)
	out.CSV("stages", []string{
		"x", "alpha", "layer", "post", "mse_constrained", "mse_full", "mse_constrained_random", "mse_full_random",
		"r2_constrained", "r2_full",
	}, rows)
}

// drawStages is Fig. A5: every stage through its regression to the full beliefs.
func (m deepModels) drawStages(out *claim.Output) {
	f := &figure.Figure{
		Title: "Every stage of a four-layer model, regressed to the full beliefs",
		Desc: "Eight rows of four triangles: for each process the stages after attention and after the MLP of " +
			"layers 0 to 3.",
		Cols: []string{"layer 0", "layer 1", "layer 2", "layer 3"},
	}
	for _, d := range m.models {
		for after, name := range []string{"mid", "post"} {
			f.Rows = append(f.Rows, d.String()+", "+name)
			var row []figure.Panel
			for i := after; i < len(d.stages); i += 2 {
				row = append(row, triangle(d.shown.stages[i].full.regressed.Data, d.shown.Prefixes))
			}
			f.Panels = append(f.Panels, row)
		}
	}
	out.Figure("layers", "All panels show regressions to the full beliefs, whose colours they have, so that a stage "+
		"which carries them shows the belief geometry. The claim to look for: top left of each pair of rows, after "+
		"the first attention, the best linear reading of the beliefs still has the shape of the constrained "+
		"geometry.", f)
}

// rows are the stages, for the file of data.
func (m deepModel) rows() (rows [][]float64) {
	for i, st := range m.stages {
		rows = append(rows, []float64{
			m.X, m.A, float64(i / 2), float64(i % 2),
			st.constrained.trained.heldOut.MSE, st.full.trained.heldOut.MSE,
			st.constrained.random.heldOut.MSE, st.full.random.heldOut.MSE,
			st.constrained.trained.heldOut.R2, st.full.trained.heldOut.R2,
		})
	}
	return rows
}

// chart shows the errors of both fits along the residual stream.
func (m deepModel) chart() figure.Panel {
	chart := figure.Chart{
		Title: m.String(), Y: figure.Axis{Label: "held-out MSE", Log: true},
		Series: []figure.Series{
			{Name: "constrained beliefs", Color: 3},
			{Name: "full beliefs", Color: 2},
			{Name: "constrained, random initialisation", Color: 3, Open: true},
			{Name: "full, random initialisation", Color: 2, Open: true},
		},
	}
	for i, st := range m.stages {
		chart.X.Names = append(chart.X.Names, trained.StageName(i))
		for j, s := range []scores{st.constrained.trained, st.full.trained, st.constrained.random, st.full.random} {
			series := &chart.Series[j]
			series.X, series.Y = append(series.X, float64(i)), append(series.Y, s.heldOut.MSE)
		}
	}
	return chart
}
