package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/text"
)

// Result is what an audit found. Its JSON has the fields named here, with numbers as
// numbers.
type Result struct {
	// N is the number of ranks, Missing the number of rows without an outcome.
	N       int `json:"n"`
	Missing int `json:"missing"`
	// Hypothesis is what the bets are against, in words.
	Hypothesis string `json:"hypothesis"`
	// Points is true if the forecasts were single numbers ([FromPoints]).
	Points bool `json:"points"`
	// EValue is the final wealth of a bettor that began with 1; the greatest wealth on the
	// way is not an e-value. Under the hypothesis it is at least c with probability at most
	// 1/c. It is at most 1e300; LogEValue is its natural logarithm, without this bound.
	EValue    float64 `json:"e_value"`
	LogEValue float64 `json:"log_e_value"`
	// Nats is the gain in nats a value: the mean log density that the bettor's forecasts
	// gave to the ranks. A forecaster that had recalibrated its forecasts in the same way,
	// each before its outcome was seen, would have had a log score that is better by
	// Nats, on these values. The best recalibration in hindsight would have gained more.
	// It is negative if the bets lost. With a Horizon the subsequences' gains are added.
	Nats float64 `json:"nats"`
	// Found are the faults with enough evidence, the strongest first: those with an
	// e-value of at least 20 times Looked, if EValue is at least 20, too. If the
	// hypothesis holds, one or more faults are found with probability at most 1/20.
	Found []Finding `json:"found"`
	// Looked is the number of faults that were looked for.
	Looked int `json:"looked"`
	// LogWealth is the logarithm of the wealth after each row.
	LogWealth []float64 `json:"log_wealth"`
	// Ranks counts the ranks; flat is right.
	Ranks Histogram `json:"ranks"`
}

// Finding is a fault of the forecasts. Its e-value is the wealth of a bettor that allows
// this fault, divided by the wealth, if that is above 1, of a bettor that allows every
// other fault; the package comment has the details. So it is an e-value, and it counts
// only what no other fault explains.
type Finding struct {
	Fault Fault `json:"fault"`
	// Lag is the number of steps after which errors depend on earlier ones; 0 for the
	// other faults.
	Lag       int     `json:"lag,omitempty"`
	EValue    float64 `json:"e_value"`
	LogEValue float64 `json:"log_e_value"`
}

// Fault is a way in which forecasts are wrong.
type Fault string

// The faults. Of point forecasts, the first five are changes in time of their errors.
const (
	TooLow    Fault = "too_low"    // outcomes are above the forecasts too often
	TooHigh   Fault = "too_high"   // outcomes are below the forecasts too often
	TooNarrow Fault = "too_narrow" // outcomes are far from the median too often
	TooWide   Fault = "too_wide"   // outcomes are near the median too often
	Shape     Fault = "shape"      // outcomes have another distribution in some other way
	Repeats   Fault = "repeats"    // errors are like those Lag steps earlier
	Reverses  Fault = "reverses"   // errors have the sign opposite to those Lag steps earlier
	Sizes     Fault = "sizes"      // errors are large, of either sign, after large ones Lag steps earlier
	Depends   Fault = "depends"    // errors depend on those Lag steps earlier in another way
	Drifts    Fault = "drifts"     // errors are like the average of recent ones
	Pattern   Fault = "pattern"    // errors follow what Options.Pattern learned
)

var marginFaults = []Fault{TooLow, TooHigh, TooNarrow, TooWide, Shape}

// least is the e-value from which evidence counts.
const least = 20

// find lists the faults of a result.
func (r *Result) find(trials []*trial, lags []int) {
	each := make([][]float64, len(trials))
	for i, t := range trials {
		each[i] = t.logs()
	}
	r.Looked, r.Found = len(each[0]), []Finding{}
	for i := range each[0] {
		best, logs := 0, make([]float64, len(trials))
		for j := range trials {
			if logs[j] = each[j][i]; logs[j] > logs[best] {
				best = j
			}
		}
		log := logMean(logs)
		if r.LogEValue < math.Log(least) || log < math.Log(float64(least*r.Looked)) {
			continue
		}
		f := Finding{EValue: bounded(log), LogEValue: log}
		if l := i - len(marginFaults); l < 0 {
			f.Fault = marginFaults[i]
		} else {
			f.Fault = trials[best].full.fault(l)
			if l < len(lags) {
				f.Lag = lags[l]
			}
		}
		r.Found = append(r.Found, f)
	}
	slices.SortStableFunc(r.Found, func(a, b Finding) int { return cmp.Compare(b.LogEValue, a.LogEValue) })
}

