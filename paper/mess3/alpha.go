package mess3

import (
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
	return claim.Row{
		ID: "M14", Source: cite + "Sec. 4.3", Kind: claim.Picture,
		Quote: "“Eq. (5)'s constrained belief geometry closely matches the intermediate structure observed in the " +
			"central range of α∈[0.2,0.6], as shown in the left two columns in Fig. 4. As α moves further from " +
			"this range, we observe gradually increasing deviations […], though the overall structure remains " +
			"similar. A complete characterization of how these deviations scale with α remains for future work” " +
			"(Sec. 4.3; no error bars, number of models not stated)",
		Statement: fmt.Sprintf("The constrained geometry matches resid_mid for α in [%g, %g]; outside this range the "+
			"deviation grows gradually.",
			centralFrom, centralTo),
		Expected: fmt.Sprintf("x = %g; the deviation is 1 − R² of the constrained beliefs regressed on resid_mid, "+
			"held out, over the models that have converged. For α in [%g, %g] it must be at most %.2g and below its "+
			"value at random initialisation. For each α outside, it must be larger than at the next trained α "+
			"towards the range, by the 95 %% interval of the difference over seeds (open if that interval contains "+
			"0). It fails otherwise",
			alphaX, centralFrom, centralTo, centralDeviation),
		Trainings: trained.Trainings(l.alphaModels()), RuleCommit: "977008f", ChangedAfterResult: true,
		Test: claim.Steps[alphas]{
			Measure: l.measureAlphas, Judge: alphas.judge, Tabulate: alphas.tabulate, Draw: alphas.draw,
		}.Test,
	}
}

