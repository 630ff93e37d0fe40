package abc

import (
	"math"
	"math/rand/v2"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// between returns a number between two positive ones, uniform in its logarithm.
func between(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}

// seldom is true in one of ten cases.
func seldom(r *rand.Rand) bool { return r.IntN(10) == 0 }

// coin is true in half of the cases.
func coin(r *rand.Rand) bool { return r.IntN(2) == 0 }

// off returns the error of a number or a formula: at most right if it is right, and of
// any size if it is wrong.
func off(r *rand.Rand, wrong bool, right float64) float64 {
	if wrong {
		return between(r, 10*right, 1)
	}
	return right * r.Float64()
}

// No rule is bound to a verdict, whatever models, formulas and printed numbers are.
func TestRulesHavePower(t *testing.T) {
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"A1": claimtest.Draw(learned.judge, drawnLearned, claim.Holds, claim.Differs, claim.Fails, claim.Open),
		"A2": claimtest.Draw(walks.judge, func(r *rand.Rand) walks {
			return walks{drawn: 1, worst: off(r, seldom(r), 1e-15)}
		}, claim.Holds, claim.Fails),
		"A3": claimtest.Draw(sums.judge, func(r *rand.Rand) sums {
			// Terms and sum are rounded to four digits, so right sums are off by up to 1e-4.
			return sums{worst: off(r, seldom(r), 1e-4), asWritten: off(r, coin(r), 1e-4)}
		}, claim.Holds, claim.Corrected, claim.Fails),
		"A4": claimtest.Draw(regions.judge, drawnDirections, claim.Holds, claim.Corrected),
	})
}

// drawnLearned are transformers of which none, all or some learn the pattern, and of the
// others none or some have not converged.
func drawnLearned(r *rand.Rand) learned {
	reached := 0
	switch n := profiles[claim.Quick].seeds; r.IntN(4) {
	case 0:
	case 1:
		reached = n
	default:
		reached = r.IntN(n + 1)
	}
	stuck := 0
	if coin(r) {
		stuck = r.IntN(profiles[claim.Quick].seeds - reached + 1)
	}
	return learnedBy(reached, stuck)
}

// drawnDirections are those of the rows of the printed matrix, as a reader might round
// them, or any, as by misprints.
func drawnDirections(r *rand.Rand) (m regions) {
	misprints := coin(r)
	for z, row := range printedOut {
		x := [2]float64{row[0] * between(r, 0.8, 1.25), row[1] * between(r, 0.8, 1.25)}
		if misprints {
			x = [2]float64{r.NormFloat64(), r.NormFloat64()}
		}
		m.bullets[z] = newBullet(z, x)
	}
	return m
}
