package abc

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// off returns the error of a number or a formula: at most right if it is right, and of
// any size if it is wrong.
func off(r claimtest.Stream, wrong bool, right float64) float64 {
	if wrong {
		return r.Between(10*right, 1)
	}
	return right * r.Float64()
}

// No rule is bound to a verdict, whatever models, formulas and printed numbers are.
func TestRulesHavePower(t *testing.T) {
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"A1": claimtest.Draw(learned.judge, drawnLearned, claim.Holds, claim.Differs, claim.Fails, claim.Open),
		"A2": claimtest.Draw(walks.judge, func(r claimtest.Stream) walks {
			return walks{drawn: 1, worst: off(r, r.OneIn(10), 1e-15)}
		}, claim.Holds, claim.Fails),
		"A3": claimtest.Draw(sums.judge, func(r claimtest.Stream) sums {
			// Terms and sum are rounded to four digits, so right sums are off by up to 1e-4.
			return sums{worst: off(r, r.OneIn(10), 1e-4), asWritten: off(r, r.OneIn(2), 1e-4)}
		}, claim.Holds, claim.Corrected, claim.Fails),
		"A4": claimtest.Draw(regions.judge, drawnDirections, claim.Holds, claim.Corrected),
	})
}

// drawnLearned are transformers of which none, all or some learn the pattern, and of the
// others none or some have not converged.
func drawnLearned(r claimtest.Stream) learned {
	reached := 0
	switch n := profiles[claim.Quick].seeds; r.IntN(4) {
	case 0:
	case 1:
		reached = n
	default:
		reached = r.IntN(n + 1)
	}
	stuck := 0
	if r.OneIn(2) {
		stuck = r.IntN(profiles[claim.Quick].seeds - reached + 1)
	}
	return learnedBy(reached, stuck)
}

// drawnDirections are those of the rows of the printed matrix, as a reader might round
// them, or any, as by misprints.
func drawnDirections(r claimtest.Stream) (m regions) {
	misprints := r.OneIn(2)
	for z, row := range printedOut {
		x := [2]float64{r.Around(row[0], 1.25), r.Around(row[1], 1.25)}
		if misprints {
			x = [2]float64{r.NormFloat64(), r.NormFloat64()}
		}
		m.bullets[z] = newBullet(z, x)
	}
	return m
}
