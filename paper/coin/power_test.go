package coin

import (
	"math"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/craft"
)

// No rule is bound to a verdict, whatever is printed, built and trained.
func TestRulesHavePower(t *testing.T) {
	five := judgedLearners(t, 0.3, 0, 0, 0, 0, 0)
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"C1": claimtest.Draw(headOutput.judge, func(r claimtest.Stream) headOutput {
			return headOutput{positions: 1, worst: r.Off(r.OneIn(10))}
		}, claim.Holds, claim.Fails),
		"C2": claimtest.Draw(bullets.judge, func(r claimtest.Stream) (m bullets) {
			misprints, wrong := r.OneIn(2), r.OneIn(10)
			for _, text := range []string{"N", "heads", "tails"} {
				worst := r.Off(misprints && r.OneIn(2))
				m.list = append(m.list, bullet{text: text, worst: worst, corrected: r.Off(wrong)})
			}
			return m
		}, threeVerdicts...),
		"C3": claimtest.Draw(tables.judge, func(r claimtest.Stream) tables {
			method := r.OneIn(10) // is wrong, not its misprints alone
			return tables{drawnTable(r, method || r.OneIn(2)), drawnTable(r, method)}
		}, threeVerdicts...),
		"C4": claimtest.Draw(ramps.judge, drawnRamps, threeVerdicts...),
		"C5": claimtest.Draw(exact.judge, func(r claimtest.Stream) (m exact) {
			// A model is built for an error, and nearly reaches it.
			for _, p := range priors {
				worst := exactError * r.Between(0.9, 1)
				if r.OneIn(10) {
					worst = r.Between(1e-6, 1)
				}
				of := counter{prior: p, worst: craft.Worst{Error: worst}, moved: r.Off(r.OneIn(10))}
				m.models = append(m.models, of)
			}
			return m
		}, claim.Holds, claim.Fails),
		"C6": claimtest.Draw(learners.judge, func(r claimtest.Stream) learners {
			return drawnLearners(r, five)
		}, claim.Holds, claim.Fails, claim.Open),
	})
}

// drawnTable is a table that may be wrong in what indicates a count, or in its
// predictions, or in both. A right one predicts within the rounding of its terms.
func drawnTable(r claimtest.Stream, wrong bool) lookup {
	return lookup{indicator: r.Off(wrong && r.OneIn(2)), probability: r.Off(wrong)}
}

// drawnRamps are curves with fewer neurons than a table has or more, with smaller errors
// inside its range and beyond or with larger ones. The corrected one is as good or better
// in each respect.
func drawnRamps(r claimtest.Stream) ramps {
	table := logCurve{neurons: 1023, beyond: math.Log(2048)}
	printed := logCurve{
		neurons: int(r.Between(10, 2046)), inside: r.Between(1e-5, 1), beyond: table.beyond * r.Between(0.01, 10),
	}
	chosen := printed
	chosen.neurons = int(r.Between(10, float64(printed.neurons+1)))
	chosen.inside *= r.Between(1e-3, 1)
	chosen.beyond *= r.Between(1e-2, 1)
	return ramps{table: table, printed: printed, chosen: chosen}
}

// drawnLearners are five models of the first prior that diverge about as much as each
// other, between next to nothing and what flips tell.
func drawnLearners(r claimtest.Stream, m learners) learners {
	m.measured = slices.Clone(m.measured)
	middle, scatter := r.Between(1e-5, 0.1), r.Between(1.01, 2)
	for i := range 5 {
		kl := r.Around(middle, scatter)
		m.measured[i].kl = slices.Repeat([]float64{kl}, longestFlips+1)
	}
	return m
}
