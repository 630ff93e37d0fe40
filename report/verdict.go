package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"foretell/claim"
)

// wording is how a verdict is shown: its word for one claim and for several claims, its
// meaning and its shape.
type wording struct {
	one, many, meaning string
	icon               template.HTML // SVG on an area of 16 × 16, in the colour of the text
}

// The shapes distinguish the verdicts without colour: disc, diamond, square, octagon and
// ring.
var wordings = map[claim.Verdict]wording{
	claim.Holds: {
		"holds", "hold", "obtained as stated",
		`<circle cx="8" cy="8" r="7.5" fill="currentColor"/><path d="M4.5 8.2 7 10.8l4.6-5.2" class="cut"/>`,
	},
	claim.Corrected: {
		"corrected", "corrected", "the source is wrong; the correct statement is shown",
		`<path d="M8 0 16 8 8 16 0 8Z" fill="currentColor"/><path d="M5.2 8.2 7.2 10.2l3.6-4.2" class="cut"/>`,
	},
	claim.Differs: {
		"differs", "differ", "obtained, but not as stated",
		`<rect x="1" y="1" width="14" height="14" rx="2" fill="currentColor"/>` +
			`<path d="M4 6h8M4 10h8M10.2 3.2 5.8 12.8" class="cut"/>`,
	},
	claim.Fails: {
		"fails", "fail", "not obtained",
		`<path d="M5 .5h6L15.5 5v6L11 15.5H5L.5 11V5Z" fill="currentColor"/>` +
			`<path d="m5.2 5.2 5.6 5.6m0-5.6-5.6 5.6" class="cut"/>`,
	},
	claim.Open: {
		"open", "open", "not decided by this run",
		`<circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="2"/>` +
			`<path d="M5 8h6" fill="none" stroke="currentColor" stroke-width="2"/>`,
	},
}

// because holds, for each reason, a few words and their meaning.
var because = map[claim.Reason]struct{ word, meaning string }{
	claim.Size:       {"size", "the effect exists, but has another size"},
	claim.Conditions: {"in part", "obtained under some of the document's conditions only"},
	claim.Untrained:  {"not converged", "the models have not learned enough to decide"},
	claim.Convention: {"convention", "depends on a choice that the document does not state"},
	claim.Power:      {"low power", "too few models, or a control passes as well"},
	claim.Unproved:   {"unproved", "no counterexample is known, and no proof"},
	untried:          {"not trained", "this profile trains no models for it"},
}

// kinds holds the words for each kind of claim.
var kinds = map[claim.Kind]string{
	claim.Identity:    "identity: two forms of one formula",
	claim.Formula:     "a formula or construction",
	claim.Number:      "a number",
	claim.Order:       "an order",
	claim.Picture:     "a picture",
	claim.Explanation: "an explanation",
	claim.Beyond:      "beyond the document",
}

// untried is the reason of a claim that is open because the profile trains no models for
// it. Ledgers have [claim.Untrained] instead, which also covers models that have not
// converged.
const untried claim.Reason = "untried"

// shownReasons lists the reasons that a report distinguishes: the reasons in ledgers, and
// untried.
var shownReasons = append(slices.Clone(claim.Reasons), untried)

// reasonOf returns the reason that the report shows for a claim's verdict.
func reasonOf(c claim.Claim) claim.Reason {
	trained := func(c claim.Condition) bool { return !notTried(c) }
	if c.Reason == claim.Untrained && len(c.Conditions) > 0 && !slices.ContainsFunc(c.Conditions, trained) {
		return untried
	}
	return c.Reason
}

// outcome returns a claim's verdict with its reason, with the severity of the source's
// error, or with the number of conditions under which it holds if others are open:
// "differs: size", "corrected: local", "holds (2 of 3)".
func outcome(c claim.Claim) string {
	text := verdictText(c.Verdict, reasonOf(c))
	switch k, n := decided(c.Conditions); {
	case c.Severity != "":
		text += ": " + string(c.Severity)
	case c.Verdict == claim.Holds && k < n:
		text += fmt.Sprintf(" (%d of %d)", k, n)
	}
	return text
}

// verdictText returns a verdict with its reason: "differs: size".
func verdictText(v claim.Verdict, reason claim.Reason) string {
	if reason == "" {
		return wordings[v].one
	}
	return wordings[v].one + ": " + because[reason].word
}

// reasons lists the reasons that occur in claims and their conditions.
func reasons(claims []claim.Claim) []claim.Reason {
	occurs := map[claim.Reason]bool{}
	for _, c := range claims {
		occurs[reasonOf(c)] = true
		for _, condition := range c.Conditions {
			occurs[conditionReason(condition)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(shownReasons), func(r claim.Reason) bool { return !occurs[r] })
}

// ruleText returns the commit of a claim's rule, and whether the rule was set before any
// result was known. It returns "" for a row whose rule has no commit.
func ruleText(c claim.Claim) string {
	var parts []string
	if c.RuleCommit != "" {
		parts = append(parts, "rule of commit "+c.RuleCommit)
	}
	if c.ChangedAfterResult {
		parts = append(parts, "changed after a result was known")
	} else if c.RuleCommit != "" {
		parts = append(parts, "set before any result was known")
	}
	return strings.Join(parts, ", ")
}

// answersText counts the answers to questions: "1 yes, 1 no".
func answersText(asked []claim.Question) string {
	var list []string
	for _, a := range claim.Answers {
		n := 0
		for _, q := range asked {
			if q.Answer == a {
				n++
			}
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, a))
		}
	}
	return strings.Join(list, ", ")
}
