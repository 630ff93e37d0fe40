package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
	"foretell/run"

	"gonum.org/v1/gonum/stat"
)

// errorParts is the threshold of M9, two orders of magnitude: the error of each fit must
// end below the random initialisation's error divided by this.
const errorParts = 100

// curveWords is the length of the longest sequences in the training curves. Sequences up
// to this length are a ninth of all sequences and have eight tenths of the weight.
const curveWords = 8

// trainingCurves is M9: Piotrowski et al. 2025, Fig. A3 and A4.
func (l *lab) trainingCurves() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M9", Kind: claim.Number, RuleCommit: "d8575d7", ChangedAfterResult: true, Setting: l.setting,
		Trainings: trained.Trainings(l.onProcesses(sources...)),
		First:     claim.FirstBy("a2b91ce", learnings.first),
		Test: claim.Steps[learnings]{
			Measure: l.measureTraining, Judge: learnings.judge, Tabulate: learnings.tabulate, Draw: learnings.draw,
		}.Test,
	}, map[string]any{"limit": numerals.OneIn(errorParts), "words": curveWords})
}

// learnings is the measurement of M9, by condition.
type learnings struct {
	conditions []replicates[learning]
	curves     []learningCurve // of the first seed, where the condition has models
}

// learning measures how much training has improved the fits of a model.
type learning struct {
	mid, final fitErrors // of the constrained beliefs on resid_mid, and of the beliefs on resid_post
}

// learningCurve measures how the fits improve during training.
type learningCurve struct {
	trained.Source
	points []curvePoint
	// best has the fits to the optimal predictor's log-probabilities, in place of the
	// fits to the trained model.
	best learning
}

// fitErrors holds the scores of a fit at the end of training and at random
// initialisation, over all sequences.
type fitErrors struct{ trained, random scores }

// ratio returns the MSE after training divided by the MSE at random initialisation, held
// out.
func (e fitErrors) ratio() float64 { return e.trained.heldOut.MSE / e.random.heldOut.MSE }

// inSample returns the same ratio with the same sequences for fit and test.
func (e fitErrors) inSample() float64 { return e.trained.inSample.MSE / e.random.inSample.MSE }

// curvePoint measures a model after a training step: held-out MSE of the constrained
// beliefs at the intermediate stage and of the full ones at the final stage.
type curvePoint struct {
	step       int
	mid, final float64
}

func (l *lab) measureTraining(ctx context.Context, s *claim.Study) (found learnings, err error) {
	if found.conditions, err = measureReplicates(ctx, l, s, sources, measureLearning); err != nil {
		return found, err
	}
	subjects, err := l.of(ctx, s, l.mainModels())
	for _, m := range subjects {
		curve, err := m.trainingCurve(ctx, s)
		if err != nil {
			return found, err
		}
		best, err := m.fitsOfTheOptimum(ctx)
		if err != nil {
			return found, err
		}
		found.curves = append(found.curves, learningCurve{m.Source, curve, best})
	}
	return found, err
}

func measureLearning(m *subject) (learning, error) {
	mid, final := m.mid().constrained, m.final().full
	if m.random == nil { // m is itself a random initialisation
		return learning{fitErrors{mid.trained, mid.trained}, fitErrors{final.trained, final.trained}}, nil
	}
	return learning{fitErrors{mid.trained, mid.random}, fitErrors{final.trained, final.random}}, nil
}

// fitsOfTheOptimum returns the fits to the logarithms of the exact next-token
// probabilities, in place of the trained model's fits.
func (s *subject) fitsOfTheOptimum(ctx context.Context) (learning, error) {
	logs := probe.Table{Width: s.Prefixes.Alphabet, Data: make([]float64, len(s.Prefixes.Next))}
	for i, p := range s.Prefixes.Next {
		logs.Data[i] = math.Log(p)
	}
	exact, err := readGeometries(ctx, s.Prefixes, logs)
	return learning{
		fitErrors{exact.constrained, s.mid().constrained.random}, fitErrors{exact.full, s.final().full.random},
	}, err
}

