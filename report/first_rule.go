package report

import (
	"fmt"

	"foretell/claim"
	"foretell/internal/text"
)

// missing holds, for each lack of a first rule, why the rule cannot be computed.
var missing = map[claim.Lack]string{
	claim.LacksQuantity: "it judged a quantity that is not measured any more",
	claim.LacksModels:   "it judged models that are not trained any more",
	claim.LacksBound:    "it had no bound",
}

// firstText returns what a claim's first rule says, and the rule: "fails (now open: low
// power): R² 0.91. First rule, of commit c304182: at least 0.99". It returns "" for a
// claim without a first rule.
func firstText(c claim.Claim) string {
	r := c.FirstRule
	if r == nil {
		return ""
	}
	says := "not computed, as " + missing[r.Lacks]
	if r.Lacks == "" {
		says = verdictText(r.Verdict, r.Reason)
		if r.Verdict != c.Verdict {
			says += " (now " + outcome(c) + ")"
		}
		if r.Obtained != c.Obtained {
			says += ": " + r.Obtained
		}
	}
	return fmt.Sprintf("%s. First rule, of commit %s: %s", says, r.Commit, r.Text)
}

// changedText returns how many rules were changed after a result was known, and what the
// first rules would say. It returns "" if none was changed.
func changedText(claims []claim.Claim) string {
	var other, lacking []string
	changed, same := 0, 0
	for _, c := range claims {
		if !c.ChangedAfterResult {
			continue
		}
		changed++
		switch r := c.FirstRule; {
		case r == nil:
		case r.Lacks != "":
			lacking = append(lacking, c.ID)
		case r.Verdict == c.Verdict:
			same++
		default:
			other = append(other, fmt.Sprintf("%s %s (now %s)", c.ID, verdictText(r.Verdict, r.Reason), outcome(c)))
		}
	}
	if changed == 0 {
		return ""
	}
	all := fmt.Sprintf("Rules changed after a result was known: %d of %d", changed, len(claims))
	return all + saidText(other, same, lacking)
}

// saidText returns what first rules say: which say something else than the present rule,
// how many say the same, and which cannot be computed.
func saidText(other []string, same int, lacking []string) string {
	said := ""
	switch {
	case len(other) > 0 && same > 0:
		said = fmt.Sprintf("; the first rules would say: %s, and the other %d the same", text.And(other), same)
	case len(other) > 0:
		said = "; the first rules would say: " + text.And(other)
	case same > 0:
		said = fmt.Sprintf("; the first rules would say the same of %d", same)
	}
	if len(lacking) > 0 {
		said += "; not computed: " + text.And(lacking)
	}
	return said
}
