package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

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
	// mostTorn is the largest mean square distance of neighbours, relative to any two
	// sequences, at which their neighbourhoods count as preserved: the middle between 0, for
	// a continuous map of dense points, and 1, for a map that preserves nothing.
	mostTorn = 0.5
)

// warping is M17c: Piotrowski et al. 2025, Sec. 4.5.
func (l *lab) warping() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M17c", Kind: claim.Picture, Setting: l.setting, Trainings: trained.Trainings(l.onProcesses(sources...)),
		RuleCommit: "7ef8a97", ChangedAfterResult: true,
		First: claim.FirstBy("9d8aa97", warps.first),
		Test: claim.Steps[warps]{
			Measure: l.measureWarps, Judge: warps.judge, Tabulate: warps.tabulate, Draw: warps.draw,
		}.Test,
	}, map[string]any{"length": warpLength, "same": samePoint, "most": mostTorn})
}

// warps is the measurement of M17c.
type warps struct {
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
	// torn is the mean square distance, in the second geometry, of sequences that are
	// neighbours in the first, relative to any two sequences: 0 for a continuous map of
	// dense points, 1 for a random one. folded is the same with the geometries exchanged.
	torn, folded float64
}

func (l *lab) measureWarps(ctx context.Context, s *claim.Study) (warps, error) {
	var found warps
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
		e.compare(cut(p.Constrained[from*n:to*n], n), cut(p.Beliefs[from*n:to*n], n), p.Prob[from:to])
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
	mid, final := cut(s.mid().plane.Data[2*from:2*to], 2), cut(s.final().plane.Data[2*from:2*to], 2)
	w.compare(mid, final, s.Prefixes.Prob[from:to])
	return w, nil
}

// compare fills in torn and folded for two geometries of the same sequences, which have
// the given probabilities.
func (w *warp) compare(first, second [][]float64, prob []float64) {
	w.torn, w.folded = apart(first, second, prob), apart(second, first, prob)
}

// apart returns the mean square distance, in the second geometry, between each sequence
// and its neighbour in the first, relative to the mean square distance of any two
// sequences. Sequences have their probabilities as weights, as in M16.
func apart(first, second [][]float64, prob []float64) float64 {
	neighbours, all, pairs := 0.0, 0.0, 0.0
	for i := range first {
		best, nearest := -1, math.Inf(1)
		for j := range first {
			if j == i {
				continue
			}
			all += prob[i] * prob[j] * square(second[i], second[j])
			pairs += prob[i] * prob[j]
			if d := floats.Distance(first[i], first[j], 2); d < nearest {
				best, nearest = j, d
			}
		}
		neighbours += prob[i] * square(second[i], second[best])
	}
	return neighbours / floats.Sum(prob) / (all / pairs)
}

// square returns the squared distance between two points.
func square(a, b []float64) float64 {
	d := floats.Distance(a, b, 2)
	return d * d
}

// compare fills in all measures for the constrained beliefs and the beliefs of the same
// sequences.
func (e *exactWarp) compare(constrained, beliefs [][]float64, prob []float64) {
	e.warp.compare(constrained, beliefs, prob)
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
		c := e.condition()
		c.Obtained += m.trainedWarp(i)
		conditions = append(conditions, c)
	}
	found := claim.NewFinding(conditions)
	found.Asked = []claim.Question{m.injective()}
	return found
}