// trainingCurve measures the snapshots of a subject's run, beginning with step 0.
func (s *subject) trainingCurve(ctx context.Context, study *claim.Study) ([]curvePoint, error) {
	p, err := s.HMM.Prefixes(ctx, min(curveWords, s.Prefixes.Length))
	if err != nil {
		return nil, err
	}
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

// measurePoint measures a snapshot over the prefixes in p, at the first and the last
// stage.
func measurePoint(
	ctx context.Context, m *model.Transformer[float32], hooks []string, p *process.Prefixes, workers int,
) (point curvePoint, err error) {
	first, last := probe.Stage(hooks[0]), probe.Stage(hooks[len(hooks)-1])
	a, err := probe.Analyze(ctx, m, p, probe.Plan{
		Features: []probe.Features{first, last}, Targets: []probe.Target{probe.Constrained},
		Keep: true, Workers: workers,
	})
	if err != nil {
		return point, err
	}
	full, err := a.Under(ctx, probe.Ours, probe.Beliefs)
	if err != nil {
		return point, err
	}
	point.mid, point.final = a.Regress(probe.Constrained, first).MSE, full.Regress(probe.Beliefs, last).MSE
	return point, nil
}

// left returns the logarithm of [fitErrors.ratio], for the fit that has improved less.
func (l learning) left() float64 { return math.Log(max(l.mid.ratio(), l.final.ratio())) }

func (m learnings) judge() claim.Finding {
	finding := judgeEach(m.conditions, learning.left, judgeLearning)
	for _, c := range m.curves {
		finding.Asked = append(finding.Asked, c.ask())
	}
	return finding
}

// judgeLearning judges the models of a condition.
func judgeLearning(found, _ []learning) claim.Condition {
	left := numbers(found, learning.left)
	c := claim.Condition{
		Effect: errorFactor(left),
		Obtained: fmt.Sprintf("training reduces MSE to 1/%.1f of its value at random initialisation after attention, "+
			"and to 1/%.1f after the MLP (geometric means)",
			1/geometricMean(found, func(l learning) float64 { return l.mid.ratio() }),
			1/geometricMean(found, func(l learning) float64 { return l.final.ratio() })),
	}
	switch improved := sign(left, 0); {
	case improved < 0 && sign(left, -math.Log(errorParts)) < 0:
		c.Verdict = claim.Holds
	case improved < 0:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	case improved > 0:
		c.Verdict = claim.Fails
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

// errorFactor returns the effect of training: the error at random initialisation divided
// by the error after training. It takes the results of [learning.left], one for each
// seed.
func errorFactor(left []float64) *claim.Effect {
	gained := numbers(left, func(x float64) float64 { return -x })
	e := factor("MSE at random initialisation over MSE after training, for the fit that improves less", gained)
	return e.Beside("two orders of magnitude", errorParts).Against("random initialisation", 1)
}

// factor returns the effect of a ratio from its logarithms, one for each seed: the
// geometric mean and its interval.
func factor(what string, logarithms []float64) *claim.Effect {
	e := claim.Over(what, "", logarithms)
	e.Estimate = math.Exp(e.Estimate)
	if e.Interval != nil {
		e.Interval = &claim.Interval{Low: math.Exp(e.Interval.Low), High: math.Exp(e.Interval.High)}
	}
	return e
}

func geometricMean[M any](list []M, number func(M) float64) float64 {
	return stat.GeometricMean(numbers(list, number), nil)
}

// ask asks how far the fits would improve if a model contained only the optimal
// prediction.
func (c learningCurve) ask() claim.Question {
	left := math.Exp(c.best.left())
	return claim.Question{
		Question: fmt.Sprintf("%s: does a linear probe of the optimal predictor's log-probabilities of the next "+
			"token reduce the error to %s? (The laboratory's own question: what the prediction itself shows.)",
			c, numerals.OneIn(errorParts)),
		Answer: claim.AnswerIf(left <= 1./errorParts),
		Obtained: fmt.Sprintf("with such a probe, 1/%.0f of the error remains in the constrained fit and 1/%.0f in "+
			"the full fit",
			1/c.best.mid.ratio(), 1/c.best.final.ratio()),
	}
}

func (m learnings) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "held-out MSE at the end of training and at random initialisation, all sequences",
		Columns: slices.Concat(document.Headed("", "model", "seed", "converged"),
			document.Headed("%.2e", "resid_mid → constrained beliefs", "random init"),
			document.Headed("%.4f", "ratio", "in sample"),
			document.Headed("%.2e", "resid_post → beliefs", "random init"),
			document.Headed("%.4f", "ratio", "in sample")),
	}
	for _, g := range m.conditions {
		for _, l := range g.Models {
			mid, final := l.Found.mid, l.Found.final
			f.Row(g.String(), l.Seed, claim.IfConverged(l.Unconverged),
				mid.trained.heldOut.MSE, mid.random.heldOut.MSE, mid.ratio(), mid.inSample(),
				final.trained.heldOut.MSE, final.random.heldOut.MSE, final.ratio(), final.inSample())
		}
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m learnings) draw(out *claim.Output) {
	var panels, bySeed []figure.Panel
	f := document.Frame{Columns: document.Named("x", "alpha", "step", "mse_intermediate_constrained", "mse_final_beliefs")}
	for _, c := range m.curves {
		panels = append(panels, c.chart())
		for _, point := range c.points {
			f.Row(c.X, c.A, point.step, point.mid, point.final)
		}
	}
	for _, g := range trainedOnly(m.conditions) {
		bySeed = append(bySeed, seedChart(g, "log₁₀(MSE / initial MSE)", func(l learning) float64 {
			return l.left() / math.Ln10
		}, figure.Ref{Label: "1/100", Value: -2}, figure.Ref{Label: "start", Value: 0}))
	}
	out.Figure("seeds", figure.Row("Remaining errors, by seed", "Charts, one for each process: points by seed.",
		bySeed...))
	out.Figure("curves", figure.Grid(2, "Both fits during training",
		"Charts, one for each process: MSE relative to the random initialisation against training step, "+
			"both on logarithmic scales.", panels...))
	out.Figure("ends", figure.Single("Fits at the end and at the beginning of training", "Dots with ranges on a "+
		"logarithmic scale: two fits for each condition, trained and untrained.", m.ends()))
	out.CSV("curves", f)
}

// chart draws the errors during training relative to those at step 0. Step 0 itself is
// left out: it is 1.
func (c learningCurve) chart() figure.Panel {
	chart := figure.Chart{
		Title: c.Source.String(), X: figure.Axis{Label: "training step", Log: true},
		Y:    figure.Axis{Label: "MSE / initial MSE", Log: true},
		Refs: []figure.Ref{{Label: "start", Value: 1}},
	}
	mid := figure.Series{Name: "resid_mid → constrained beliefs"}
	final := figure.Series{Name: "resid_post → beliefs"}
	for _, point := range c.points[1:] {
		step := float64(point.step)
		mid.Add(step, point.mid/c.points[0].mid)
		final.Add(step, point.final/c.points[0].final)
	}
	chart.Series = []figure.Series{mid, final}
	return chart
}

// ends draws the errors at the end and at the beginning of training.
func (m learnings) ends() figure.Dots {
	dots := figure.Dots{X: figure.Axis{Label: "held-out MSE", Log: true}, Series: []figure.DotSeries{
		{Name: "resid_mid → constrained beliefs", Color: 1},
		{Name: "the same, random initialisation", Color: 1, Open: true},
		{Name: "resid_post → beliefs", Color: 2},
		{Name: "the same, random initialisation", Color: 2, Open: true},
	}}
	for _, g := range trainedOnly(m.conditions) {
		found, _ := g.tabulated()
		dots.Groups = append(dots.Groups, g.String())
		for i, error := range []func(l learning) float64{
			func(l learning) float64 { return l.mid.trained.heldOut.MSE },
			func(l learning) float64 { return l.mid.random.heldOut.MSE },
			func(l learning) float64 { return l.final.trained.heldOut.MSE },
			func(l learning) float64 { return l.final.random.heldOut.MSE },
		} {
			bySeed, middle, series := numbers(found, error), geometricMean(found, error), &dots.Series[i]
			series.X = append(series.X, middle) // rounding may place this mean outside the range if all seeds are equal
			series.Lo = append(series.Lo, min(middle, slices.Min(bySeed)))
			series.Hi = append(series.Hi, max(middle, slices.Max(bySeed)))
		}
	}
	return dots
}
