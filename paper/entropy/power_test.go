package entropy

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// No rule is bound to a verdict, whatever estimators say.
func TestRulesHavePower(t *testing.T) {
	const sources, seeds = 8, 5
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"E1": claimtest.Draw(measured.judgeCodeLength, func(r claimtest.Stream) measured {
			// What is no code predicts from what it has yet to see, on some sources or on all.
			leaks, size := []int{0, 1 + r.IntN(sources), sources}[r.IntN(3)], r.Between(1e-4, 0.1)
			return made(sources, seeds, func(source, _, _, _ int) float64 {
				if source < leaks {
					return -r.Around(size, 1.5)
				}
				return r.Between(1e-6, 0.3)
			})
		}, threeVerdicts...),
		"E2": claimtest.Draw(measured.judgeBelow, func(r claimtest.Stream) measured { return drawn(r, 0.4) },
			threeVerdicts...),
		"E3": claimtest.Draw(measured.judgeAccuracy, func(r claimtest.Stream) measured {
			var scales [estimators]float64 // of the errors
			for estimator := range scales {
				scales[estimator] = r.Between(0.01, 0.1)
			}
			scales[byTree] = r.Between(0.001, 1)
			return made(sources, seeds, func(_, _, estimator, _ int) float64 {
				return scales[estimator] * r.NormFloat64()
			})
		}, threeVerdicts...),
		"E4": claimtest.Draw(measured.judgeShare, func(r claimtest.Stream) measured { return drawn(r, 0.4) },
			threeVerdicts...),
		"E5": claimtest.Draw(measured.judgeCoverage, func(r claimtest.Stream) measured {
			right, m := r.Float64(), made(sources, seeds, func(_, _, _, _ int) float64 { return 0 })
			if r.OneIn(3) {
				right = level
			}
			for _, c := range m.cells() {
				for _, e := range c.runs {
					if r.Float64() > right {
						e.posterior[c.length] = &claim.Interval{Low: 0.1, High: 0.2}
					}
				}
			}
			return m
		}, threeVerdicts...),
		"E6": claimtest.Draw(fitted.judge, func(r claimtest.Stream) fitted {
			middle, stuck := r.Between(1e-3, 1), 0
			if r.OneIn(4) {
				stuck = 1 + r.IntN(4)
			}
			return fitting(stuck, r.Around(middle, 3), r.Around(middle, 3), r.Around(middle, 3), r.Around(middle, 3))
		}, append(threeVerdicts, claim.Open)...),
	})
}

// drawn are estimates that are above the rate or below it, by up to a few times size, by
// about as much on all sources at all lengths.
func drawn(r claimtest.Stream, size float64) measured {
	middle := size * r.NormFloat64()
	return made(8, 5, func(_, _, _, _ int) float64 { return middle + 0.1*r.NormFloat64() })
}
