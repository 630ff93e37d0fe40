package mess3

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

// The rule of M14: the range of α in which the paper reports a close match, and the
// largest 1 − R² that counts as close there. The constant fractalMid of M2 is the same
// limit, as R².
const (
	centralFrom, centralTo = 0.2, 0.6
	centralDeviation       = 0.05
)

// trainedAlphas are the values of α in the full profile. The models of M14 have x =
// alphaX and one head.
var trainedAlphas = []float64{0.05, 0.1, 0.2, 0.45, 0.6, 0.7, 0.8, 0.9, 0.95}

const alphaX = 0.15

// alphaRange is M14: Piotrowski et al. 2025, Sec. 4.3.
func (l *lab) alphaRange() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M14", Kind: claim.Picture,
		Trainings: trained.Trainings(l.alphaModels()), RuleCommit: "977008f", ChangedAfterResult: true,
		Setting: l.describe(l.rivalSettings(trained.Mess3(alphaX, centralTo))),
		First:   claim.FirstBy("a2b91ce", alphas.first),
		Test: claim.Steps[alphas]{
			Measure: l.measureAlphas, Judge: alphas.judge, Tabulate: alphas.tabulate, Draw: alphas.draw,
		}.Test,
	}, map[string]any{"x": alphaX, "from": centralFrom, "to": centralTo, "most": centralDeviation})
}

// alphas returns the values of α in the profile: trainedAlphas from the full profile on,
// otherwise the values of M6b.
func (p profile) alphas() []float64 {
	if p.whole {
		return trainedAlphas
	}
	var list []float64
	for _, on := range p.rivalSources() {
		list = append(list, on.A)
	}
	return list
}

// alphaModels returns the models for every α and seed, which include the models of M6b.
func (p profile) alphaModels() []trained.Condition {
	var list []trained.Condition
	for _, a := range p.alphas() {
		list = append(list, p.rivalCell(trained.Mess3(alphaX, a))...)
	}
	return list
}

// alphas is the measurement of M14, with one point for each α.
type alphas struct {
	points []alphaPoint     // by ascending α
	theory []gapPoint       // see theoryGaps
	open   []trained.Source // processes for which the profile trains no models
}

// alphaPoint is the measurement at one α.
type alphaPoint struct {
	claim.BySeed[alphaModel]
	a, gap float64 // gap: see theoryGap
}

// alphaModel holds the measures of one model.
type alphaModel [alphaMeasures]float64

// Measures of a model: 1 − R² of each geometry, regressed on resid_mid; the share of the
// variance of resid_mid that constrained beliefs explain; the share of the information in
// the sequences that the model misses; and the decay of its attention. “Random” is the
// same measure at random initialisation.
const (
	deviationConstrained = iota
	deviationConstrainedRandom
	deviationFull
	varianceExplained
	varianceExplainedRandom
	informationMissed
	attentionDecayed
	alphaMeasures
)

// measured returns the function that gives a measure of a model.
func measured(measure int) func(alphaModel) float64 {
	return func(m alphaModel) float64 { return m[measure] }
}

// alphaColumns describes the measures in the data file and in the table.
var alphaColumns = []document.Column{
	{Name: "deviation_constrained", Heading: "deviation from the constrained geometry", Format: "%.4f"},
	{Name: "deviation_constrained_random", Heading: "random init", Format: "%.4f"},
	{Name: "deviation_full", Heading: "from the full geometry", Format: "%.4f"},
	{Name: "variance_explained", Heading: "variance explained by constrained beliefs", Format: "%.4f"},
	{Name: "variance_explained_random", Heading: "random init", Format: "%.4f"},
	{Name: "missed", Heading: "missed by the model", Format: "%.4f"},
	{Name: "decay", Heading: "decay of attention (M6b)", Format: "%.4f"},
}

// gapPoint is the gap between the two geometries at one α; see theoryGap.
type gapPoint struct{ a, gap float64 }

func (l *lab) measureAlphas(ctx context.Context, s *claim.Study) (alphas, error) {
	var found alphas
	for _, a := range trainedAlphas {
		on := trained.Mess3(alphaX, a)
		if !slices.Contains(l.alphas(), a) {
			found.open = append(found.open, on)
			continue
		}
		subjects, err := l.of(ctx, s, l.rivalCell(on))
		if err != nil {
			return found, err
		}
		point := alphaPoint{a: a}
		// The sequences are the same for all subjects.
		if point.gap, err = theoryGap(ctx, subjects[0].Prefixes); err != nil {
			return found, err
		}
		for _, m := range subjects {
			point.add(m)
		}
		found.points = append(found.points, point)
	}
	var err error
	found.theory, err = theoryGaps(ctx, l.small.NCtx)
	return found, err
}

