package claim

import (
	"fmt"
	"strings"
)

// Effect is a number that a claim is about, beside what it is to be compared with.
type Effect struct {
	What     string  `json:"what"`           // such as "decay of attention a step"
	Unit     string  `json:"unit,omitempty"` // such as "nats"; empty of a pure number
	Estimate float64 `json:"estimate"`       // the mean over seeds, or the exact number

	Interval *Interval `json:"interval,omitempty"` // 95 %, over seeds; nil of an exact number, and of a single model
	Seeds    int       `json:"seeds"`              // models that the estimate is taken over; 0 of an exact number

	Document *Reference `json:"document,omitempty"` // the document's number
	Control  *Reference `json:"control,omitempty"`  // what the same measure makes of what should not have the effect

	// Reached is how many of how many models have the effect at all, where outcomes are
	// one or the other: Estimate is then over those that do, and where none does, over all.
	Reached *Share `json:"reached,omitempty"`
}

// Reference is a number that an effect is compared with.
type Reference struct {
	What  string  `json:"what"` // such as "random initialisation"
	Value float64 `json:"value"`
}

// Condition is one of the conditions of a claim, such as a process and an architecture.
type Condition struct {
	Name     string  `json:"name"` // such as "x = 0.15, α = 0.6"
	Verdict  Verdict `json:"verdict"`
	Reason   Reason  `json:"reason,omitempty"` // of Differs and Open
	Obtained string  `json:"obtained"`         // in a clause

	Converged   bool   `json:"converged"`             // true where nothing is trained
	Unconverged string `json:"unconverged,omitempty"` // why it has not, in a clause

	Effect *Effect `json:"effect,omitempty"`
}

// NotTrained is why a condition has not converged of which the profile trains no model.
const NotTrained = "the profile does not train it"

// Question is a question of our own about a claim, stricter than the document's words.
type Question struct {
	Question string  `json:"question"` // with its threshold and where that comes from
	Answer   Answer  `json:"answer"`
	Obtained string  `json:"obtained"` // in a clause
	Effect   *Effect `json:"effect,omitempty"`
}

// Answer is what becomes of a [Question].
type Answer string

// The answers.
const (
	Yes       Answer = "yes"
	No        Answer = "no"
	Undecided Answer = "open"
)

// Answers lists all answers.
var Answers = []Answer{Yes, No, Undecided}

// AnswerIf is Yes or No.
func AnswerIf(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// Judged makes a condition whose models have not converged open, whatever its verdict:
// why says why not, and is empty if they have.
func (c Condition) Judged(why string) Condition {
	c.Converged, c.Unconverged = why == "", why
	if !c.Converged {
		c.Verdict, c.Reason = Open, Untrained
	}
	return c
}

// NewFinding makes the finding of a row of its conditions; see [Conclude]. What it
// obtained are those that models have decided, the names of those whose models have not
// converged, and how many have none; its effect is that of the first that is decided.
func NewFinding(conditions []Condition) Finding {
	verdict, reason := Conclude(conditions)
	found := Finding{Verdict: verdict, Reason: reason, Conditions: conditions}
	var obtained, missing []string
	absent := 0
	for _, c := range conditions {
		switch {
		case c.Unconverged == NotTrained:
			absent++
			continue
		case !c.Converged:
			missing = append(missing, c.Name)
			continue
		}
		obtained = append(obtained, c.Name+": "+c.Obtained)
		if found.Effect == nil && c.Verdict != Open {
			found.Effect = c.Effect
		}
	}
	if len(missing) > 0 {
		obtained = append(obtained, "no converged models of "+strings.Join(missing, " and "))
	}
	if absent > 0 {
		obtained = append(obtained, fmt.Sprintf("%d of %d conditions not trained", absent, len(conditions)))
	}
	found.Obtained = strings.Join(obtained, "; ")
	return found
}

// AllOrNone is the verdict where k of n seeds are as stated: it holds if all are, fails
// if none is, and else the seeds are too few to tell.
func AllOrNone(k, n int) (Verdict, Reason) {
	switch k {
	case n:
		return Holds, ""
	case 0:
		return Fails, ""
	}
	return Open, Power
}

// Conclude makes one verdict of those of several conditions. What is open is not counted
// among the others; all open is open, for the reason of the first. Where the rest agree
// that is the verdict, with its reason, but [Corrected] beside [Holds] is Corrected.
// Where some hold and others do not it is [Differs], by [Conditions]; where some differ
// and others fail, too.
func Conclude(conditions []Condition) (Verdict, Reason) {
	counts := map[Verdict]int{}
	reasons := map[Verdict]Reason{}
	for _, c := range conditions {
		if counts[c.Verdict]++; counts[c.Verdict] == 1 {
			reasons[c.Verdict] = c.Reason
		}
	}
	decided := len(conditions) - counts[Open]
	switch {
	case decided == 0:
		return Open, reasons[Open]
	case counts[Fails] == decided:
		return Fails, ""
	case counts[Differs] == decided:
		return Differs, reasons[Differs]
	case counts[Holds] == decided:
		return Holds, ""
	case counts[Holds]+counts[Corrected] == decided:
		return Corrected, ""
	}
	return Differs, Conditions
}
