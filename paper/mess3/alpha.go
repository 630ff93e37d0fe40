package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

// The rule of M14: what 1 − R² may be within the range in which the paper says that
// theory holds.
const (
	centralFrom, centralTo = 0.2, 0.6
	centralDeviation       = 0.05
)

// trainedAlphas are the trained α, and alphaX is their x: one head.
var trainedAlphas = []float64{0.05, 0.1, 0.2, 0.45, 0.6, 0.7, 0.8, 0.9, 0.95}

const alphaX = 0.15

// endedEarly is the share of what words tell beyond which a note says that a model
// misses it.
const endedEarly = 0.05

// alphaRange is M14: Piotrowski et al. 2025, Sec. 4.3.
func (l *lab) alphaRange() claim.Row {
	return claim.Row{
		ID: "M14", Source: cite + "Sec. 4.3",
		Statement: fmt.Sprintf("The constrained geometry matches the intermediate stage for α in [%g, %g]; further "+
			"out the deviation grows gradually.",
			centralFrom, centralTo),
		Expected: fmt.Sprintf("x = %g, in the mean over %s seeds, 1 − R² of the constrained beliefs on the "+
			"intermediate stage, held out: at most %g at every α trained in [%g, %g], more at every α outside than "+
			"at any inside, and growing with the distance on either side; differs if only the first is so",
			alphaX, numerals.Cardinal(len(l.seeds)), centralDeviation, centralFrom, centralTo),
		Trainings: trained.Trainings(l.alphaModels()),
		Test: claim.Steps[alphas]{
			Measure: l.measureAlphas, Judge: alphas.judge, Tabulate: alphas.tabulate, Draw: alphas.draw,
		}.Test,
	}
}

// alphaModels are the models of every α, each with every seed.
func (p profile) alphaModels() []trained.Condition {
	var list []trained.Condition
	for _, a := range trainedAlphas {
		list = append(list, p.alphaSeeds(a)...)
	}
	return list
}

// alphaSeeds are the models of one α.
func (p profile) alphaSeeds(a float64) []trained.Condition {
	return p.smallModels(trained.Mess3(alphaX, a), trained.Shape{Layers: 1, Heads: 1})
}

// alphas are the intermediate stages by α.
type alphas struct {
	setting string
	seeds   []uint64
	points  []alphaPoint // ascending
	theory  []gapPoint
}

// alphaPoint is one α.
type alphaPoint struct {
	a, gap float64                  // see theoryGap
	found  [alphaMeasures][]float64 // by seed
}

// What is measured of a model: 1 − R² of the geometries, the share of the stage's
// variance that constrained beliefs explain (see stage.explain), and the share of what
// words tell that the model misses.
const (
	deviationConstrained = iota
	deviationConstrainedRandom
	deviationFull
	varianceExplained
	varianceExplainedRandom
	informationMissed
	alphaMeasures
)

// alphaColumns are these as the file of data and the table call them.
var alphaColumns = [alphaMeasures]struct{ name, heading string }{
	deviationConstrained:       {"deviation_constrained", "deviation from the constrained geometry"},
	deviationConstrainedRandom: {"deviation_constrained_random", "random init"},
	deviationFull:              {"deviation_full", "from the full geometry"},
	varianceExplained:          {"variance_explained", "variance that constrained beliefs explain"},
	varianceExplainedRandom:    {"variance_explained_random", "random init"},
	informationMissed:          {"missed", "missed by the model"},
}

// gapPoint is what theory says of one α.
type gapPoint struct{ a, gap float64 }