// add adds a model's measures to the point.
func (p *alphaPoint) add(m *subject) {
	st, pattern := m.mid(), m.patterns[0]
	p.Models = append(p.Models, claim.Seeded[alphaModel]{
		Seed: int(m.Seed), Unconverged: m.convergence.Reason,
		Found: alphaModel{
			deviationConstrained:       deviation(st.constrained.trained),
			deviationConstrainedRandom: deviation(st.constrained.random),
			deviationFull:              deviation(st.full.trained),
			varianceExplained:          st.shape,
			varianceExplainedRandom:    st.shapeRandom,
			informationMissed:          m.missed(),
			attentionDecayed:           probe.FitExponential(pattern.Mean, pattern.T, probe.NearLags),
		},
	})
}

// deviation returns the held-out share of variance that a regression leaves unexplained.
func deviation(s scores) float64 { return 1 - s.heldOut.R2 }

// theoryGap returns 1 − R² of the full beliefs regressed on the constrained ones: the
// part of the full geometry that no linear map of the constrained geometry reproduces.
func theoryGap(ctx context.Context, p *process.Prefixes) (float64, error) {
	constrained, err := probe.Constrained.Of(ctx, p)
	if err != nil {
		return 0, err
	}
	beliefs, err := probe.Beliefs.Of(ctx, p)
	if err != nil {
		return 0, err
	}
	read, err := probe.Relate(ctx, p, constrained, beliefs, probe.Ours)
	if err != nil {
		return 0, err
	}
	return deviation(scoresOf(read)), nil
}

// theoryGaps returns the result of theoryGap for α = 1/60, 2/60, …, over sequences up to
// the given length.
func theoryGaps(ctx context.Context, length int) ([]gapPoint, error) {
	var list []gapPoint
	for i := 1; i < 60; i++ {
		a := float64(i) / 60
		if math.Abs(a-1./3) < 1e-9 {
			continue // tokens carry no information, so every belief is π
		}
		h, err := process.Mess3(alphaX, a)
		if err != nil {
			return nil, err
		}
		words, err := h.Prefixes(ctx, length)
		if err != nil {
			return nil, err
		}
		gap, err := theoryGap(ctx, words)
		if err != nil {
			return nil, err
		}
		list = append(list, gapPoint{a, gap})
	}
	return list, nil
}

// central reports whether α is in the range in which the paper finds agreement.
func (p alphaPoint) central() bool { return p.a >= centralFrom && p.a <= centralTo }

// condition returns the verdict on an α. The argument inner is the next trained α towards
// the central range. It is nil if there is no such α, or if this α is in the range.
func (p alphaPoint) condition(inner *alphaPoint) claim.Condition {
	p.Name = trained.Mess3(alphaX, p.a).String()
	p.Fewest = fewestConverged
	return p.Judge(func([]claim.Seeded[alphaModel]) claim.Condition {
		c := claim.Condition{Verdict: claim.Open, Reason: claim.Power, Obtained: "not decided"}
		c.Effect = p.Over("1 − R² of the constrained beliefs", "", measured(deviationConstrained)).
			Against("random initialisation", seeds.Mean(p.Values(measured(deviationConstrainedRandom))))
		switch {
		case p.central():
			c.Obtained, c.Reason = fmt.Sprintf("deviates by %.3f", c.Effect.Estimate), ""
			c.Verdict = claim.HoldsIf(c.Effect.Estimate <= centralDeviation && c.Effect.Estimate < c.Effect.Control.Value)
		case inner == nil:
			c.Obtained = fmt.Sprintf("deviates by %.3f; no α nearer to the range was trained", c.Effect.Estimate)
		default:
			p.grows(&c, *inner)
		}
		return c
	})
}

// grows judges whether the deviation is larger than at inner, the adjacent α towards the
// range.
func (p alphaPoint) grows(c *claim.Condition, inner alphaPoint) {
	more := p.beyond(inner)
	if len(more) == 0 {
		c.Unconverged = fmt.Sprintf("no model at α = %g has converged", inner.a)
		return
	}
	mean, interval := claim.Mean(more)
	c.Obtained = fmt.Sprintf("deviates by %.3f, which differs by %+.3f from the deviation at α = %g",
		c.Effect.Estimate, mean, inner.a)
	switch {
	case interval == nil:
	case interval.Low > 0:
		c.Verdict, c.Reason = claim.Holds, ""
	case interval.High < 0:
		c.Verdict, c.Reason = claim.Fails, ""
	}
}

// beyond returns the deviation minus the deviation at inner, for each seed for which both
// models have converged.
func (p alphaPoint) beyond(inner alphaPoint) []float64 {
	var pairs claim.BySeed[float64]
	for i := range min(len(p.Models), len(inner.Models)) {
		here, there := p.Models[i], inner.Models[i]
		pairs.Models = append(pairs.Models, claim.Seeded[float64]{
			Seed: here.Seed, Unconverged: cmp.Or(here.Unconverged, there.Unconverged),
			Found: here.Found[deviationConstrained] - there.Found[deviationConstrained],
		})
	}
	return pairs.Values(func(more float64) float64 { return more })
}

// inner returns the point adjacent to the i-th, towards the central range, or nil if
// there is no such point.
func (m alphas) inner(i int) *alphaPoint {
	switch p := m.points[i]; {
	case p.a < centralFrom && i+1 < len(m.points) && m.points[i+1].a <= centralTo:
		return &m.points[i+1]
	case p.a > centralTo && i > 0 && m.points[i-1].a >= centralFrom:
		return &m.points[i-1]
	}
	return nil
}

