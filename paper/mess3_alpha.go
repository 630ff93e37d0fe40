package paper

import (
	"fmt"
	"math"

	"foretell/figure"
	"foretell/probe"
	"foretell/process"
)

// The trained α of M14, and the range in which the paper says that theory holds.
var (
	trainedAlphas = []float64{0.05, 0.1, 0.2, 0.45, 0.6, 0.7, 0.8, 0.9, 0.95}
	centralAlphas = [2]float64{0.2, 0.6}
)

const alphaX = 0.15 // x of M14: one head

func alphaConditions(p Profile) []condition {
	var list []condition
	for _, a := range trainedAlphas {
		list = append(list, smallCondition(p, mess3(alphaX, a), Shape{1, 1}, p.Seeds[0]))
	}
	return list
}

// testAlpha is M14: Sec. 4.3.
func testAlpha(s *Study, c *Claim) error {
	table := Table{
		Title: "x = 0.15, one head: the intermediate stage by α; 1 − R² held out by sequence",
		Columns: []string{
			"α", "deviation from the constrained geometry", "random init", "from the full geometry", "variance that constrained beliefs explain", "random init", "missed by the model", "theory: full geometry not linear in the constrained one",
		},
	}
	subjects := s.of(alphaConditions(s.Profile))
	var rows [][]float64
	inside, outside := 0.0, math.Inf(1)                   // largest deviation in the central range, least outside
	explainedInside, explainedOutside := math.Inf(1), 0.0 // least and largest
	for _, m := range subjects {
		gap, err := theoryGap(m.prefixes)
		if err != nil {
			return err
		}
		st := m.mid()
		off := deviation(st.constrained.Trained)
		if m.a >= centralAlphas[0] && m.a <= centralAlphas[1] {
			inside, explainedInside = max(inside, off), min(explainedInside, st.shape.HeldOut.R2)
		} else {
			outside, explainedOutside = min(outside, off), max(explainedOutside, st.shape.HeldOut.R2)
		}
		if m.missed() > 0.05 {
			c.Notes = append(c.Notes, fmt.Sprintf("α = %g: training ended early; this model misses %.0f %% of what words tell.", m.a, 100*m.missed()))
		}
		row := []float64{
			m.a, off, deviation(st.constrained.Random), deviation(st.full.Trained), st.shape.HeldOut.R2, st.shapeRandom.HeldOut.R2, m.missed(), gap,
		}
		line := []string{fmt.Sprintf("%g", m.a)}
		for _, v := range row[1:] {
			line = append(line, fmt.Sprintf("%.4f", v))
		}
		table.Rows, rows = append(table.Rows, line), append(rows, row)
	}
	grows := true // away from the central range, on either side
	for i := 1; i < len(rows); i++ {
		switch {
		case rows[i][0] <= centralAlphas[0]:
			grows = grows && rows[i][1] < rows[i-1][1]
		case rows[i-1][0] >= centralAlphas[1]:
			grows = grows && rows[i][1] > rows[i-1][1]
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), s.Profile.describe(s.Profile.Small)
	c.Obtained = fmt.Sprintf("deviation from the constrained geometry: at most %.3f for α in [0.2, 0.6], at least %.3f outside; away from that range it grows with every α: %s. Turned round, the constrained beliefs explain at least %.2f of the stage's variance in that range, at most %.2f outside",
		inside, outside, yesOrNo(grows), explainedInside, explainedOutside)
	switch {
	case inside <= 0.05 && outside > inside && grows:
		c.Verdict = Holds
	case inside <= 0.05:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"Deviation is 1 − R² of the constrained beliefs regressed on the intermediate stage. The fifth column turns the regression round: of the variance of the intermediate stage about its mean at each position, the share that the constrained beliefs explain; what is left is representation that theory does not speak of.",
		"Near α = 1/3 tokens tell nothing and there is no geometry to find: at 1/3 itself every belief is π and no value exists; no model is trained between 0.2 and 0.45.")
	if err := s.addAlpha(c, rows); err != nil {
		return err
	}
	return s.addCSV(c, "alpha", []string{"alpha", "deviation_constrained", "deviation_constrained_random", "deviation_full", "variance_explained", "variance_explained_random", "missed", "theory_gap"}, rows)
}

// addAlpha draws the columns of rows against α.
func (s *Study) addAlpha(c *Claim, rows [][]float64) error {
	column := func(i int) (y []float64) {
		for _, row := range rows {
			y = append(y, row[i])
		}
		return y
	}
	var alphas, gaps []float64
	for i := 1; i < 60; i++ {
		a := float64(i) / 60
		if math.Abs(a-1./3) < 1e-9 {
			continue // every belief is π
		}
		h, err := process.Mess3(alphaX, a)
		if err != nil {
			return err
		}
		gap, err := theoryGap(h.Prefixes(s.Profile.Small.NCtx))
		if err != nil {
			return err
		}
		alphas, gaps = append(alphas, a), append(gaps, gap)
	}
	x := column(0)
	axis := figure.Axis{Label: "α", Include: []float64{0, 1}}
	refs := []figure.Ref{{Label: "0.2", Value: centralAlphas[0], Vertical: true}, {Label: "0.6", Value: centralAlphas[1], Vertical: true}}
	return s.addFigure(c, "alpha", "Left: what the intermediate stage lacks of the constrained and of the full geometry (1 − R²), beside a random initialisation, and, in grey, "+
		"how far the full geometry is from a linear image of the constrained one: the gap that theory itself predicts. Right: the share of the intermediate stage's variance that constrained beliefs explain. Vertical lines: the range in which the paper finds agreement.",
		figure.Row("Theory against the informativeness of tokens", "Two charts against α: deviation from the geometries on a logarithmic scale, and explained variance.",
			figure.Chart{
				X: axis, Y: figure.Axis{Label: "1 − R²", Log: true}, Refs: refs,
				Series: []figure.Series{
					{Name: "from the constrained geometry", X: x, Y: column(1), Color: 1},
					{Name: "the same, random initialisation", X: x, Y: column(2), Color: 1, Open: true},
					{Name: "from the full geometry", X: x, Y: column(3), Color: 2},
					{Name: "theory: full from constrained", X: alphas, Y: gaps, Color: figure.Grey},
				},
			},
			figure.Chart{
				X: axis, Y: figure.Axis{Label: "share of the variance", Include: []float64{0, 1}}, Refs: refs,
				Series: []figure.Series{
					{Name: "explained by constrained beliefs", X: x, Y: column(4), Color: 3},
					{Name: "explained, random initialisation", X: x, Y: column(5), Color: 3, Open: true},
				},
			}))
}

// theoryGap is 1 − R² of the full beliefs on the constrained ones: what no linear
// map of the constrained geometry has of the full one.
func theoryGap(p *process.Prefixes) (float64, error) {
	r, err := probe.Regress(probe.Table{Width: p.States, Data: p.Constrained}, probe.Table{Width: p.States, Data: p.Beliefs}, p.Prob, probe.SequenceFolds(p, foldCount, foldSeed))
	if err != nil {
		return 0, err
	}
	return deviation(r), nil
}

// deviation is what a regression leaves unexplained, held out.
func deviation(r *probe.Regression) float64 { return 1 - r.HeldOut.R2 }
