package induction

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// Held-out sequences are those of Algorithm 1: as many of each lag, the first k̂ tokens
// independent, the others by the lag, whose posterior the tokens tell.
func TestChainsHaveTheirLag(t *testing.T) {
	for _, of := range []task{example, nonContiguous, twoApart, spread} {
		c := newChains(of, transition, 20, 200)
		lags := of.lags()
		if c.count() != 20*len(lags) || c.sequence(0)[0] != c.tokens[0] {
			t.Errorf("%s: %d sequences", of, c.count())
		}
		for n, lag := range c.lag {
			posterior, err := c.process.Posterior(c.sequence(n))
			if err != nil || posterior[slices.Index(lags, lag)] < 0.99 {
				t.Errorf("%s: sequence %d of lag %d has the posterior %v, %v", of, n, lag, posterior, err)
			}
		}
	}
}

// An observer of all transitions is the Bayesian model average, to rounding.
func TestObserverOfAllIsBMA(t *testing.T) {
	c := newChains(nonContiguous, transition, 4, 60)
	all := c.predicted(c.observer(func(int) bool { return true }))
	bma := c.predicted(c.process.Predictor())
	for i, x := range all.kl {
		if math.Abs(x-bma.kl[i]) > 1e-9 {
			t.Fatalf("position %d: %v and %v", i%c.context+1, x, bma.kl[i])
		}
	}
	if mean, se := all.above(bma, 1); math.Abs(mean) > 1e-9 || se > 1e-9 {
		t.Errorf("%v ± %v above itself", mean, se)
	}
}

// Before there are k̂ tokens everything is as unknown as π says, and nobody diverges.
func TestNothingIsKnownAtFirst(t *testing.T) {
	c := newChains(spread, transition, 4, 10)
	bma := c.predicted(c.process.Predictor())
	mean := bma.at()
	if early := stat.Mean(mean[:of7-1], nil); early > 1e-12 || mean[of7-1] < 0.01 {
		t.Errorf("divergences %v", mean)
	}
}

// of7 is the largest lag of the task spread.
const of7 = 7