func (l *lab) measureAlphas(ctx context.Context, s *claim.Study) (alphas, error) {
	found := alphas{setting: l.describe(l.small), seeds: l.seeds}
	for _, a := range trainedAlphas {
		subjects, err := l.of(ctx, s, l.alphaSeeds(a))
		if err != nil {
			return found, err
		}
		point := alphaPoint{a: a}
		if point.gap, err = theoryGap(ctx, subjects[0].Prefixes); err != nil { // the words of all are the same
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

// add adds a model to the point.
func (p *alphaPoint) add(m *subject) {
	st := m.mid()
	for i, x := range [alphaMeasures]float64{
		deviationConstrained:       deviation(st.constrained.trained),
		deviationConstrainedRandom: deviation(st.constrained.random),
		deviationFull:              deviation(st.full.trained),
		varianceExplained:          st.shape,
		varianceExplainedRandom:    st.shapeRandom,
		informationMissed:          m.missed(),
	} {
		p.found[i] = append(p.found[i], x)
	}
}

// deviation is what a regression leaves unexplained, held out.
func deviation(s scores) float64 { return 1 - s.heldOut.R2 }

// theoryGap is 1 − R² of the full beliefs on the constrained ones: what no linear
// map of the constrained geometry has of the full one.
func theoryGap(ctx context.Context, p *process.Prefixes) (float64, error) {
	constrained, err := probe.Constrained.Of(p)
	if err != nil {
		return 0, err
	}
	beliefs, err := probe.Beliefs.Of(p)
	if err != nil {
		return 0, err
	}
	read, err := probe.Relate(ctx, p, constrained, beliefs, probe.Ours)
	if err != nil {
		return 0, err
	}
	return deviation(scoresOf(read)), nil
}

// theoryGaps are those of α = 1/60, 2/60, … over words up to a length.
func theoryGaps(ctx context.Context, length int) ([]gapPoint, error) {
	var list []gapPoint
	for i := 1; i < 60; i++ {
		a := float64(i) / 60
		if math.Abs(a-1./3) < 1e-9 {
			continue // every belief is π
		}
		h, err := process.Mess3(alphaX, a)
		if err != nil {
			return nil, err
		}
		gap, err := theoryGap(ctx, h.Prefixes(length))
		if err != nil {
			return nil, err
		}
		list = append(list, gapPoint{a, gap})
	}
	return list, nil
}

// central says whether α is in the range in which the paper finds agreement.
func (p alphaPoint) central() bool { return p.a >= centralFrom && p.a <= centralTo }

// deviation is that from the constrained geometry, in the mean over seeds.
func (p alphaPoint) deviation() float64 { return seeds.Mean(p.found[deviationConstrained]) }

// grows says whether the deviation does with every α away from the central range, on
// either side.
func (m alphas) grows() bool {
	for i := 1; i < len(m.points); i++ {
		before, after := m.points[i-1], m.points[i]
		switch {
		case after.a <= centralFrom && after.deviation() >= before.deviation(),
			before.a >= centralTo && after.deviation() <= before.deviation():
			return false
		}
	}
	return true
}

func (m alphas) judge() claim.Finding {
	inside, outside := 0.0, math.Inf(1)                   // largest deviation in the central range, least outside
	explainedInside, explainedOutside := math.Inf(1), 0.0 // least and largest
	for _, p := range m.points {
		off, explained := p.deviation(), seeds.Mean(p.found[varianceExplained])
		if p.central() {
			inside, explainedInside = max(inside, off), min(explainedInside, explained)
		} else {
			outside, explainedOutside = min(outside, off), max(explainedOutside, explained)
		}
	}
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("deviation from the constrained geometry: at most %.3f for α in [%g, %g], at least "+
			"%.3f outside; away from that range it grows with every α: %s. Turned round, the constrained beliefs "+
			"explain at least %.2f of the stage's variance in that range, at most %.2f outside",
			inside, centralFrom, centralTo, outside, yesOrNo(m.grows()), explainedInside, explainedOutside),
	}
	switch {
	case inside <= centralDeviation && outside > inside && m.grows():
		found.Verdict = claim.Holds
	case inside <= centralDeviation:
		found.Verdict = claim.Differs
	}
	return found
}

func (m alphas) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: fmt.Sprintf("x = %g, one head: the intermediate stage by α; 1 − R² held out by sequence, mean over %d "+
			"seeds ± standard deviation", alphaX, len(m.seeds)),
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
		if missed := slices.Max(p.found[informationMissed]); missed > endedEarly {
			c.Notes = append(c.Notes, fmt.Sprintf("α = %g: training ended early; a model misses %.0f %% of what "+
				"words tell.", p.a, 100*missed))
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, alphaNotes...)
}

var alphaNotes = []string{
	"Deviation is 1 − R² of the constrained beliefs regressed on the intermediate stage. The column of variance " +
		"turns the regression round: of the variance of the intermediate stage about its mean at each position, the " +
		"share that the constrained beliefs explain; what is left is representation that theory does not speak of.",
	"Near α = 1/3 tokens tell nothing and there is no geometry to find: at 1/3 itself every belief is π and no value " +
		"exists; no model is trained between 0.2 and 0.45.",
	"The rule was first applied to one seed; more were added afterwards, and it is about their mean (docs/log.md).",
}

func (m alphas) draw(out *claim.Output) {
	out.Figure("alpha", "Left: what the intermediate stage lacks of the constrained and of the full geometry (1 − "+
		"R²), beside a random initialisation, and, in grey, how far the full geometry is from a linear image of the "+
		"constrained one: the gap that theory itself predicts. Right: the share of the intermediate stage's variance "+
		"that constrained beliefs explain. Error bars: the range over seeds. Vertical lines: the range in which the "+
		"paper finds agreement.",
		figure.Row("Theory against the informativeness of tokens", "Two charts against α: deviation from the "+
			"geometries on a logarithmic scale, and explained variance.",
			m.deviationChart(), m.varianceChart()))
	header := []string{"alpha", "seed", "theory_gap"}
	for _, column := range alphaColumns {
		header = append(header, column.name)
	}
	out.CSV("alpha", header, m.rows())
}

// deviationChart shows what the stage lacks of both geometries.
func (m alphas) deviationChart() figure.Panel {
	theory := figure.Series{Name: "theory: full from constrained", Color: figure.Grey}
	for _, p := range m.theory {
		theory.X, theory.Y = append(theory.X, p.a), append(theory.Y, p.gap)
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

// varianceChart shows what the constrained beliefs explain of the stage.
func (m alphas) varianceChart() figure.Panel {
	chart := alphaChart(figure.Axis{Label: "share of the variance", Include: []float64{0, 1}})
	chart.Series = []figure.Series{
		m.series(figure.Series{Name: "explained by constrained beliefs", Color: 3}, varianceExplained),
		m.series(figure.Series{Name: "explained, random initialisation", Color: 3, Open: true},
			varianceExplainedRandom),
	}
	return chart
}

// alphaChart is a chart against α, with the range in which the paper finds agreement.
func alphaChart(y figure.Axis) figure.Chart {
	chart := figure.Chart{X: figure.Axis{Label: "α", Include: []float64{0, 1}}, Y: y}
	for _, a := range []float64{centralFrom, centralTo} {
		chart.Refs = append(chart.Refs, figure.Ref{Label: fmt.Sprint(a), Value: a, Vertical: true})
	}
	return chart
}

// series fills in a measure against α.
func (m alphas) series(s figure.Series, measure int) figure.Series {
	for _, p := range m.points {
		s = seeds.Point(s, p.a, p.found[measure])
	}
	return s
}

// rows are the models, for the file of data.
func (m alphas) rows() (rows [][]float64) {
	for _, p := range m.points {
		for i, seed := range m.seeds {
			row := []float64{p.a, float64(seed), p.gap}
			for _, bySeed := range p.found {
				row = append(row, bySeed[i])
			}
			rows = append(rows, row)
		}
	}
	return rows
}
