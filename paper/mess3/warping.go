package mess3

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"

	"gonum.org/v1/gonum/floats"
)

const (
	// warpLength is the length of the sequences whose geometries M17c compares: 729
	// sequences, few enough to compare all pairs.
	warpLength = 6
	// samePoint is the largest distance in a geometry at which two sequences count as
	// sharing a point. It allows for rounding.
	samePoint = 1e-9
)

// warping is M17c: Piotrowski et al. 2025, Sec. 4.5.
func (l *lab) warping() claim.Row {
	return claim.Row{
		ID: "M17c", Source: cite + "Sec. 4.5", Kind: claim.Picture,
		Quote: "“the MLP learns a continuous nonlinear warping that transforms the intermediate fractal structure " +
			"into the final belief geometry. […] The transformation involves stretching and compressing different " +
			"regions of the space while maintaining topological structure, though a full characterization of its " +
			"mathematical properties remains for future work” (Sec. 4.5; no measure, no number)",
		Statement: "The MLP warps the geometry of resid_mid into the belief geometry and preserves its topology.",
		Expected: fmt.Sprintf("computed exactly, over all sequences of %d tokens, for each of the four processes: it "+
			"fails if two sequences share a point of the constrained geometry (to %.0e) but not of the belief "+
			"geometry, so that no map of the plane leads from one to the other. Otherwise it is open: a finite set "+
			"of points has no topology, and the paper names no measure",
			warpLength, samePoint),
		Trainings: trained.Trainings(l.onProcesses(sources...)), RuleCommit: "9d8aa97", ChangedAfterResult: true,
		Test: claim.Steps[warps]{
			Measure: l.measureWarps, Judge: warps.judge, Tabulate: warps.tabulate, Draw: warps.draw,
		}.Test,
	}
}

// warps is the measurement of M17c.
type warps struct {
	setting    string
	exact      []exactWarp
	conditions []replicates[warp]
}

// exactWarp compares the constrained geometry of a process with its belief geometry.
type exactWarp struct {
	trained.Source
	warp
	pairs   int     // number of pairs of sequences that share a constrained belief but not a belief
	nearest float64 // smallest distance between constrained beliefs whose beliefs are at least diameter/10 apart
}

// warp measures how neighbours in one geometry are related in another geometry of the
// same sequences.
type warp struct {
	// torn is the mean distance, in the second geometry, of sequences that are neighbours in
	// the first, relative to the mean distance of any two sequences: 0 for a continuous map
	// of dense points, 1 for a random one. folded is the same with the geometries exchanged.
	torn, folded float64
}

func (l *lab) measureWarps(ctx context.Context, s *claim.Study) (warps, error) {
	found := warps{setting: l.setting}
	for _, on := range sources {
		h, err := on.HMM()
		if err != nil {
			return found, err
		}
		p, err := h.Prefixes(ctx, warpLength)
		if err != nil {
			return found, err
		}
		from, to := p.Range(warpLength)
		s.Tell("comparing geometries of " + on.String())
		e := exactWarp{Source: on}
		n := p.States
		e.compare(cut(p.Constrained[from*n:to*n], n), cut(p.Beliefs[from*n:to*n], n))
		found.exact = append(found.exact, e)
	}
	var err error
	found.conditions, err = measureReplicates(ctx, l, s, sources, (*subject).warp)
	return found, err
}

// warp compares the two stages, after attention and after the MLP, in the planes that the
// pictures of M2 show.
func (s *subject) warp() (warp, error) {
	from, to := s.Prefixes.Range(warpLength)
	var w warp
	w.compare(cut(s.mid().plane.Data[2*from:2*to], 2), cut(s.final().plane.Data[2*from:2*to], 2))
	return w, nil
}

// compare fills in torn and folded for two geometries of the same sequences.
func (w *warp) compare(first, second [][]float64) {
	w.torn, w.folded = apart(first, second), apart(second, first)
}

// apart returns the mean distance, in the second geometry, between each sequence and its
// neighbour in the first, relative to the mean distance of any two sequences.
func apart(first, second [][]float64) float64 {
	neighbours, all, n := 0.0, 0.0, len(first)
	for i := range first {
		best, nearest := -1, math.Inf(1)
		for j := range first {
			if j == i {
				continue
			}
			all += floats.Distance(second[i], second[j], 2) / float64(n-1)
			if d := floats.Distance(first[i], first[j], 2); d < nearest {
				best, nearest = j, d
			}
		}
		neighbours += floats.Distance(second[i], second[best], 2)
	}
	return neighbours / all
}

// compare fills in all measures for the constrained beliefs and the beliefs of the same
// sequences.
func (e *exactWarp) compare(constrained, beliefs [][]float64) {
	e.warp.compare(constrained, beliefs)
	diameter := 0.0
	for i := range beliefs {
		for j := range i {
			diameter = max(diameter, floats.Distance(beliefs[i], beliefs[j], 2))
		}
	}
	e.nearest = math.Inf(1)
	for i := range beliefs {
		for j := range i {
			near, far := floats.Distance(constrained[i], constrained[j], 2), floats.Distance(beliefs[i], beliefs[j], 2)
			if near <= samePoint && far > samePoint {
				e.pairs++
			}
			if far >= diameter/10 {
				e.nearest = min(e.nearest, near)
			}
		}
	}
}