func (m alphas) judge() claim.Finding {
	var conditions []claim.Condition
	for i, p := range m.points {
		conditions = append(conditions, p.condition(m.inner(i)))
	}
	found := claim.NewFinding(append(conditions, notTrained(m.open)...))
	found.Asked = []claim.Question{m.explained()}
	return found
}

// explained asks whether M6b explains the deviation above the central range: whether the
// deviation grows together with the difference between attention's decay and ζ.
func (m alphas) explained() claim.Question {
	q := claim.Question{
		Question: "From α = 0.6 upwards, step by step from one α to the next: does the deviation grow exactly where " +
			"the decay of attention moves away from ζ (claim M6b)?",
		Answer: claim.Undecided,
	}
	zeta, before, n, same := trained.Mess3(alphaX, 0).Zeta(), []float64(nil), 0, 0
	var steps []string
	for _, p := range m.points {
		values := p.Values(measured(deviationConstrained))
		if p.a < centralTo || len(values) == 0 {
			continue
		}
		now := []float64{seeds.Mean(values), math.Abs(seeds.Mean(p.Values(measured(attentionDecayed))) - zeta)}
		steps = append(steps, fmt.Sprintf("α = %g: deviation %.3f, decay %.2f from ζ", p.a, now[0], now[1]))
		if before != nil {
			if n++; (now[0] > before[0]) == (now[1] > before[1]) {
				same++
			}
		}
		before = now
	}
	q.Obtained = listOr(steps, "no model has converged")
	if n > 0 {
		q.Answer = claim.AnswerIf(same == n)
	}
	return q
}

func (m alphas) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: fmt.Sprintf("x = %g, one head: resid_mid by α; 1 − R² held out by sequence, mean over seeds ± "+
			"standard deviation", alphaX),
		Columns: slices.Concat(document.Headed("", "α"), alphaColumns,
			document.Headed("%.4f", "theory: full geometry not linear in the constrained one")),
	}
	for _, p := range m.points {
		cells := []any{p.a}
		for measure := range alphaColumns {
			cells = append(cells, seeds.Spread(p.All(measured(measure))))
		}
		table.Row(append(cells, p.gap)...)
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m alphas) draw(out *claim.Output) {
	out.Figure("alpha", figure.Row("Theory against the informativeness of tokens", "Two charts against α: deviation "+
		"from the geometries on a logarithmic scale, and explained variance.",
		m.deviationChart(), m.varianceChart()))
	out.CSV("alpha", m.models())
}

// deviationChart draws the deviations from both geometries.
func (m alphas) deviationChart() figure.Panel {
	theory := figure.Series{Name: "theory: full from constrained", Color: figure.Grey}
	for _, p := range m.theory {
		theory.Add(p.a, p.gap)
	}
	chart := alphaChart(figure.Axis{Label: "1 − R²", Log: true})
	chart.Series = []figure.Series{
		m.series(figure.Series{Name: "from the constrained geometry", Color: 1}, deviationConstrained),
		m.series(figure.Series{Name: "the same, random initialisation", Color: 1, Open: true},
			deviationConstrainedRandom),
		m.series(figure.Series{Name: "from the full geometry", Color: 2}, deviationFull),
		theory,
	}
	return chart
}

// varianceChart draws the share of the stage's variance that constrained beliefs explain.
func (m alphas) varianceChart() figure.Panel {
	chart := alphaChart(figure.Axis{Label: "share of the variance", Include: []float64{0, 1}})
	chart.Series = []figure.Series{
		m.series(figure.Series{Name: "explained by constrained beliefs", Color: 3}, varianceExplained),
		m.series(figure.Series{Name: "explained, random initialisation", Color: 3, Open: true},
			varianceExplainedRandom),
	}
	return chart
}

// alphaChart returns a chart against α that marks the range in which the paper finds
// agreement.
func alphaChart(y figure.Axis) figure.Chart {
	chart := figure.Chart{X: figure.Axis{Label: "α", Include: []float64{0, 1}}, Y: y}
	for _, a := range []float64{centralFrom, centralTo} {
		chart.Refs = append(chart.Refs, figure.Ref{Label: fmt.Sprint(a), Value: a, Vertical: true})
	}
	return chart
}

// series adds a point for each α to s: the mean of a measure over seeds, with its
// interval.
func (m alphas) series(s figure.Series, measure int) figure.Series {
	for _, p := range m.points {
		addMean(&s, p.a, p.All(measured(measure)))
	}
	return s
}

// models returns a frame with a row for each model.
func (m alphas) models() document.Frame {
	f := document.Frame{Columns: slices.Concat(document.Named("alpha", "seed", "theory_gap"), alphaColumns)}
	for _, p := range m.points {
		for _, model := range p.Models {
			cells := []any{p.a, model.Seed, p.gap}
			for _, x := range model.Found {
				cells = append(cells, x)
			}
			f.Row(cells...)
		}
	}
	return f
}
