package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestGeneratorRule(t *testing.T) {
	of := func(algorithm, printed, stationary float64) drawn {
		return drawn{stationary: stationary, tests: []drawnTest{
			{lag: 1, sampler: "in bulk", pAlgorithm: algorithm, pPrinted: printed}, {lag: 2, sampler: "in bulk", pAlgorithm: 0.5},
		}}
	}
	both := drawn{tests: []drawnTest{{lag: 1, pAlgorithm: 0, pPrinted: 0.3}}}
	claimtest.Rule(t, drawn.judge, []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}, []claimtest.Case[drawn]{
		{Name: "as printed", M: both, Want: claim.Holds},
		{Name: "by the algorithm", M: of(0.2, 0, 0), Want: claim.Corrected},
		{Name: "by neither", M: of(1e-9, 0, 0), Want: claim.Fails},
		{Name: "not stationary", M: of(0.2, 0, 0.1), Want: claim.Fails},
	})
}

func TestPredictorsRule(t *testing.T) {
	of := func(bma, ml, left float64) predicted {
		return predicted{tasks: []predictedTask{{
			task: example, entropy: []float64{1}, floor: []float64{1}, bma: []float64{bma}, ml: []float64{ml},
			left: []float64{left},
		}}}
	}
	claimtest.Rule(t, predicted.judge, []claim.Verdict{claim.Holds, claim.Fails}, []claimtest.Case[predicted]{
		{Name: "optimal", M: of(1, 1.1, 0), Want: claim.Holds},
		{Name: "not optimal", M: of(1.01, 1.1, 0), Want: claim.Fails},
		{Name: "ML below", M: of(1, 0.9, 0), Want: claim.Fails},
		{Name: "does not concentrate", M: of(1, 1.1, 0.1), Want: claim.Fails},
	})
}