func (m warps) judge() claim.Finding {
	var conditions []claim.Condition
	for i, e := range m.exact {
		c := claim.Condition{
			Name: e.String(), Converged: true, Verdict: claim.Open, Reason: claim.Convention,
			Effect: claim.Exactly("distance between beliefs of neighbours in the constrained geometry, "+
				"relative to any two sequences", "", e.torn),
			Obtained: fmt.Sprintf("%d pairs of sequences share a constrained belief but not a belief; the smallest "+
				"distance between constrained beliefs whose beliefs are at least a tenth of the belief geometry's "+
				"diameter apart is %.2g; the distance of neighbours is %.2f times the distance of any two "+
				"sequences%s", e.pairs,
				e.nearest, e.torn, m.trainedWarp(i)),
		}
		if e.pairs > 0 {
			c.Verdict, c.Reason = claim.Fails, ""
		}
		conditions = append(conditions, c)
	}
	found := claim.NewFinding(conditions)
	found.Asked = []claim.Question{m.injective()}
	return found
}

// trainedWarp returns, as text in parentheses, the mean of torn over the converged models
// of the i-th process and over their random initialisations. It returns "" if no model
// has converged.
func (m warps) trainedWarp(i int) string {
	if i >= len(m.conditions) {
		return ""
	}
	found, random := m.conditions[i].converged()
	if len(found) == 0 {
		return ""
	}
	torn := func(w warp) float64 { return w.torn }
	return fmt.Sprintf(" (the same ratio between stages of the residual stream: %.2f in trained models, %.2f at "+
		"random initialisation)",
		mean(found, torn), mean(random, torn))
}

// injective asks the laboratory's own question: whether the map from constrained beliefs
// to beliefs is one-to-one.
func (m warps) injective() claim.Question {
	folded := 0
	for _, e := range m.exact {
		if e.pairs > 0 {
			folded++
		}
	}
	return claim.Question{
		Question: fmt.Sprintf("Is the map from constrained beliefs to beliefs one-to-one on sequences of %d "+
			"tokens, in every process?", warpLength),
		Answer: claim.AnswerIf(folded == 0), Obtained: fmt.Sprintf("in %d of %d", len(m.exact)-folded, len(m.exact)),
	}
}

func (m warps) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: fmt.Sprintf("neighbours among sequences of %d tokens, distances relative to any two sequences; "+
			"models: mean over seeds that have converged", warpLength),
		Columns: []string{
			"process", "torn, constrained → beliefs", "folded", "torn, stage → stage", "folded", "random init, torn",
			"folded", "smallest distance with beliefs apart",
		},
	}
	for i, e := range m.exact {
		line := []string{
			e.String(), fmt.Sprintf("%.3f", e.torn), fmt.Sprintf("%.3f", e.folded), "–", "–", "–", "–",
			fmt.Sprintf("%.2g", e.nearest),
		}
		if i < len(m.conditions) {
			if found, random := m.conditions[i].converged(); len(found) > 0 {
				for j, group := range [][]warp{found, random} {
					line[3+2*j] = fmt.Sprintf("%.3f", mean(group, func(w warp) float64 { return w.torn }))
					line[4+2*j] = fmt.Sprintf("%.3f", mean(group, func(w warp) float64 { return w.folded }))
				}
			}
		}
		table.Rows = append(table.Rows, line)
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes,
		"Torn: the distance, in the second geometry, of sequences that are neighbours in the first. Folded: the "+
			"same with the geometries exchanged. 0 where points are dense and the map is continuous, 1 where no "+
			"neighbourhood is preserved.",
		"A model is not limited to the plane: its stage may separate, in other directions, sequences that coincide "+
			"in the plane.")
}

func (m warps) draw(out *claim.Output) {
	var rows [][]float64
	chart := figure.Chart{
		X: figure.Axis{Label: "process"}, Y: figure.Axis{Label: "distance of neighbours", Include: []float64{0}},
		Series: []figure.Series{
			{Name: "torn, exact", Color: 1, Dots: true},
			{Name: "folded, exact", Color: 2, Dots: true},
			{Name: "torn, trained", Color: 1, Open: true, Dots: true},
			{Name: "folded, trained", Color: 2, Open: true, Dots: true},
		},
	}
	for i, e := range m.exact {
		chart.X.Names = append(chart.X.Names, e.String())
		rows = append(rows, []float64{e.X, e.A, 0, e.torn, e.folded})
		values := [][]float64{{e.torn}, {e.folded}, nil, nil}
		if i < len(m.conditions) {
			found, _ := m.conditions[i].converged()
			for _, w := range found {
				values[2] = append(values[2], w.torn)
				values[3] = append(values[3], w.folded)
			}
			for _, one := range m.conditions[i].models {
				rows = append(rows, []float64{e.X, e.A, float64(one.Seed), one.found.torn, one.found.folded})
			}
		}
		for j, bySeed := range values {
			if len(bySeed) > 0 {
				chart.Series[j] = intervalPoint(chart.Series[j], float64(i)+besideBy(j, 4), bySeed)
			}
		}
	}
	if len(chart.Series[2].X) == 0 {
		chart.Series = chart.Series[:2]
	}
	out.Captioned("neighbours", "The distance, in one geometry, of sequences that are neighbours in the other, "+
		"relative to any two sequences: from the constrained beliefs to the beliefs (torn) and back (folded), "+
		"exactly, and from stage to stage of trained models. Lower values mean that neighbourhoods are better "+
		"preserved.",
		figure.Row("From the constrained geometry to the belief geometry", "Chart of the relative distance of "+
			"neighbours by process.", chart))
	out.CSV("neighbours", document.Numbers([]string{"x", "alpha", "seed", "torn", "folded"}, rows))
}