// fault names the fault of the link with an index, from the round with more evidence.
func (e *engine) fault(i int) Fault {
	best := e.rounds[0]
	for _, r := range e.rounds {
		if r.evidence(i) > best.evidence(i) {
			best = r
		}
	}
	return best.links[i].fault()
}

// fault names a link's fault by the bet that earned most.
func (l *link) fault() Fault {
	best := 0
	for i, weight := range l.weights {
		if weight > l.weights[best] {
			best = i
		}
	}
	switch {
	case l.lag == 0 && l.bets == nil:
		return Pattern
	case l.lag == 0:
		return Drifts
	case best == len(l.bets):
		return Depends
	case l.bets[best].size > 0:
		return Sizes
	case l.bets[best].correlation < 0:
		return Reverses
	}
	return Repeats
}

// Sentence answers in one sentence. step is the name of a step of time, such as "day";
// empty means "step".
func (r *Result) Sentence(step string) string {
	if r.EValue < least {
		if r.Points {
			return "Nothing found to improve; point forecasts alone cannot show an error that is always the same."
		}
		return "Nothing found to improve."
	}
	gain := "are not right"
	if r.Nats > 0 {
		gain = fmt.Sprintf("leave at least %s nats a value on the table", twoDigits(r.Nats))
	}
	start := fmt.Sprintf("Your forecasts %s (evidence %s : 1)", gain, odds(r.EValue))
	if len(r.Found) == 0 {
		return start + "; no single fault has enough evidence to be named."
	}
	clauses := r.clauses(cmp.Or(step, "step"))
	if last := len(clauses) - 1; last > 0 {
		clauses[last] = "and " + clauses[last]
	}
	return start + ": " + strings.Join(clauses, ", ") + "."
}

// clauses says what was found, each fault once, with all its lags.
func (r *Result) clauses(step string) (clauses []string) {
	done := map[Fault]bool{}
	for _, f := range r.Found {
		if done[f.Fault] {
			continue
		}
		done[f.Fault] = true
		clauses = append(clauses, strings.Replace(wordsOf(f.Fault, r.Points), "%s", r.lags(f.Fault, step), 1))
	}
	return clauses
}

// lags names the lags of a fault, "1 and 7 days"; empty if it has no lag.
func (r *Result) lags(fault Fault, step string) string {
	var lags []int
	for _, f := range r.Found {
		if f.Fault == fault && f.Lag > 0 {
			lags = append(lags, f.Lag)
		}
	}
	if len(lags) == 0 {
		return ""
	}
	slices.Sort(lags)
	var names []string
	for _, lag := range lags[:len(lags)-1] {
		names = append(names, strconv.Itoa(lag))
	}
	return text.And(append(names, text.Count(lags[len(lags)-1], step)))
}

// The words of faults. %s is the lag, with its unit. Of point forecasts, some are changes
// in time.
var (
	faultWords = map[Fault]string{
		TooLow:    "they are too low",
		TooHigh:   "they are too high",
		TooNarrow: "they are too narrow",
		TooWide:   "they are too wide",
		Shape:     "their distribution has the wrong shape",
		Repeats:   "their errors repeat after %s",
		Reverses:  "their errors change sign after %s",
		Sizes:     "the size of their errors repeats after %s",
		Depends:   "their errors depend on those %s earlier",
		Drifts:    "their errors drift",
		Pattern:   "their errors follow a pattern",
	}
	pointWords = map[Fault]string{
		TooLow:    "outcomes have moved up from them",
		TooHigh:   "outcomes have moved down from them",
		TooNarrow: "their errors have grown",
		TooWide:   "their errors have shrunk",
		Shape:     "the distribution of their errors has changed",
	}
)

func wordsOf(fault Fault, points bool) string {
	if words, ok := pointWords[fault]; ok && points {
		return words
	}
	return faultWords[fault]
}

// twoDigits rounds a positive number down to two significant digits.
func twoDigits(x float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	digits := max(0, 1-int(math.Floor(math.Log10(x))))
	return strconv.FormatFloat(math.Floor(x/unit+1e-9)*unit, 'f', digits, 64)
}

// odds formats evidence, rounded down to two significant digits: "3,400".
func odds(e float64) string {
	if e >= 1e6 {
		return "over 1,000,000"
	}
	digits := twoDigits(e)
	if len(digits) > 3 {
		digits = digits[:len(digits)-3] + "," + digits[len(digits)-3:]
	}
	return digits
}
