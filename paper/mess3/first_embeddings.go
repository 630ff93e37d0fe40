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

// firstEmbeddings is M5b: Piotrowski et al. 2025, Fig. A2.
func (l *lab) firstEmbeddings() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M5b", Kind: claim.Picture, Setting: l.setting,
		StandsOn: others(onOneFit, "M5b"), RuleCommit: "b7cec60", ChangedAfterResult: true,
		Trainings: trained.Trainings(l.onProcesses(figure2)),
		First:     claim.FirstBy("b7cec60", claim.Decided(anomalies.judge)),
		Test: claim.Steps[anomalies]{
			Measure: l.measureAnomalies, Judge: anomalies.judge, Tabulate: anomalies.tabulate, Draw: anomalies.draw,
		}.Test,
	}, nil)
}

// anomalies is the measurement of M5b: the scales of the first embeddings, by condition.
type anomalies embeddings

func (l *lab) measureAnomalies(ctx context.Context, s *claim.Study) (anomalies, error) {
	m, err := l.measureEmbeddings(ctx, s)
	return anomalies(m), err
}

// opposed returns the number of positions, among the first firstScales, at which the
// measured scale and Eq. 15 have opposite signs.
func (e embedding) opposed() (count float64) {
	for _, x := range e.scales[:firstScales] {
		if x.measured*x.predicted < 0 {
			count++
		}
	}
	return count
}

func (m anomalies) judge() claim.Finding {
	return judgeEach(m, embedding.opposed, judgeAnomaly)
}

// judgeAnomaly judges the models of a condition.
func judgeAnomaly(found, random []embedding) claim.Condition {
	opposed, control := numbers(found, embedding.opposed), mean(random, embedding.opposed)
	least, most := slices.Min(opposed), slices.Max(opposed)
	c := claim.Condition{
		Effect: claim.Over("number of the first two positions with opposite signs", "", opposed).
			Beside("Fig. A2", firstScales).Against("random initialisation", control),
		Obtained: fmt.Sprintf("opposite signs at %g to %g of the two positions, depending on the model (random "+
			"initialisation %.2g); measured scale %s; scale by Eq. 15 %s at position 1 and %s at "+
			"position 2", least, most, control,
			withInterval("%.2f", numbers(found, measuredAt(0))), withInterval("%.2f", numbers(found, predictedAt(0))),
			withInterval("%.2f", numbers(found, predictedAt(1)))),
	}
	switch {
	case control >= firstScales:
		c.Verdict, c.Reason = claim.Open, claim.Power
	case least == firstScales:
		c.Verdict = claim.Holds
	case most > 0:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	default:
		c.Verdict = claim.Fails
	}
	return c
}

// measuredAt returns the function that gives a model's scale at a position, counted from
// 0, and predictedAt the function that gives the scale by Eq. 15.
func measuredAt(position int) func(embedding) float64 {
	return func(e embedding) float64 { return e.scales[position].measured }
}

func predictedAt(position int) func(embedding) float64 {
	return func(e embedding) float64 { return e.scales[position].predicted }
}

func (m anomalies) tabulate(c *claim.Claim) {
	columns := document.Headed("%.3f",
		"measured", "Eq. 15 at position 1", "at position 2", "opposite signs",
		"random init, measured", "Eq. 15 at position 1", "at position 2", "opposite signs")
	title := "scales of the first embeddings, as multiples of Pr(S|z) − π"
	table := seedFrame(title, m, columns, func(_ trained.Source, found, random embedding) (cells []any) {
		for _, e := range []embedding{found, random} {
			cells = append(cells, e.scales[0].measured, e.scales[0].predicted, e.scales[1].predicted)
			cells = append(cells, fmt.Sprintf("%g of 2", e.opposed()))
		}
		return cells
	})
	c.Tables = append(c.Tables, table.Table())
}

func (m anomalies) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, g := range trainedOnly(m) {
		for position := range firstScales {
			panel := seedChart(g, fmt.Sprintf("Eq. 15 at position %d", position+1), predictedAt(position),
				figure.Ref{Label: "0", Value: 0},
				figure.Ref{Label: "measured, first seed", Value: g.Models[0].Found.scales[position].measured})
			panels = append(panels, panel)
		}
	}
	out.Figure("signs", figure.Row("Scales of the first embeddings according to Eq. 15",
		"Two charts of points by seed, one for each position.", panels...))
	out.CSV("signs", seedNumbers(m, []string{"measured", "eq15_at_1", "eq15_at_2", "opposed"},
		measuredAt(0), predictedAt(0), predictedAt(1), embedding.opposed))
}
