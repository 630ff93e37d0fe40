package seeds

import (
	"fmt"
	"math"

	"foretell/claim"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Above is the verdict on what should be above a bound, by its interval over seeds: it
// holds if all of that is, fails if none is, and is open otherwise, or without one.
func Above(interval *claim.Interval, bound float64) (claim.Verdict, claim.Reason) {
	switch {
	case interval == nil:
		return claim.Open, claim.Power
	case interval.Low > bound:
		return claim.Holds, ""
	case interval.High < bound:
		return claim.Fails, ""
	}
	return claim.Open, claim.Power
}

// Answer is the answer to a question that is judged as a condition is.
func Answer(v claim.Verdict) claim.Answer {
	switch v {
	case claim.Holds:
		return claim.Yes
	case claim.Open:
		return claim.Undecided
	}
	return claim.No
}

// Within prints an interval in brackets, each end in a format, after a space; nothing
// where there is none.
func Within(format string, interval *claim.Interval) string {
	if interval == nil {
		return ""
	}
	return fmt.Sprintf(" ("+format+" to "+format+")", interval.Low, interval.High)
}

// Difference is the mean of some seeds less that of others, independent ones, with its
// 95 % interval by Welch (1947); nil where either has fewer than two.
func Difference(of, less []float64) (mean float64, interval *claim.Interval) {
	mean = Mean(of) - Mean(less)
	if min(len(of), len(less)) < 2 {
		return mean, nil
	}
	a, b := stat.Variance(of, nil)/float64(len(of)), stat.Variance(less, nil)/float64(len(less))
	if a+b == 0 {
		return mean, &claim.Interval{Low: mean, High: mean}
	}
	freedom := (a + b) * (a + b) / (a*a/float64(len(of)-1) + b*b/float64(len(less)-1))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975) * math.Sqrt(a+b)
	return mean, &claim.Interval{Low: mean - half, High: mean + half}
}
