package mess3

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
	"foretell/run"
)

// errorParts is the rule of M9: the error of each fit ends at one part in so many of that
// of the random initialisation, at most.
const errorParts = 100

// curveWords is the length of the longest words over which training curves are
// measured: a ninth of all words, which hold eight tenths of the weight.
const curveWords = 8

// trainingCurves is M9: Piotrowski et al. 2025, Fig. A3 and A4.
func (l *lab) trainingCurves() claim.Row {
	return claim.Row{
		ID: "M9", Source: cite + "Fig. A3 and A4",
		Statement: "Both fits, constrained at the intermediate and full at the final stage, improve in training and " +
			"end orders of magnitude below the random initialisation.",
		Expected: fmt.Sprintf("in all four conditions the held-out MSE of both fits ends at most %s of the random "+
			"initialisation's; differs if each ends below it",
			numerals.OneIn(errorParts)),
		Trainings: trained.Trainings(l.mainModels()),
		Test: claim.Steps[learnings]{
			Measure: l.measureTraining, Judge: learnings.judge, Tabulate: learnings.tabulate, Draw: learnings.draw,
		}.Test,
	}
}

// learnings are the trainings of several models.
type learnings struct {
	setting string
	models  []learning
}

// learning is how the fits of a model improve while it is trained.
type learning struct {
	trained.Source
	mid, final fitErrors // of the constrained beliefs after attention, of the beliefs at the end
	curve      []curvePoint
}

// fitErrors are those of a fit at the end of training and at its beginning, all words.
type fitErrors struct{ trained, random scores }

// ratio is how much of the error at the beginning is left.
func (e fitErrors) ratio() float64 { return e.trained.heldOut.MSE / e.random.heldOut.MSE }

// inSample is the same where probe and test see the same words.
func (e fitErrors) inSample() float64 { return e.trained.inSample.MSE / e.random.inSample.MSE }

// curvePoint is a model after a step of its training: held-out MSE of the
// constrained beliefs on the intermediate stage and of the full ones on the final.
type curvePoint struct {
	step       int
	mid, final float64
}

func (l *lab) measureTraining(ctx context.Context, s *claim.Study) (learnings, error) {
	found := learnings{setting: l.setting}
	subjects, err := l.of(ctx, s, l.mainModels())
	for _, m := range subjects {
		curve, err := m.trainingCurve(ctx, s)
		if err != nil {
			return found, err
		}
		mid, final := m.mid().constrained, m.final().full
		found.models = append(found.models, learning{
			m.Source, fitErrors{mid.trained, mid.random}, fitErrors{final.trained, final.random}, curve,
		})
	}
	return found, err
}

// trainingCurve measures the snapshots of a subject's run, from the beginning.
func (s *subject) trainingCurve(ctx context.Context, study *claim.Study) ([]curvePoint, error) {
	p := s.HMM.Prefixes(min(curveWords, s.Prefixes.Length))
	training := s.Training()
	var curve []curvePoint
	for _, step := range append([]int{0}, training.Snapshots...) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		snapshot, err := run.Snapshot(study.Dir(training), step)
		if err != nil {
			return nil, err
		}
		point, err := measurePoint(ctx, snapshot, s.hooks(), p, study.Workers)
		if err != nil {
			return nil, err
		}
		point.step = step
		curve = append(curve, point)
	}
	return curve, nil
}

// measurePoint measures a snapshot over words, at the first and the last of stages.
func measurePoint(
	ctx context.Context, m *model.Transformer[float32], hooks []string, p *process.Prefixes, workers int,
) (point curvePoint, err error) {
	last := len(hooks) - 1
	a, err := probe.Analyze(ctx, m, p, probe.Plan{
		Features: probe.Stages(hooks[0], hooks[last]), Targets: []probe.Target{probe.Constrained},
		Keep: true, Workers: workers,
	})
	if err != nil {
		return point, err
	}
	full, err := a.Under(probe.Ours, probe.Beliefs)
	if err != nil {
		return point, err
	}
	point.mid, point.final = a.Regress(0, 0).MSE, full.Regress(1, 0).MSE
	return point, nil
}

func (m learnings) judge() claim.Finding {
	worst, best := 0.0, 1.0
	for _, l := range m.models {
		worst, best = max(worst, l.mid.ratio(), l.final.ratio()), min(best, l.mid.ratio(), l.final.ratio())
	}
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("MSE at the end relative to the random initialisation: between 1/%.0f and "+
			"1/%.1f", 1/best, 1/worst),
	}
	switch {
	case worst <= 1./errorParts:
		found.Verdict = claim.Holds
	case worst < 1:
		found.Verdict = claim.Differs
	}
	return found
}

