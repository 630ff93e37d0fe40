package mess3

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/process"
)

// layers is M10: Piotrowski et al. 2025, Fig. A5 and A6.
func (l *lab) layers() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M10", Kind: claim.Order, Trainings: trained.Trainings(l.deepModels()), Setting: l.describe(l.deep),
		RuleCommit: "9d8aa97", ChangedAfterResult: true,
		First: claim.FirstBy("a2b91ce", deepModels.first),
		Test: claim.Steps[deepModels]{
			Measure: l.measureLayers, Judge: deepModels.judge, Tabulate: deepModels.tabulate, Draw: deepModels.draw,
		}.Test,
	}, nil)
}

// deepModels returns the models of Fig. A5 and A6. They have four layers. The paper does
// not state their number of heads; here it is the same as in the one-layer models.
func (p profile) deepModels() []trained.Condition {
	list := p.mainModels()
	list = slices.DeleteFunc(list, func(c trained.Condition) bool { return !slices.Contains(p.processes, c.Source) })
	for i := range list {
		list[i].Layers, list[i].Settings, list[i].Curve = 4, p.deep, false
	}
	return list
}

// deepModels is the measurement of M10.
type deepModels struct {
	models []deepModel
	open   []trained.Source // processes for which the profile trains no models
}

// deepModel measures how well both geometries fit the stages of one model.
type deepModel struct {
	trained.Source
	scale  float64     // of Eq. 5 relative to Eq. 26; see scaleOfEq5
	stages []stageFits // along the residual stream
	shown  *subject

	unconverged string // why the model has not converged; empty if it has
}

// stageFits holds the fits of both geometries to a stage.
type stageFits struct{ constrained, full fitErrors }

func (l *lab) measureLayers(ctx context.Context, s *claim.Study) (deepModels, error) {
	var found deepModels
	for _, on := range sources {
		if !slices.Contains(l.processes, on) {
			found.open = append(found.open, on)
		}
	}
	subjects, err := l.of(ctx, s, l.deepModels())
	for _, m := range subjects {
		scale, err := scaleOfEq5(m.HMM)
		if err != nil {
			return found, err
		}
		model := deepModel{Source: m.Source, scale: scale, shown: m, unconverged: m.convergence.Reason}
		for _, st := range m.stages {
			model.stages = append(model.stages, stageFits{
				fitErrors{st.constrained.trained, st.constrained.random}, fitErrors{st.full.trained, st.full.random},
			})
		}
		found.models = append(found.models, model)
	}
	return found, err
}

// scaleOfEq5 returns (Eq. 5 − π)/(Eq. 26 − π), the same for all sequences of Mess3 (claim
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

// inOrder reports whether a stage is as in Fig. A6: the constrained geometry fits better
// at the first stage, the full one at later stages, and in both cases better than at
// random initialisation.
func (st stageFits) inOrder(first bool) bool {
	constrained, full := st.constrained.trained.heldOut.R2, st.full.trained.heldOut.R2
	if first {
		return constrained > full && constrained > st.constrained.random.heldOut.R2
	}
	return full > constrained && full > st.full.random.heldOut.R2
}

// inOrderOfMSE reports the same by absolute MSE, which depends on the scale of the
// constrained geometry: 1 for Eq. 26, [scaleOfEq5] for Eq. 5.
func (st stageFits) inOrderOfMSE(first bool, scale float64) bool {
	constrained, full := scale*scale*st.constrained.trained.heldOut.MSE, st.full.trained.heldOut.MSE
	if first {
		return constrained < full && constrained < scale*scale*st.constrained.random.heldOut.MSE
	}
	return full < constrained && full < st.full.random.heldOut.MSE
}

// outOfOrder lists the stages that are not as in Fig. A6, by the given comparison.
func (m deepModel) outOfOrder(inOrder func(st stageFits, first bool) bool) (wrong []int) {
	for i, st := range m.stages {
		if !inOrder(st, i == 0) {
			wrong = append(wrong, i)
		}
	}
	return wrong
}

// inScale reports whether a stage is as in Fig. A6 by absolute MSE in the scale of Eq. 5.
func (m deepModel) inScale(st stageFits, first bool) bool { return st.inOrderOfMSE(first, m.scale) }

// parts takes the list of stages that are out of order. It reports whether the first
// stage, the last stage, and all stages after the first are in order.
func (m deepModel) parts(wrong []int) (first, last, later bool) {
	first, last = !slices.Contains(wrong, 0), !slices.Contains(wrong, len(m.stages)-1)
	return first, last, len(wrong) == 0 || len(wrong) == 1 && !first
}

