package mess3

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
)

// firstSourceApart is the threshold of M17a: how far the first position must be from the
// nearest of the other positions, in attention and in length, in units of the range of
// the others. If it is nearer, the others are not a cluster that excludes it.
const firstSourceApart = 1

// firstSource is M17a: Piotrowski et al. 2025, Sec. 4.4.
func (l *lab) firstSource() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M17a", Kind: claim.Order, Setting: l.setting,
		Trainings: trained.Trainings(l.onProcesses(oneHeadSources...)), RuleCommit: "9171873", ChangedAfterResult: true,
		First: claim.FirstBy("9d8aa97", firstSources.first),
		Test: claim.Steps[firstSources]{
			Measure: l.measureFirstSource, Judge: firstSources.judge, Tabulate: firstSources.tabulate,
			Draw: firstSources.draw,
		}.Test,
	}, map[string]any{"apart": firstSourceApart})
}

// oneHeadSources are the paper's processes whose models have one head.
var oneHeadSources = []trained.Source{trained.Mess3(0.15, 0.6), trained.Mess3(0.15, 0.2)}

// firstSources is the measurement of M17a.
type firstSources []replicates[nextAndLengths]

// nextAndLengths holds two numbers for each position from the first: the attention that
// it receives from the next position, and the length of its OV vectors through f,
// averaged over tokens. The map f is described in ov.go.
type nextAndLengths struct{ next, lengths []float64 }

// reach returns the range of a list, which is its largest number minus its smallest.
func reach(list []float64) float64 { return slices.Max(list) - slices.Min(list) }

// above returns A(2,1) minus the largest other A(m+1, m), in units of the range of these
// others.
func (n nextAndLengths) above() float64 {
	return (n.next[0] - slices.Max(n.next[1:])) / reach(n.next[1:])
}

// shorter returns the smallest other |v_m| minus |v₁|, in units of the range of these
// others.
func (n nextAndLengths) shorter() float64 {
	return (slices.Min(n.lengths[1:]) - n.lengths[0]) / reach(n.lengths[1:])
}

func (l *lab) measureFirstSource(ctx context.Context, s *claim.Study) (firstSources, error) {
	return measureReplicates(ctx, l, s, oneHeadSources, (*subject).nextAndLengths)
}

// nextAndLengths measures the first head of the model.
func (s *subject) nextAndLengths() (nextAndLengths, error) {
	var n nextAndLengths
	vectors, err := s.ovVectors()
	if err != nil {
		return n, err
	}
	tokens := s.HMM.Alphabet()
	n.lengths = make([]float64, len(vectors)/tokens)
	for _, v := range vectors {
		n.lengths[v.position-1] += v.measured.length() / float64(tokens)
	}
	for m := 1; m <= len(n.lengths); m++ {
		n.next = append(n.next, toNext(s.patterns[0], m))
	}
	return n, nil
}

// firstSourceRule returns the verdict on a condition.
func firstSourceRule(found, random []nextAndLengths) claim.Condition {
	above, shorter := numbers(found, nextAndLengths.above), numbers(found, nextAndLengths.shorter)
	evenly := []float64{mean(random, nextAndLengths.above), mean(random, nextAndLengths.shorter)}
	c := claim.Condition{
		Verdict: claim.Open, Reason: claim.Power,
		Effect: claim.Over("A(2,1) minus the largest other A(m+1, m), in units of the others' range", "", above).
			Against("random initialisation", evenly[0]),
	}
	c.Obtained = fmt.Sprintf("A(2,1) exceeds every other A(m+1, m) by at least %.1f times their range (random "+
		"initialisation %.1f), |v₁| is below every other |v_m| by at least %.1f times their range (random "+
		"initialisation %.1f)",
		c.Effect.Estimate, evenly[0], mean(found, nextAndLengths.shorter), evenly[1])
	beyond := func(list []nextAndLengths, by float64) bool {
		return sign(numbers(list, nextAndLengths.above), by) > 0 && sign(numbers(list, nextAndLengths.shorter), by) > 0
	}
	switch {
	case beyond(random, firstSourceApart):
	case beyond(found, firstSourceApart):
		c.Verdict, c.Reason = claim.Holds, ""
	case beyond(found, 0) && (sign(above, firstSourceApart) < 0 || sign(shorter, firstSourceApart) < 0):
		c.Verdict, c.Reason = claim.Differs, claim.Size
	case sign(above, 0) < 0 && sign(shorter, 0) < 0:
		c.Verdict, c.Reason = claim.Fails, ""
	}
	return c
}

func (m firstSources) judge() claim.Finding {
	return judgeEach(m, nextAndLengths.above, firstSourceRule)
}

func (m firstSources) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: "attention from the next position and length of OV vectors through f, " +
			"mean over seeds that have converged",
		Columns: slices.Concat(document.Headed("", "process", "position m"),
			document.Headed("%.3f", "A(m+1, m)", "random init", "|v_m|", "random init")),
	}
	for _, g := range trainedOnly(m) {
		all, random := g.tabulated()
		for i := range all[0].next {
			next := func(n nextAndLengths) float64 { return n.next[i] }
			length := func(n nextAndLengths) float64 { return n.lengths[i] }
			table.Row(g.String(), i+1, mean(all, next), mean(random, next), mean(all, length), mean(random, length))
		}
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m firstSources) draw(out *claim.Output) {
	var panels []figure.Panel
	positions := document.Frame{Columns: document.Named(
		"x", "alpha", "seed", "position", "attention_next", "attention_next_random", "length", "length_random",
	)}
	for _, g := range trainedOnly(m) {
		panels = append(panels,
			positionChart(g, "A(m+1, m)", func(n nextAndLengths) []float64 { return n.next }),
			positionChart(g, "|v_m|", func(n nextAndLengths) []float64 { return n.lengths }))
		for _, one := range g.Models {
			for i := range one.Found.next {
				positions.Row(g.X, g.A, one.Seed, i+1, one.Found.next[i], one.Random.next[i],
					one.Found.lengths[i], one.Random.lengths[i])
			}
		}
	}
	out.Figure("positions", figure.Grid(2, "The first position", "Two charts for each process: attention from the next "+
		"position and length of OV vectors against position, trained and untrained.", panels...))
	out.CSV("positions", positions)
}

// positionChart draws one of the lists of [nextAndLengths] by position, trained and at
// random initialisation.
func positionChart(g replicates[nextAndLengths], label string, of func(nextAndLengths) []float64) figure.Panel {
	chart := figure.Chart{
		Title: g.String(), X: figure.Axis{Label: "position m"}, Y: figure.Axis{Label: label, Include: []float64{0}},
		Series: []figure.Series{{Name: "trained", Color: 1}, {Name: "random initialisation", Color: 1, Open: true}},
	}
	found, random := g.tabulated()
	for i := range of(found[0]) {
		at := func(n nextAndLengths) float64 { return of(n)[i] }
		addMean(&chart.Series[0], float64(i+1), numbers(found, at))
		addMean(&chart.Series[1], float64(i+1), numbers(random, at))
	}
	return chart
}
