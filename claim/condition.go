package claim

import (
	"fmt"
	"strings"
)

// Effect is the number that a claim is about, with the numbers that it is compared with.
type Effect struct {
	What     string  `json:"what"`           // such as "decay of attention per step"
	Unit     string  `json:"unit,omitempty"` // such as "nats"; empty for a pure number
	Estimate float64 `json:"estimate"`       // the mean over seeds or sequences, or the exact number

	// Interval has 95 % confidence. It is over seeds or, if Seeds is 0, over the sequences
	// on which a number without models was measured. It is nil for an exact number, for one
	// model, and for models that differ in more than their seeds.
	Interval *Interval `json:"interval,omitempty"`
	Seeds    int       `json:"seeds"` // number of models averaged; 0 if no model is trained

	Document *Reference `json:"document,omitempty"` // the document's number
	Control  *Reference `json:"control,omitempty"`  // the same measure where the effect should be absent

	// Reached is set if each model either has the effect or does not have it at all. It
	// is the share of models that have the effect. Estimate is then the mean over the
	// models that have it, or over all models if none has it.
	Reached *Share `json:"reached,omitempty"`
}

// Reference is a number that an effect is compared with.
type Reference struct {
	What  string  `json:"what"` // such as "random initialisation"
	Value float64 `json:"value"`
}

// Condition is one of the conditions under which a claim is tested, such as a process and
// an architecture, with its result.
type Condition struct {
	Name     string  `json:"name"` // such as "x = 0.15, α = 0.6"
	Verdict  Verdict `json:"verdict"`
	Reason   Reason  `json:"reason,omitempty"` // only for Differs and Open
	Obtained string  `json:"obtained"`         // what was found, as a clause

	Converged   bool   `json:"converged"`             // also true if nothing is trained
	Unconverged string `json:"unconverged,omitempty"` // why models have not converged, as a clause

	Effect *Effect `json:"effect,omitempty"`
}

// NotTrained is the value of Unconverged if the study's [Profile] trains no model for a
// condition.
const NotTrained = "the profile does not train it"

// Question is foretell's own question about a claim. It is stricter than the document's
// statement.
type Question struct {
	Question string  `json:"question"` // with its threshold and the source of the threshold
	Answer   Answer  `json:"answer"`
	Obtained string  `json:"obtained"` // what was found, as a clause
	Effect   *Effect `json:"effect,omitempty"`
}

// Answer is the answer to a [Question].
type Answer string

// The answers.
const (
	Yes       Answer = "yes"
	No        Answer = "no"
	Undecided Answer = "open"
)

// Answers lists all answers.
var Answers = []Answer{Yes, No, Undecided}

// HoldsIf returns Holds if yes is true and Fails otherwise.
func HoldsIf(yes bool) Verdict {
	if yes {
		return Holds
	}
	return Fails
}

// AnswerIf returns Yes if yes is true and No otherwise.
func AnswerIf(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// Judged returns the condition with Converged and Unconverged set. The argument is empty
// if the condition's models have converged. Otherwise it says why they have not, and the
// verdict becomes [Open], for the reason [Untrained].
func (c Condition) Judged(why string) Condition {
	c.Converged, c.Unconverged = why == "", why
	if !c.Converged {
		c.Verdict, c.Reason = Open, Untrained
	}
	return c
}

// ConditionsOf returns the condition of each element of a list, such as of each process.
func ConditionsOf[T any](list []T, condition func(T) Condition) []Condition {
	conditions := make([]Condition, len(list))
	for i, of := range list {
		conditions[i] = condition(of)
	}
	return conditions
}

// NewFinding returns a finding with the verdict of [Conclude]. Its sentence lists what
// the decided conditions obtained, the names of the conditions whose models have not
// converged, and the number of conditions without models. Its effect is the one of
// [Deciding].
func NewFinding(conditions []Condition) Finding {
	verdict, reason := Conclude(conditions)
	found := Finding{Verdict: verdict, Reason: reason, Conditions: conditions, Effect: Deciding(conditions)}
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
	}
	switch n := len(missing); {
	case n > mostNamed:
		obtained = append(obtained, fmt.Sprintf("%d of %d conditions have not converged", n, len(conditions)))
	case n > 0:
		obtained = append(obtained, "not converged: "+strings.Join(missing, " and "))
	}
	if absent > 0 {
		obtained = append(obtained, fmt.Sprintf("%d of %d conditions not trained", absent, len(conditions)))
	}
	found.Obtained = strings.Join(obtained, "; ")
	return found
}

// Deciding returns the effect of the first decided condition that does not hold. If all
// hold, it is the effect of the first one with models, or of the first.
func Deciding(conditions []Condition) (effect *Effect) {
	for _, c := range conditions {
		switch e := c.Effect; {
		case c.Verdict == Open:
		case c.Verdict != Holds:
			return e
		case effect == nil, effect.Seeds == 0 && e != nil && e.Seeds > 0:
			effect = e
		}
	}
	return effect
}

// AllOrNone returns the verdict on a claim that must hold for every seed, if it holds for
// k of n seeds: Holds if k is n, Fails if k is 0, and otherwise Open, because there are
// too few seeds to decide.
func AllOrNone(k, n int) (Verdict, Reason) {
	switch k {
	case n:
		return Holds, ""
	case 0:
		return Fails, ""
	}
	return Open, Power
}

// Conclude combines the verdicts of several conditions into one. If all conditions are
// open, the result is Open, for the reason of the first. Otherwise open conditions are
// ignored. If the remaining conditions have the same verdict, this is the result, for the
// reason of the first of them. A mixture of [Corrected] and [Holds] is Corrected. Any
// other mixture is [Differs], for the reason [Conditions]. A claim does not hold by fewer
// than half of its conditions: if these hold and the others are open, the result is Open.
func Conclude(conditions []Condition) (Verdict, Reason) {
	verdict, reason := concludeDecided(conditions)
	var open []Condition
	for _, c := range conditions {
		if c.Verdict == Open {
			open = append(open, c)
		}
	}
	if verdict == Holds && 2*len(open) > len(conditions) {
		return Open, open[0].Reason
	}
	return verdict, reason
}

// concludeDecided is [Conclude] without its last sentence.
func concludeDecided(conditions []Condition) (Verdict, Reason) {
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
