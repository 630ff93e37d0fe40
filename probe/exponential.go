package probe

import (
	"fmt"
	"math"
	"slices"
)

// Lags selects the pairs of a pattern that a decay is fitted to.
type Lags struct {
	From, To int // smallest and largest distance d−s, From ≥ 1
	Without  int // number of sources at the beginning to leave out
}

// NearLags are the default distances. They go up to 4, because attention further back is
// too small to distinguish decays. The first source is left out, because attention to it
// stands for attention to all positions before the sequence.
var NearLags = Lags{From: 1, To: 4, Without: 1}

// FitExponential returns λ in [0, 2] of an exponential decay of attention with distance,
// from destination d to source s,
//
//	A(d, s) ≈ a_s·λ^(d−s),
//
// fitted by least squares in A, with a factor a_s for each source as in Piotrowski et al.
// 2025, Eq. 13. The fit is in A and not in log A, because a softmax has a floor: where
// attention is much smaller than its maximum, log A is near that floor, and such values
// dominate an unweighted fit of log A ([FitDecay]).
//
// The T×T pattern is row-major with destinations by row and sources by column. The fit is
// over the pairs with the given lags, each counted once. λ is NaN if no source has two
// pairs or all attention is zero. FitExponential panics if the shape or the lags are
// invalid.
func FitExponential(pattern []float64, t int, lags Lags) float64 {
	if t < 1 || len(pattern) != t*t {
		panic(fmt.Sprintf("probe: an attention pattern over %d positions has %d entries, want their square", t, len(pattern)))
	}
	if lags.From < 1 || lags.To < lags.From || lags.Without < 0 {
		panic(fmt.Sprintf("probe: lags from %d to %d without the first %d sources; want 1 ≤ From ≤ To and Without ≥ 0",
			lags.From, lags.To, lags.Without))
	}
	var bySource []*falling
	for s := lags.Without; s+lags.From < t; s++ {
		source := newFalling(lags)
		for d := s + lags.From; d < t && d-s <= lags.To; d++ {
			source.add(d-s-lags.From, pattern[d*t+s])
		}
		bySource = append(bySource, source)
	}
	if !slices.ContainsFunc(bySource, (*falling).told) {
		return math.NaN()
	}
	return bestLambda(bySource)
}

// falling holds pairs that share a factor a: values y at steps n, counted from 0, which
// a·λⁿ approximates. For a given λ, the best a is P/Q, with sums over the pairs
//
//	P(λ) = Σ y·λⁿ, Q(λ) = Σ λ²ⁿ,
//
// and explains P²/Q of Σ y².
type falling struct {
	count []float64 // number of values at each step
	sum   []float64 // sum of the values at each step
}

func newFalling(lags Lags) *falling {
	n := lags.To - lags.From + 1
	return &falling{count: make([]float64, n), sum: make([]float64, n)}
}

func (f *falling) add(step int, y float64) {
	f.count[step]++
	f.sum[step] += y
}

// told reports whether the pairs determine λ: they have several different steps, and not
// all values are zero.
func (f *falling) told() bool {
	steps, size := 0, 0.0
	for n, count := range f.count {
		size += math.Abs(f.sum[n])
		if count > 0 {
			steps++
		}
	}
	return steps > 1 && size > 0
}

// slopes are P and Q of [falling], and their derivatives by λ.
type slopes struct{ p, dp, q, dq float64 }

func (f *falling) at(lambda float64) (s slopes) {
	power, before := 1.0, 0.0 // λⁿ and λⁿ⁻¹
	for n, sum := range f.sum {
		count, derivative := f.count[n], float64(n)*before
		s.p += sum * power
		s.dp += sum * derivative
		s.q += count * power * power
		s.dq += 2 * count * derivative * power
		power, before = power*lambda, power
	}
	return s
}

// The grid on which λ is searched from 0: the number of steps, and the largest value.
const (
	lambdaSteps = 2000
	mostLambda  = 2
)

// bestLambda maximises the sum of P²/Q over the groups, see [falling]: it takes the best
// point of a grid, and then the nearby zero of the derivative.
func bestLambda(groups []*falling) float64 {
	best, most := 0.0, math.Inf(-1)
	for i := range lambdaSteps + 1 {
		lambda, explained := mostLambda*float64(i)/lambdaSteps, 0.0
		for _, f := range groups {
			s := f.at(lambda)
			explained += s.p * s.p / s.q
		}
		if explained > most {
			best, most = lambda, explained
		}
	}
	const step = mostLambda / float64(lambdaSteps)
	low, high := max(0, best-step), min(mostLambda, best+step)
	for range 60 { // to the last bit of a double
		middle, rise := (low+high)/2, 0.0
		for _, f := range groups {
			s := f.at(middle)
			rise += (2*s.dp*s.q - s.p*s.dq) * s.p / (s.q * s.q)
		}
		if rise > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}
