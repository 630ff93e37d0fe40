package coin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/craft"
)

// between returns a number between two positive ones, uniform in its logarithm.
func between(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}

// seldom is true in one of ten cases.
func seldom(r *rand.Rand) bool { return r.IntN(10) == 0 }

// either is true in half of the cases.
func either(r *rand.Rand) bool { return r.IntN(2) == 0 }

// off returns the error of a formula: rounding if it is right, and of any size if it is
// wrong.
func off(r *rand.Rand, wrong bool) float64 {
	if wrong {
		return between(r, 1e-4, 1)
	}
	return between(r, 1e-17, 1e-13)
}

// No rule is bound to a verdict, whatever is printed, built and trained.
func TestRulesHavePower(t *testing.T) {
	five := judgedLearners(t, 0.3, 0, 0, 0, 0, 0)
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"C1": claimtest.Draw(headOutput.judge, func(r *rand.Rand) headOutput {
			return headOutput{positions: 1, worst: off(r, seldom(r))}
		}, claim.Holds, claim.Fails),
		"C2": claimtest.Draw(bullets.judge, func(r *rand.Rand) (m bullets) {
			misprints, wrong := either(r), seldom(r)
			for _, text := range []string{"N", "heads", "tails"} {
				worst := off(r, misprints && either(r))
				m.list = append(m.list, bullet{text: text, worst: worst, corrected: off(r, wrong)})
			}
			return m
		}, threeVerdicts...),
		"C3": claimtest.Draw(tables.judge, func(r *rand.Rand) tables {
			method := seldom(r) // is wrong, not its misprints alone
			return tables{drawnTable(r, method || either(r)), drawnTable(r, method)}
		}, threeVerdicts...),
		"C4": claimtest.Draw(ramps.judge, drawnRamps, threeVerdicts...),
		"C5": claimtest.Draw(exact.judge, func(r *rand.Rand) (m exact) {
			// A model is built for an error, and nearly reaches it.
			for _, p := range priors {
				worst := exactError * between(r, 0.9, 1)
				if seldom(r) {
					worst = between(r, 1e-6, 1)
				}
				of := counter{prior: p, worst: craft.Worst{Error: worst}, moved: off(r, seldom(r))}
				m.models = append(m.models, of)
			}
			return m
		}, claim.Holds, claim.Fails),
		"C6": claimtest.Draw(learners.judge, func(r *rand.Rand) learners {
			return drawnLearners(r, five)
		}, claim.Holds, claim.Fails, claim.Open),
	})
}

// drawnTable is a table that may be wrong in what indicates a count, or in its
// predictions, or in both. A right one predicts within the rounding of its terms.
func drawnTable(r *rand.Rand, wrong bool) lookup {
	return lookup{indicator: off(r, wrong && either(r)), probability: off(r, wrong)}
}

// drawnRamps are curves with fewer neurons than a table has or more, with smaller errors
// inside its range and beyond or with larger ones. The corrected one is as good or better
// in each respect.
func drawnRamps(r *rand.Rand) ramps {
	table := logCurve{neurons: 1023, beyond: math.Log(2048)}
	printed := logCurve{
		neurons: int(between(r, 10, 2046)), inside: between(r, 1e-5, 1), beyond: table.beyond * between(r, 0.01, 10),
	}
	chosen := printed
	chosen.neurons = int(between(r, 10, float64(printed.neurons+1)))
	chosen.inside *= between(r, 1e-3, 1)
	chosen.beyond *= between(r, 1e-2, 1)
	return ramps{table: table, printed: printed, chosen: chosen}
}

// drawnLearners are five models of the first prior that diverge about as much as each
// other, between next to nothing and what flips tell.
func drawnLearners(r *rand.Rand, m learners) learners {
	m.measured = slices.Clone(m.measured)
	middle, scatter := between(r, 1e-5, 0.1), between(r, 1.01, 2)
	for i := range 5 {
		kl := middle * between(r, 1/scatter, scatter)
		m.measured[i].kl = slices.Repeat([]float64{kl}, longestFlips+1)
	}
	return m
}
