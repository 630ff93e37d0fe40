package paper

import (
	"fmt"

	"foretell/figure"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/run"
)

// curveWords is the length of the longest words over which training curves are
// measured: a ninth of all words, which hold eight tenths of the weight.
const curveWords = 8

// curvePoint is a model after a step of its training: held-out MSE of the
// constrained beliefs on the intermediate stage and of the full ones on the final.
type curvePoint struct {
	step       int
	mid, final float64
}

// trainingConditions are the models of M2 with the first normalisation.
func trainingConditions(p Profile) []condition {
	p.Norms = p.Norms[:1]
	return mess3Conditions(p)
}

// testTraining is M9: Fig. A3 and A4.
func testTraining(s *Study, c *Claim) error {
	table := Table{
		Title: "held-out MSE at the end of training and of the random initialisation, all words",
		Columns: []string{
			"model", "intermediate → constrained beliefs", "random init", "ratio", "in sample", "final → beliefs", "random init", "ratio", "in sample",
		},
	}
	curves := &figure.Figure{
		Title: "Both fits during training",
		Desc:  "Four charts, one a process: MSE relative to the random initialisation against the training step, both on logarithmic scales.",
	}
	bars := figure.Bars{Y: figure.Axis{Label: "held-out MSE", Log: true}, Series: []figure.BarSeries{
		{Name: "after attention → constrained beliefs", Color: 1},
		{Name: "the same, random initialisation", Color: 1, Open: true},
		{Name: "after the MLP → beliefs", Color: 2},
		{Name: "the same, random initialisation", Color: 2, Open: true},
	}}
	var panels []figure.Panel
	var rows [][]float64
	worst, best := 0.0, 1.0
	for _, m := range s.of(trainingConditions(s.Profile)) {
		mid, final := m.mid().constrained, m.final().full
		line := []string{m.String()}
		for i, f := range []fits{mid, final} {
			trained, random := f.Trained.HeldOut.MSE, f.Random.HeldOut.MSE
			worst, best = max(worst, trained/random), min(best, trained/random)
			line = append(line, fmt.Sprintf("%.2e", trained), fmt.Sprintf("%.2e", random), fmt.Sprintf("%.4f", trained/random),
				fmt.Sprintf("%.4f", f.Trained.InSample.MSE/f.Random.InSample.MSE))
			bars.Series[2*i].Y = append(bars.Series[2*i].Y, trained)
			bars.Series[2*i+1].Y = append(bars.Series[2*i+1].Y, random)
		}
		table.Rows = append(table.Rows, line)
		bars.Groups = append(bars.Groups, m.String())
		curve, err := s.trainingCurve(m)
		if err != nil {
			return err
		}
		panels = append(panels, curveChart(m.String(), curve))
		for _, point := range curve {
			rows = append(rows, []float64{m.x, m.a, float64(point.step), point.mid, point.final})
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), s.Profile.Setting
	c.Obtained = fmt.Sprintf("MSE at the end relative to the random initialisation: between 1/%.0f and 1/%.1f", 1/best, 1/worst)
	switch {
	case worst <= 0.01:
		c.Verdict = Holds
	case worst < 1:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		fmt.Sprintf("Curves are over words of up to %d tokens, bars and the table over all. MSE is held out by sequence; the columns “in sample” hold the same ratio where probe and test see the same words.", curveWords),
		"The random initialisation is that of the same run; its activations are a rich image of the last tokens, so that the baseline is low.",
		"Short words, which hold most of the weight, begin sequences on both sides of a fold: by sequence, held-out and in-sample MSE hardly differ here. Table M2 has the stricter fits by word.")
	curves.Panels = [][]figure.Panel{panels[:2], panels[2:]}
	err := s.addFigure(c, "curves", "MSE of the two fits, each relative to that at the random initialisation (the line at 1), at steps that double, on logarithmic scales. "+
		"The legend names the two: the constrained geometry after attention, and the beliefs after the MLP.", curves)
	if err != nil {
		return err
	}
	err = s.addFigure(c, "ends", "Absolute MSE of the same fits over all words: filled, the trained model; open, its random initialisation. Lower is better; the scale is logarithmic.",
		figure.Single("Fits at the end and at the beginning of training", "Bars on a logarithmic scale: four conditions, two fits each, trained beside untrained.", bars))
	if err != nil {
		return err
	}
	return s.addCSV(c, "curves", []string{"x", "alpha", "step", "mse_intermediate_constrained", "mse_final_beliefs"}, rows)
}

// trainingCurve measures the snapshots of a subject's run, from the beginning.
func (s *Study) trainingCurve(m *subject) ([]curvePoint, error) {
	p := m.hmm.Prefixes(min(curveWords, m.prefixes.Length))
	var curve []curvePoint
	for _, step := range append([]int{0}, s.snapshotSteps(m.condition)...) {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		snapshot, err := run.Snapshot(s.runFolder(m.condition), step)
		if err != nil {
			return nil, err
		}
		point, err := measurePoint(snapshot, m.hooks(), p, s.Workers)
		if err != nil {
			return nil, err
		}
		point.step = step
		curve = append(curve, point)
	}
	return curve, nil
}

func measurePoint(m *model.Transformer[float32], hooks []string, p *process.Prefixes, workers int) (point curvePoint, err error) {
	a, err := probe.Collect(m, p, hooks, workers)
	if err != nil {
		return point, err
	}
	folds := probe.SequenceFolds(p, foldCount, foldSeed)
	for _, target := range []struct {
		hook string
		y    []float64
		mse  *float64
	}{{hooks[0], p.Constrained, &point.mid}, {hooks[len(hooks)-1], p.Beliefs, &point.final}} {
		r, err := probe.Regress(probe.Table{Width: a.Width, Data: a.Stages[target.hook]}, probe.Table{Width: p.States, Data: target.y}, p.Prob, folds)
		if err != nil {
			return point, err
		}
		*target.mse = r.HeldOut.MSE
	}
	return point, nil
}

func curveChart(title string, curve []curvePoint) figure.Panel {
	chart := figure.Chart{
		Title: title, X: figure.Axis{Label: "training step", Log: true}, Y: figure.Axis{Label: "MSE / initial MSE", Log: true},
		Refs: []figure.Ref{{Label: "start", Value: 1}},
	}
	var x, mid, final []float64
	for _, point := range curve[1:] { // the first is 1
		x = append(x, float64(point.step))
		mid, final = append(mid, point.mid/curve[0].mid), append(final, point.final/curve[0].final)
	}
	chart.Series = []figure.Series{
		{Name: "after attention → constrained beliefs", X: x, Y: mid},
		{Name: "after the MLP → beliefs", X: x, Y: final},
	}
	return chart
}