// alphas returns the values of α in the profile: trainedAlphas in the full profile,
// otherwise the values of M6b.
func (p profile) alphas() []float64 {
	if p.name == claim.Full {
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
	setting string
	points  []alphaPoint     // by ascending α
	theory  []gapPoint       // see theoryGaps
	open    []trained.Source // processes for which the profile trains no models
}

// alphaPoint is the measurement at one α.
type alphaPoint struct {
	a, gap      float64                  // gap: see theoryGap
	found       [alphaMeasures][]float64 // by measure and seed
	unconverged []string                 // by seed: why the model has not converged; empty if it has
}

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

// alphaColumns are the names of the measures in the data file and in the table.
var alphaColumns = [alphaMeasures]struct{ name, heading string }{
	deviationConstrained:       {"deviation_constrained", "deviation from the constrained geometry"},
	deviationConstrainedRandom: {"deviation_constrained_random", "random init"},
	deviationFull:              {"deviation_full", "from the full geometry"},
	varianceExplained:          {"variance_explained", "variance explained by constrained beliefs"},
	varianceExplainedRandom:    {"variance_explained_random", "random init"},
	informationMissed:          {"missed", "missed by the model"},
	attentionDecayed:           {"decay", "decay of attention (M6b)"},
}

// gapPoint is the gap between the two geometries at one α; see theoryGap.
type gapPoint struct{ a, gap float64 }

func (l *lab) measureAlphas(ctx context.Context, s *claim.Study) (alphas, error) {
	found := alphas{setting: l.describe(l.rivalSettings(trained.Mess3(alphaX, centralTo)))}
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
		if point.gap, err = theoryGap(ctx, subjects[0].Prefixes); err != nil { // the sequences are the same for all subjects
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
	for i, x := range [alphaMeasures]float64{
		deviationConstrained:       deviation(st.constrained.trained),
		deviationConstrainedRandom: deviation(st.constrained.random),
		deviationFull:              deviation(st.full.trained),
		varianceExplained:          st.shape,
		varianceExplainedRandom:    st.shapeRandom,
		informationMissed:          m.missed(),
		attentionDecayed:           probe.FitExponential(pattern.Mean, pattern.T, probe.NearLags).Lambda,
	} {
		p.found[i] = append(p.found[i], x)
	}
	p.unconverged = append(p.unconverged, m.convergence.Reason)
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

// name returns the name of the condition for this α.
func (p alphaPoint) name() string { return trained.Mess3(alphaX, p.a).String() }

// deviations returns the deviation from the constrained geometry by seed, NaN for models
// that have not converged.
func (p alphaPoint) deviations() []float64 { return p.converged(deviationConstrained) }

// converged returns a measure by seed, NaN for models that have not converged.
func (p alphaPoint) converged(measure int) []float64 {
	list := slices.Clone(p.found[measure])
	for i, why := range p.unconverged {
		if why != "" {
			list[i] = math.NaN()
		}
	}
	return list
}

// finite returns the numbers of a list that are not NaN.
func finite(list []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(list), math.IsNaN)
}

// condition returns the verdict on an α. The argument inner is the next trained α towards
// the central range. It is nil if there is no such α, or if this α is in the range.
func (p alphaPoint) condition(inner *alphaPoint) claim.Condition {
	values := finite(p.deviations())
	c := claim.Condition{Name: p.name(), Verdict: claim.Open, Reason: claim.Power, Obtained: "not decided"}
	if len(values) < min(fewestConverged, len(p.unconverged)) {
		return c.Judged(firstReason(p.unconverged))
	}
	c.Effect = claim.Over("1 − R² of the constrained beliefs", "", values).
		Against("random initialisation", seeds.Mean(finite(p.converged(deviationConstrainedRandom))))
	reached := claim.NewShare(len(values), len(p.unconverged))
	c.Effect.Reached = &reached
	c.Converged = true
	switch {
	case p.central():
		c.Obtained, c.Reason = fmt.Sprintf("deviates by %.3f", c.Effect.Estimate), ""
		c.Verdict = holdsIf(c.Effect.Estimate <= centralDeviation && c.Effect.Estimate < c.Effect.Control.Value)
	case inner == nil:
		c.Obtained = fmt.Sprintf("deviates by %.3f; no α nearer to the range was trained", c.Effect.Estimate)
	default:
		p.grows(&c, *inner)
	}
	return c
}

// grows judges whether the deviation is larger than at inner, the adjacent α towards the
// range.
func (p alphaPoint) grows(c *claim.Condition, inner alphaPoint) {
	here, there := p.deviations(), inner.deviations()
	var more []float64
	for i := range min(len(here), len(there)) {
		if d := here[i] - there[i]; !math.IsNaN(d) {
			more = append(more, d)
		}
	}
	if len(more) == 0 {
		*c = c.Judged("no model at α = " + fmt.Sprint(inner.a) + " has converged")
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
		values := finite(p.deviations())
		if p.a < centralTo || len(values) == 0 {
			continue
		}
		now := []float64{seeds.Mean(values), math.Abs(seeds.Mean(finite(p.converged(attentionDecayed))) - zeta)}
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
	table := document.Table{
		Title: fmt.Sprintf("x = %g, one head: resid_mid by α; 1 − R² held out by sequence, mean over seeds ± "+
			"standard deviation", alphaX),
		Columns: []string{"α"},
	}
	for _, column := range alphaColumns {
		table.Columns = append(table.Columns, column.heading)
	}
	table.Columns = append(table.Columns, "theory: full geometry not linear in the constrained one")
	for _, p := range m.points {
		line := []string{fmt.Sprintf("%g", p.a)}
		for _, bySeed := range p.found {
			line = append(line, seeds.Text("%.4f", bySeed))
		}
		table.Rows = append(table.Rows, append(line, fmt.Sprintf("%.4f", p.gap)))
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, alphaNotes...)
}

var alphaNotes = []string{
	"Deviation is 1 − R² of the constrained beliefs regressed on resid_mid. The column of explained variance " +
		"reverses the regression: it is the share of the variance of resid_mid, about its mean at each position, " +
		"that the constrained beliefs explain. The rest is representation that the theory does not describe.",
	"Near α = 1/3 tokens carry no information and there is no geometry to find: at exactly 1/3 every belief is π " +
		"and R² is undefined. No model is trained between 0.2 and 0.45.",
	"“Closely” means the R² in the further question of claim M2. An earlier rule required the mean deviation over " +
		"three seeds to grow, in models trained for fewer steps. Its results were known when it was replaced.",
}

func (m alphas) draw(out *claim.Output) {
	out.Captioned("alpha", "Left: deviation of resid_mid from the constrained and from the full geometry (1 − R²), with "+
		"a random initialisation for comparison. Grey: the deviation of the full geometry from a linear image of the "+
		"constrained one, a gap that the theory itself predicts. Right: the share of resid_mid's variance that "+
		"constrained beliefs explain. Error bars: 95 % over seeds. Vertical lines: the range in which the paper "+
		"finds agreement.",
		figure.Row("Theory against the informativeness of tokens", "Two charts against α: deviation from the "+
			"geometries on a logarithmic scale, and explained variance.",
			m.deviationChart(), m.varianceChart()))
	header := []string{"alpha", "seed", "theory_gap"}
	for _, column := range alphaColumns {
		header = append(header, column.name)
	}
	out.CSV("alpha", document.Numbers(header, m.rows()))
}

// deviationChart draws the deviations from both geometries.
func (m alphas) deviationChart() figure.Panel {
	theory := figure.Series{Name: "theory: full from constrained", Color: figure.Grey}
	for _, p := range m.theory {
		theory.X = append(theory.X, p.a)
		theory.Y = append(theory.Y, p.gap)
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
		s = intervalPoint(s, p.a, p.found[measure])
	}
	return s
}

// rows returns one row for each model, for the data file.
func (m alphas) rows() (rows [][]float64) {
	for _, p := range m.points {
		for i := range p.unconverged {
			row := []float64{p.a, float64(i + 1), p.gap}
			for _, bySeed := range p.found {
				row = append(row, bySeed[i])
			}
			rows = append(rows, row)
		}
	}
	return rows
}
