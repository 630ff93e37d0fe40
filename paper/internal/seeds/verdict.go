package seeds

import (
	"fmt"
	"math"

	"foretell/claim"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Above returns the verdict on the claim that a quantity is above a bound, from the
// quantity's confidence interval over seeds: Holds if the whole interval is above the
// bound, Fails if the whole interval is below, and Open if it contains the bound or is
// nil.
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

// Answer converts a verdict to the answer to a yes-or-no question: Holds to Yes, Open to
// Undecided, and any other verdict to No.
func Answer(v claim.Verdict) claim.Answer {
	switch v {
	case claim.Holds:
		return claim.Yes
	case claim.Open:
		return claim.Undecided
	}
	return claim.No
}

// Within formats an interval as “ (low to high)”, beginning with a space; a nil interval
// gives an empty string. The format, such as %.3f, is applied to each end.
func Within(format string, interval *claim.Interval) string {
	if interval == nil {
		return ""
	}
	return fmt.Sprintf(" ("+format+" to "+format+")", interval.Low, interval.High)
}

// Difference returns the mean of the first sample minus the mean of the second, with the
// 95 % confidence interval of Welch (1947). The samples are independent, with one number
// for each seed. The interval is nil if a sample has fewer than two.
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
