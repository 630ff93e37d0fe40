package induction

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestSampledRule(t *testing.T) {
	of := func(values ...float64) sampled {
		size := sampledSize{tokens: 10}
		for range 200 {
			size.values = append(size.values, []float64{0.1})
		}
		size.values = append(size.values, values)
		return sampled{{tokens: 25, values: [][]float64{{0.2}}}, size}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, sampled.judge, verdicts, []claimtest.Case[sampled]{
		{Name: "all positive", M: of(0.001), Want: claim.Holds},
		{Name: "one at zero", M: of(0), Want: claim.Differs},
		{Name: "one below", M: of(-0.01), Want: claim.Differs},
		{Name: "many below in one", M: of(-0.01, -0.01, -0.01), Want: claim.Differs},
		{Name: "many below", M: of(-0.01, -0.01, -0.01)[1:], Want: claim.Fails},
	})
}

// Sampled means are the exact ones of the stationary chain, within their errors.
func TestSampledMeansAreTheExactOnes(t *testing.T) {
	e := effort{sequences: 40_000, length: 60}
	means, err := e.sampleMatrix(10, 3)
	if err != nil {
		t.Fatal(err)
	}
	p, err := claimed.interleaved(10, flat, 3)
	if err != nil {
		t.Fatal(err)
	}
	exact := newTransitionMeans(p)
	for k, lag := range claimed.lags() {
		want, err := exact.at(lag, 60)
		if err != nil {
			t.Fatal(err)
		}
		for r := range want {
			if math.Abs(means[k][r]-want[r]) > 5*0.15/math.Sqrt(float64(e.sequences)) {
				t.Errorf("lag %d of %d: %.5f, exactly %.5f", claimed.lags()[r], lag, means[k][r], want[r])
			}
		}
	}
}