// condition returns the verdict on one process, which does not depend on models.
func (e exactWarp) condition() claim.Condition {
	c := claim.Condition{
		Name: e.String(), Converged: true, Verdict: claim.Holds,
		Effect: claim.Exactly("mean square distance between beliefs of neighbours in the constrained geometry, "+
			"relative to any two sequences", "", e.torn),
		Obtained: fmt.Sprintf("%d pairs of sequences share a constrained belief but not a belief; the smallest "+
			"distance between constrained beliefs whose beliefs are at least a tenth of the belief geometry's "+
			"diameter apart is %.2g; the mean square distance of neighbours, relative to any two sequences, is %.4f "+
			"from constrained beliefs to beliefs and %.4f back", e.pairs, e.nearest, e.torn, e.folded),
	}
	torn, folded := e.torn > mostTorn, e.folded > mostTorn
	switch {
	case e.pairs > 0 || torn && folded:
		c.Verdict = claim.Fails
	case torn || folded:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c
}

// trainedWarp returns, as text in parentheses, the mean of torn over the converged models
// of the i-th process and over their random initialisations. It returns "" if no model
// has converged.
func (m warps) trainedWarp(i int) string {
	found, random := m.converged(i)
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf(" (between stages of the residual stream %.4f in trained models, %.4f at random "+
		"initialisation)",
		mean(found, tornOf), mean(random, tornOf))
}

// converged returns the measurements on the converged models of the i-th process, and on
// their random initialisations.
func (m warps) converged(i int) (found, random []warp) {
	if i >= len(m.conditions) {
		return nil, nil
	}
	return m.conditions[i].converged()
}

func tornOf(w warp) float64 { return w.torn }

func foldedOf(w warp) float64 { return w.folded }

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
	f := document.Frame{
		Title: fmt.Sprintf("neighbours among sequences of %d tokens, mean square distances relative to any two "+
			"sequences; models: mean over seeds that have converged", warpLength),
		Columns: slices.Concat(document.Headed("", "process"),
			document.Headed("%.4f", "torn, constrained → beliefs", "folded",
				"torn, stage → stage", "folded", "random init, torn", "folded"),
			document.Headed("%.2g", "smallest distance with beliefs apart")),
	}
	for i, e := range m.exact {
		found, random := m.converged(i)
		f.Row(e, e.torn, e.folded, meanCell(numbers(found, tornOf)), meanCell(numbers(found, foldedOf)),
			meanCell(numbers(random, tornOf)), meanCell(numbers(random, foldedOf)), e.nearest)
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m warps) draw(out *claim.Output) {
	chart := figure.Chart{
		X: figure.Axis{Label: "process"},
		Y: figure.Axis{Label: "mean square distance of neighbours", Include: []float64{0}},
		Series: []figure.Series{
			{Name: "torn, exact", Color: 1, Style: figure.Scatter},
			{Name: "folded, exact", Color: 2, Style: figure.Scatter},
			{Name: "torn, trained", Color: 1, Open: true, Style: figure.Scatter},
			{Name: "folded, trained", Color: 2, Open: true, Style: figure.Scatter},
		},
	}
	for i, e := range m.exact {
		chart.X.Names = append(chart.X.Names, e.String())
		found, _ := m.converged(i)
		values := [][]float64{{e.torn}, {e.folded}, numbers(found, tornOf), numbers(found, foldedOf)}
		for j, bySeed := range values {
			if len(bySeed) > 0 {
				addMean(&chart.Series[j], float64(i)+besideBy(j, 4), bySeed)
			}
		}
	}
	if len(chart.Series[2].X) == 0 {
		chart.Series = chart.Series[:2]
	}
	out.Figure("neighbours", figure.Row("From the constrained geometry to the belief geometry",
		"Chart of the relative distance of neighbours by process.", chart))
	out.CSV("neighbours", m.bySeed())
}

// bySeed returns a row for each process and each of its models.
func (m warps) bySeed() document.Frame {
	f := document.Frame{Columns: document.Named("x", "alpha", "seed", "torn", "folded")}
	f.Columns[2].Meaning = "random seed of the training run; 0 for the exact geometries"
	for i, e := range m.exact {
		f.Row(e.X, e.A, 0, e.torn, e.folded)
		if i < len(m.conditions) {
			for _, one := range m.conditions[i].Models {
				f.Row(e.X, e.A, one.Seed, one.Found.torn, one.Found.folded)
			}
		}
	}
	return f
}