func (m learnings) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "held-out MSE at the end of training and of the random initialisation, all words",
		Columns: []string{
			"model", "intermediate → constrained beliefs", "random init", "ratio", "in sample",
			"final → beliefs", "random init", "ratio", "in sample",
		},
	}
	for _, l := range m.models {
		line := []string{l.String()}
		for _, e := range []fitErrors{l.mid, l.final} {
			line = append(line, mse(e.trained), mse(e.random))
			line = append(line, fmt.Sprintf("%.4f", e.ratio()), fmt.Sprintf("%.4f", e.inSample()))
		}
		table.Rows = append(table.Rows, line)
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, trainingNotes...)
}

var trainingNotes = []string{
	fmt.Sprintf("Curves are over words of up to %d tokens, bars and the table over all. MSE is held out by sequence; "+
		"the columns “in sample” hold the same ratio where probe and test see the same words.", curveWords),
	"The random initialisation is that of the same run; its activations are a rich image of the last tokens, so that " +
		"the baseline is low.",
	"Short words, which hold most of the weight, begin sequences on both sides of a fold: by sequence, held-out and " +
		"in-sample MSE hardly differ here. Table M2 has the stricter fits by word.",
}

func (m learnings) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, l := range m.models {
		panels = append(panels, l.chart())
		for _, point := range l.curve {
			rows = append(rows, []float64{l.X, l.A, float64(point.step), point.mid, point.final})
		}
	}
	out.Figure("curves", "MSE of the two fits, each relative to that at the random initialisation (the line at 1), "+
		"at steps that double, on logarithmic scales. The legend names the two: the constrained geometry after "+
		"attention, and the beliefs after the MLP.",
		&figure.Figure{
			Title: "Both fits during training",
			Desc: "Four charts, one a process: MSE relative to the random initialisation against the training " +
				"step, both on logarithmic scales.",
			Panels: [][]figure.Panel{panels[:2], panels[2:]},
		})
	out.Figure("ends", "Absolute MSE of the same fits over all words: filled, the trained model; open, its random "+
		"initialisation. Lower is better; the scale is logarithmic.",
		figure.Single("Fits at the end and at the beginning of training", "Bars on a logarithmic scale: four "+
			"conditions, two fits each, trained beside untrained.", m.bars()))
	out.CSV("curves", []string{"x", "alpha", "step", "mse_intermediate_constrained", "mse_final_beliefs"}, rows)
}

// chart shows the errors during training relative to those at its beginning, which is
// left out: it is 1.
func (l learning) chart() figure.Panel {
	chart := figure.Chart{
		Title: l.String(), X: figure.Axis{Label: "training step", Log: true},
		Y:    figure.Axis{Label: "MSE / initial MSE", Log: true},
		Refs: []figure.Ref{{Label: "start", Value: 1}},
	}
	mid := figure.Series{Name: "after attention → constrained beliefs"}
	final := figure.Series{Name: "after the MLP → beliefs"}
	for _, point := range l.curve[1:] {
		step := float64(point.step)
		mid.X, mid.Y = append(mid.X, step), append(mid.Y, point.mid/l.curve[0].mid)
		final.X, final.Y = append(final.X, step), append(final.Y, point.final/l.curve[0].final)
	}
	chart.Series = []figure.Series{mid, final}
	return chart
}

// bars shows the errors at the end of training beside those at its beginning.
func (m learnings) bars() figure.Bars {
	bars := figure.Bars{Y: figure.Axis{Label: "held-out MSE", Log: true}, Series: []figure.BarSeries{
		{Name: "after attention → constrained beliefs", Color: 1},
		{Name: "the same, random initialisation", Color: 1, Open: true},
		{Name: "after the MLP → beliefs", Color: 2},
		{Name: "the same, random initialisation", Color: 2, Open: true},
	}}
	for _, l := range m.models {
		bars.Groups = append(bars.Groups, l.String())
		for i, s := range []scores{l.mid.trained, l.mid.random, l.final.trained, l.final.random} {
			bars.Series[i].Y = append(bars.Series[i].Y, s.heldOut.MSE)
		}
	}
	return bars
}
