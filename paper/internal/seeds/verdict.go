package seeds

import (
	"fmt"

	"foretell/claim"
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
