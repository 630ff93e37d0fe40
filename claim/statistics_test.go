package claim

import (
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/panics"

	"gonum.org/v1/gonum/stat/distuv"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Student 1908: of 1, 2, 3 the mean is 2 ± 4.303/√3.
func TestMean(t *testing.T) {
	mean, interval := Mean([]float64{1, 2, 3})
	near(t, "mean", mean, 2, 0)
	near(t, "low", interval.Low, 2-4.302652729749/math.Sqrt(3), 1e-9)
	near(t, "high", interval.High, 2+4.302652729749/math.Sqrt(3), 1e-9)
	if _, interval := Mean([]float64{7}); interval != nil {
		t.Errorf("one value has the interval %v", *interval)
	}
}

// An interval of 95 % misses the truth in 5 % of samples.
func TestMeanCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	missed := 0
	const samples = 20000
	for range samples {
		values := make([]float64, 5)
		for i := range values {
			values[i] = 3 + random.NormFloat64()
		}
		if _, interval := Mean(values); !interval.Contains(3) {
			missed++
		}
	}
	near(t, "missed", float64(missed)/samples, 0.05, 0.005)
}

// An effect that models have or do not have is averaged over those that have it.
func TestReaching(t *testing.T) {
	for _, test := range []struct {
		bound, mean float64
		seeds, k    int
	}{{1.5, 2.5, 2, 2}, {3, 2, 3, 0}, {0, 2, 3, 3}} {
		e := Reaching("a number", "nats", []float64{1, 2, 3}, test.bound)
		if e.Estimate != test.mean || e.Seeds != test.seeds || e.Reached.K != test.k || e.Reached.N != 3 {
			t.Errorf("above %g: %+v, reached %+v", test.bound, e, e.Reached)
		}
	}
}

// The bounds of Clopper and Pearson are those at which the tails of the binomial
// distribution are 2.5 % each.
func TestNewShare(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for k := range n + 1 {
			share := NewShare(k, n)
			if k == 0 != (share.Interval.Low == 0) || k == n != (share.Interval.High == 1) {
				t.Errorf("%d of %d: %v", k, n, share.Interval)
			}
			if k > 0 {
				atLeast := 1 - distuv.Binomial{N: float64(n), P: share.Interval.Low}.CDF(float64(k-1))
				near(t, "upper tail", atLeast, 0.025, 1e-9)
			}
			if k < n {
				atMost := distuv.Binomial{N: float64(n), P: share.Interval.High}.CDF(float64(k))
				near(t, "lower tail", atMost, 0.025, 1e-9)
			}
		}
	}
}

// A share that cannot be is a mistake of the caller.
func TestNewShareRefuses(t *testing.T) {
	for _, c := range [][2]int{{-1, 3}, {4, 3}, {0, 0}} {
		if !panics.Does(func() { NewShare(c[0], c[1]) }) {
			t.Errorf("%d of %d is a share", c[0], c[1])
		}
	}
}

// An effect keeps the numbers that it is compared with.
// A number without models has an interval over sequences: 1.96 standard errors, or the
// interval of a share. Models of several kinds have none.
func TestEffectsWithoutSeeds(t *testing.T) {
	e := Measured("KL", "nats", 1, 0.1)
	if e.Seeds != 0 || math.Abs(e.Interval.Low-0.804) > 1e-4 || math.Abs(e.Interval.High-1.196) > 1e-4 {
		t.Errorf("measured: %+v, %v", e, e.Interval)
	}
	share := NewShare(3, 4)
	if e := Shared("found", share); e.Estimate != 0.75 || *e.Interval != share.Interval || e.check() != nil {
		t.Errorf("a share: %+v, %v", e, e.check())
	}
	if e := Pooled("KL", "nats", []float64{1, 3}); e.Estimate != 2 || e.Seeds != 2 || e.Interval != nil {
		t.Errorf("pooled: %+v", e)
	}
}

func TestEffectIsCompared(t *testing.T) {
	e := Exactly("R²", "", 0.9).Beside("paper", 0.95).Against("untrained", 0.8)
	if e.Document == nil || *e.Document != (Reference{"paper", 0.95}) {
		t.Errorf("the document's number is %v", e.Document)
	}
	if e.Control == nil || *e.Control != (Reference{"untrained", 0.8}) {
		t.Errorf("the control's number is %v", e.Control)
	}
}

// Where the mean lies on the bound, the test passes by chance in as many samples as its
// level says.
func TestEquivalent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	passed := 0
	const samples = 20000
	for range samples {
		values := make([]float64, 5)
		for i := range values {
			values[i] = 1 + 0.1*random.NormFloat64()
		}
		if Equivalent(values, 0, 1) <= 0.05 {
			passed++
		}
	}
	near(t, "passed", float64(passed)/samples, 0.05, 0.005)
	near(t, "far within", Equivalent([]float64{-0.1, 0, 0.1}, 0, 1), 0.5*(1-17.320508/math.Sqrt(2+300)), 1e-6)
	near(t, "another target", Equivalent([]float64{4.9, 5, 5.1}, 5, 1), 0.5*(1-17.320508/math.Sqrt(2+300)), 1e-6)
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{0}, 1}, {[]float64{2, 2}, 1}, {[]float64{0.5, 0.5}, 0}} {
		near(t, "without a spread", Equivalent(c.values, 0, 1), c.want, 0)
	}
}
