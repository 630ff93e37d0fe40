package mess3

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
)

// firstEmbeddings is M5b: Piotrowski et al. 2025, Fig. A2.
func (l *lab) firstEmbeddings() claim.Row {
	return claim.Row{
		ID: "M5b", Kind: claim.Picture, Source: cite + "Fig. A2",
		Quote: "“Embeddings for the first two positions are correctly predicted to be parallel to the OV vectors " +
			"[…]; however the sign of the predicted embedding for these first two positions deviates from the " +
			"observed embedding. We do not yet understand the reason for this discrepancy […]” (Fig. A2; one " +
			"picture, the number of models is not stated.)",
		Statement: "At the first two positions, the sign that Eq. 15 predicts for embeddings is not the observed one.",
		Expected: "x = 0.15, α = 0.6, the scales of M5: at positions 1 and 2 the measured and the predicted scale " +
			"have opposite signs in every model that has converged. It differs if signs are opposite in some models " +
			"only, or at one position only. It fails if they are opposite in no model, and is open if they are also " +
			"opposite in the random initialisation",
		StandsOn: others(onOneFit, "M5b"), RuleCommit: "b7cec60", ChangedAfterResult: true,
		Trainings: trained.Trainings(l.onProcesses(figure2)),
		Test: claim.Steps[anomalies]{
			Measure: l.measureAnomalies, Judge: anomalies.judge, Tabulate: anomalies.tabulate, Draw: anomalies.draw,
		}.Test,
	}
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
	var conditions []claim.Condition
	for _, g := range m.conditions {
		conditions = append(conditions, g.judged(embedding.opposed, judgeAnomaly))
	}
	return claim.NewFinding(conditions)
}

// judgeAnomaly judges the models of a condition.
func judgeAnomaly(found, random []embedding) claim.Condition {
	opposed, control := numbers(found, embedding.opposed), mean(random, embedding.opposed)
	least, most := opposed[0], 0.0
	for _, n := range opposed {
		least, most = min(least, n), max(most, n)
	}
	c := claim.Condition{
		Effect: claim.Over("number of the first two positions with opposite signs", "", opposed).
			Beside("Fig. A2", firstScales).Against("random initialisation", control),
		Obtained: fmt.Sprintf("opposite signs at %g to %g of the two positions, depending on the model (random "+
			"initialisation %.2g); measured scale %s; scale by Eq. 15 %s at position 1 and %s at "+
			"position 2", least, most, control,
			withInterval("%.2f", scaleOf(found, 0, false)), withInterval("%.2f", scaleOf(found, 0, true)),
			withInterval("%.2f", scaleOf(found, 1, true))),
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

// scaleOf returns each model's scale at a position, counted from 0, as measured or as
// predicted by Eq. 15.
func scaleOf(models []embedding, position int, predicted bool) []float64 {
	return numbers(models, func(e embedding) float64 {
		if predicted {
			return e.scales[position].predicted
		}
		return e.scales[position].measured
	})
}

func (m anomalies) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "scales of the first embeddings, as multiples of Pr(S|z) − π",
		Columns: []string{
			"model", "seed", "converged", "measured", "Eq. 15 at position 1", "at position 2", "opposite signs",
			"random init, measured", "Eq. 15 at position 1", "at position 2", "opposite signs",
		},
	}
	for _, g := range m.conditions {
		for _, e := range g.models {
			line := []string{e.Label(), fmt.Sprint(e.Seed), yesOr(e.unconverged)}
			for _, of := range []embedding{e.found, e.random} {
				line = append(line,
					fmt.Sprintf("%.3f", of.scales[0].measured), fmt.Sprintf("%.3f", of.scales[0].predicted),
					fmt.Sprintf("%.3f", of.scales[1].predicted), fmt.Sprintf("%g of 2", of.opposed()))
			}
			table.Rows = append(table.Rows, line)
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes,
		"The token-dependent part of an embedding is the same at all positions, and so is the measured scale. At "+
			"position 1, Eq. 15 has 1 − ζ·A(1, 1)/A(2, 1) with A(1, 1) = 1: it is negative if A(2, 1) < ζ, whatever "+
			"the embedding. The sign then depends only on A(2, 1), which matters only for sequences of two tokens.",
		"This claim was first tested as a part of M5. When its own rule was written, it was known that the effect "+
			"does not occur in every model.")
}

func (m anomalies) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, g := range trainedOnly(m.conditions) {
		for position := range firstScales {
			predicted := func(e embedding) float64 { return e.scales[position].predicted }
			panel := seedChart(g, fmt.Sprintf("Eq. 15 at position %d", position+1), predicted,
				figure.Ref{Label: "0", Value: 0},
				figure.Ref{Label: "measured, first seed", Value: g.models[0].found.scales[position].measured})
			panels = append(panels, panel)
		}
	}
	out.Captioned("signs", "The scale that Eq. 15 predicts for the embeddings at the first two positions, by seed. "+
		"The line is the measured scale of the first seed. The paper's discrepancy appears where points and line "+
		"are on opposite sides of 0.",
		&figure.Figure{
			Title:  "Scales of the first embeddings according to Eq. 15",
			Desc:   "Two charts of points by seed, one for each position.",
			Panels: [][]figure.Panel{panels},
		})
	out.CSV("signs", document.Numbers(seedColumns("measured", "eq15_at_1", "eq15_at_2", "opposed"), seedRows(m.conditions,
		func(e embedding) float64 { return e.scales[0].measured },
		func(e embedding) float64 { return e.scales[0].predicted },
		func(e embedding) float64 { return e.scales[1].predicted }, embedding.opposed)))
}