// condition returns the verdict on one model.
func (m deepModel) condition() claim.Condition {
	wrong, inScale := m.outOfOrder(stageFits.inOrder), m.outOfOrder(m.inScale)
	c := claim.Condition{
		Name: m.String(), Verdict: claim.Fails, Effect: m.effect(),
		Obtained: fmt.Sprintf("one model: by R² %s; by MSE in the scale of Eq. 5 %s",
			notAsPrinted(wrong), notAsPrinted(inScale)),
	}
	first, last, later := m.parts(wrong)
	scaledFirst, _, scaledLater := m.parts(inScale)
	switch {
	case first && later:
		c.Verdict = claim.Holds
	case (first || scaledFirst) && (later || scaledLater):
		c.Verdict, c.Reason = claim.Differs, claim.Convention
	case first && last:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c.Judged(m.unconverged)
}

// effect returns how much better the constrained geometry fits after the first attention.
func (m deepModel) effect() *claim.Effect {
	first := m.stages[0]
	e := claim.Exactly("R² after the first attention, constrained minus full beliefs", "",
		first.constrained.trained.heldOut.R2-first.full.trained.heldOut.R2).
		Against("random initialisation", first.constrained.random.heldOut.R2-first.full.random.heldOut.R2)
	e.Seeds = 1
	return e
}

func (m deepModels) judge() claim.Finding {
	return claim.NewFinding(append(claim.ConditionsOf(m.models, deepModel.condition), notTrained(m.open)...))
}

// notTrained returns open conditions for processes without models in the profile.
func notTrained(list []trained.Source) []claim.Condition {
	return claim.ConditionsOf(list, func(on trained.Source) claim.Condition {
		return claim.BySeed[deepModel]{Name: on.String()}.Judge(nil)
	})
}

// notAsPrinted lists the stages that differ from Fig. A6.
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

func (m deepModels) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.frame().Table()) }

// frame returns a row for each stage of each model.
func (m deepModels) frame() document.Frame {
	f := document.Frame{
		Title: "held-out MSE and R² by stage, each geometry by its own regression",
		Columns: slices.Concat(
			document.Headed("", "model", "stage"), document.Named("x", "alpha", "layer"),
			[]document.Column{{Name: "post", Codes: []string{"after attention (mid)", "after the MLP (post)"}}},
			document.Named("mse_constrained", "mse_full", "mse_constrained_random", "mse_full_random"),
			[]document.Column{
				{Name: "r2_constrained", Heading: "R², constrained", Format: "%.4f"},
				{Name: "r2_full", Heading: "R², full", Format: "%.4f"},
			},
			document.Headed("%.4f", "random init, constrained", "random init, full"),
			document.Headed("", "as Fig. A6 by R²"),
			document.Headed("%.2e", "MSE, constrained (Eq. 26)", "MSE, constrained (Eq. 5)", "MSE, full"),
			document.Headed("", "as Fig. A6 by MSE, Eq. 26", "by MSE, Eq. 5"),
		),
	}
	for _, d := range m.models {
		for i, st := range d.stages {
			constrained, full := st.constrained.trained.heldOut, st.full.trained.heldOut
			random, fullRandom := st.constrained.random.heldOut, st.full.random.heldOut
			f.Row(d, strings.ReplaceAll(trained.StageName(i), " ", "\u00a0"), d.X, d.A, i/2, i%2,
				constrained.MSE, full.MSE, random.MSE, fullRandom.MSE,
				constrained.R2, full.R2, random.R2, fullRandom.R2,
				yesOrNo(st.inOrder(i == 0)), constrained.MSE, d.scale*d.scale*constrained.MSE, full.MSE,
				yesOrNo(st.inOrderOfMSE(i == 0, 1)), yesOrNo(d.inScale(st, i == 0)))
		}
	}
	return f
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (m deepModels) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, d := range m.models {
		panels = append(panels, d.chart())
	}
	out.Figure("stages", figure.Grid(2, "Fit to both geometries by stage of a four-layer model",
		"One chart for each process: MSE on a logarithmic scale at eight stages, constrained and full "+
			"geometry, trained and random.", panels...))
	m.drawStages(out)
	out.CSV("stages", m.frame())
}

// drawStages draws Fig. A5: every stage through its regression to the full beliefs.
func (m deepModels) drawStages(out *claim.Output) {
	f := &figure.Figure{
		Title: "Every stage of a four-layer model, regressed to the full beliefs",
		Desc: "Two rows of four triangles for each process: the stages after attention and after the MLP in layers " +
			"0 to 3.",
		Cols: []string{"layer 0", "layer 1", "layer 2", "layer 3"},
	}
	for _, d := range m.models {
		for after, name := range []string{"resid_mid", "resid_post"} {
			f.Rows = append(f.Rows, d.String()+", "+name)
			var row []figure.Panel
			for i := after; i < len(d.stages); i += 2 {
				row = append(row, triangle(d.shown.stages[i].full.regressed.Data, d.shown.Prefixes))
			}
			f.Panels = append(f.Panels, row)
		}
	}
	out.Figure("layers", f)
}

// chart draws the errors of both fits along the residual stream.
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
			chart.Series[j].Add(float64(i), s.heldOut.MSE)
		}
	}
	return chart
}
