package claim

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is the level of all confidence intervals.
const confidence = 0.95

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Contains reports whether x is in the interval.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// Mean returns the mean of independent values, one for each seed, and its confidence
// interval by Student's t. The interval is nil for fewer than two values.
func Mean(bySeed []float64) (mean float64, interval *Interval) {
	mean = stat.Mean(bySeed, nil)
	n := float64(len(bySeed))
	if n < 2 {
		return mean, nil
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + confidence) / 2)
	half := t * stat.StdDev(bySeed, nil) / math.Sqrt(n)
	return mean, &Interval{mean - half, mean + half}
}

// Over returns the mean over seeds, with its confidence interval, as an effect.
func Over(what, unit string, bySeed []float64) *Effect {
	mean, interval := Mean(bySeed)
	return &Effect{What: what, Unit: unit, Estimate: mean, Interval: interval, Seeds: len(bySeed)}
}

// Reaching returns an effect that each model either has or does not have: the mean of
// those values, one for each seed, that are above a bound, or of all values if none is
// above it. [Effect.Reached] is the share of values above the bound.
func Reaching(what, unit string, bySeed []float64, bound float64) *Effect {
	var above []float64
	for _, v := range bySeed {
		if v > bound {
			above = append(above, v)
		}
	}
	values := above
	if len(above) == 0 {
		values = bySeed
	}
	e := Over(what, unit, values)
	e.Reached = reached(len(above), len(bySeed))
	return e
}

// Exactly returns an exact number, which does not depend on a seed, as an effect.
func Exactly(what, unit string, value float64) *Effect {
	return &Effect{What: what, Unit: unit, Estimate: value}
}

// Measured returns a mean over sampled sequences, for which nothing is trained, as an
// effect. se is its standard error over sequences. The interval is the normal one.
func Measured(what, unit string, mean, se float64) *Effect {
	e := Exactly(what, unit, mean)
	half := distuv.UnitNormal.Quantile((1+confidence)/2) * se
	e.Interval = &Interval{mean - half, mean + half}
	return e
}

// Shared returns a share of sampled sequences as an effect.
func Shared(what string, s Share) *Effect {
	e := Exactly(what, "", float64(s.K)/float64(s.N))
	e.Interval = &s.Interval
	return e
}

// Pooled returns the mean over models of several kinds as an effect. It has no interval,
// since these models differ in more than their seeds.
func Pooled(what, unit string, byModel []float64) *Effect {
	e := Over(what, unit, byModel)
	e.Interval = nil
	return e
}

// Beside sets the document's number and returns the effect.
func (e *Effect) Beside(what string, value float64) *Effect {
	e.Document = &Reference{what, value}
	return e
}

// Against sets the control's number and returns the effect.
func (e *Effect) Against(what string, value float64) *Effect {
	e.Control = &Reference{what, value}
	return e
}

// Share is the share of k in n, such as 3 of 5 models, with the exact 95 % confidence
// interval of the probability that k/n estimates.
type Share struct {
	K        int      `json:"k"`
	N        int      `json:"n"`
	Interval Interval `json:"interval"`
}

// NewShare returns the share of k in n, with the confidence interval of Clopper and
// Pearson (1934). It panics unless 0 ≤ k ≤ n and n > 0.
func NewShare(k, n int) Share {
	if k < 0 || k > n || n == 0 {
		panic("claim: a share k of n needs 0 ≤ k ≤ n and n > 0")
	}
	share, tail := Share{k, n, Interval{0, 1}}, (1-confidence)/2
	if k > 0 {
		share.Interval.Low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		share.Interval.High = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return share
}

// Equivalent returns the larger p value of two one-sided t tests (Schuirmann 1987): the
// probability that values, one for each seed, are at least as near to target as these if
// their true mean differs from target by margin or more. It returns 1 for fewer than two
// values, which show nothing. It panics unless margin > 0.
func Equivalent(bySeed []float64, target, margin float64) float64 {
	if margin <= 0 {
		panic("claim: the margin must be positive")
	}
	n := float64(len(bySeed))
	if n < 2 {
		return 1
	}
	mean, se := stat.Mean(bySeed, nil), stat.StdDev(bySeed, nil)/math.Sqrt(n)
	room := margin - math.Abs(mean-target) // distance from the mean to the nearer of target ± margin
	if se == 0 {
		if room > 0 {
			return 0
		}
		return 1
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Survival(room / se)
}
