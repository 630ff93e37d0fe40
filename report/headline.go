package report

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/internal/text"
)

// part is a part of a report whose verdicts are counted separately.
type part int

const (
	words      part = iota // the document's claims: the headline
	identities             // two forms of one formula, which differ only if the code is wrong
	beyond                 // claims beyond the document
	parts
)

func partOf(c claim.Claim) part {
	switch c.Kind {
	case claim.Identity:
		return identities
	case claim.Beyond:
		return beyond
	}
	return words
}

// ofPart returns the claims of a part.
func ofPart(claims []claim.Claim, p part) []claim.Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c claim.Claim) bool { return partOf(c) != p })
}

// count is the number of claims with a verdict.
type count struct {
	Verdict claim.Verdict
	Number  int
	Reasons string // the number of claims for each reason or severity: "1 not converged, 2 low power"
}

// Word returns the verdict in the singular or plural: "1 holds", "4 hold".
func (c count) Word() string {
	if c.Number == 1 {
		return wordings[c.Verdict].one
	}
	return wordings[c.Verdict].many
}

// Text returns the count with its reasons: "3 differ (2 size, 1 in part)", or "3 differ
// (size)" if there is one reason for all.
func (c count) Text() string {
	text := fmt.Sprintf("%d %s", c.Number, c.Word())
	if c.Reasons == "" {
		return text
	}
	all := fmt.Sprintf("%d ", c.Number)
	return text + " (" + strings.TrimPrefix(c.Reasons, all) + ")"
}

// counts counts the verdicts that occur, in the order of [claim.Verdicts].
func counts(claims []claim.Claim) []count {
	var all []count
	for _, v := range claim.Verdicts {
		c := count{Verdict: v}
		reasons, severities := map[claim.Reason]int{}, map[claim.Severity]int{}
		for _, x := range claims {
			if x.Verdict == v {
				c.Number++
				reasons[reasonOf(x)]++
				severities[x.Severity]++
			}
		}
		var list []string
		for _, s := range slices.Backward(claim.Severities) {
			if severities[s] > 0 {
				list = append(list, fmt.Sprintf("%d %s", severities[s], s))
			}
		}
		for _, r := range shownReasons {
			if reasons[r] > 0 {
				list = append(list, fmt.Sprintf("%d %s", reasons[r], because[r].word))
			}
		}
		c.Reasons = strings.Join(list, ", ")
		if c.Number > 0 {
			all = append(all, c)
		}
	}
	return all
}

// tally counts the verdicts of a part.
type tally struct {
	Part   part
	Label  string // the number of claims in words: "3 identities"
	Counts []count
}

// Text returns the tally in words: "3 claims: 1 holds, 2 differ (size)", or "3 identities
// hold".
func (t tally) Text() string {
	if len(t.Counts) == 0 {
		return t.Label
	}
	if first := t.Counts[0]; t.Part == identities && len(t.Counts) == 1 && first.Reasons == "" {
		return t.Label + " " + first.Word()
	}
	var list []string
	for _, c := range t.Counts {
		list = append(list, c.Text())
	}
	return t.Label + ": " + strings.Join(list, ", ")
}

// tallies counts the verdicts of each part that has claims, the document's claims first.
// Without claims, it returns a tally of 0 claims.
func tallies(claims []claim.Claim) (all []tally) {
	for p := range parts {
		members := ofPart(claims, p)
		if len(members) == 0 && (p != words || len(claims) > 0) {
			continue
		}
		label := text.Count(len(members), "claim")
		switch {
		case p == beyond:
			label = fmt.Sprintf("%d beyond the document", len(members))
		case p == identities && len(members) == 1:
			label = "1 identity"
		case p == identities:
			label = fmt.Sprintf("%d identities", len(members))
		}
		all = append(all, tally{p, label, counts(members)})
	}
	return all
}

// Tally returns the counts of the verdicts in a line, the document's claims first:
// "6 claims: 4 hold, 1 differs (size), 1 open (low power); 3 identities hold; 1 beyond
// the document: 1 holds".
func Tally(claims []claim.Claim) string {
	var list []string
	for _, t := range tallies(claims) {
		list = append(list, t.Text())
	}
	return strings.Join(list, "; ")
}

// fits returns a list of ids for each fit from which several claims of a part get their
// results.
func fits(claims []claim.Claim) (blocks [][]string) {
	for p := range parts {
		for _, block := range joined(ofPart(claims, p), standTogether) {
			if len(block) > 1 {
				blocks = append(blocks, claimIDs(block))
			}
		}
	}
	return blocks
}

func standTogether(a, b claim.Claim) bool {
	return slices.Contains(a.StandsOn, b.ID) || slices.Contains(b.StandsOn, a.ID)
}

// fitText returns the sentence that rows from one fit are not independent results.
func fitText(ids []string) string {
	return fmt.Sprintf("%s rest on one fit, so they are not %d independent results", text.And(ids), len(ids))
}

// caveats returns what a reader of the counts has to know, in clauses: which rows come
// from one fit; what the errors of the source cost; which of the document's claims hold
// although some of their conditions are open; how many claims have a rule that was
// changed after a result was known, and what the first rules would say.
func caveats(claims []claim.Claim) (texts []string) {
	for _, ids := range fits(claims) {
		texts = append(texts, fitText(ids))
	}
	if costs := consequences(claims); len(costs) > 0 {
		texts = append(texts, "Errors of the source with consequences: "+text.And(costs))
	}
	var partly []string
	for _, c := range ofPart(claims, words) {
		if k, n := decided(c.Conditions); c.Verdict == claim.Holds && k < n {
			partly = append(partly, fmt.Sprintf("%s (%d of %d)", c.ID, k, n))
		}
	}
	if len(partly) > 0 {
		texts = append(texts, "Hold under some of their conditions, while the others are open: "+text.And(partly))
	}
	if changed := changedText(claims); changed != "" {
		texts = append(texts, changed)
	}
	return texts
}

// consequences returns the ids of the claims that correct a consequential error of the
// source, each with the number that the error costs: "I4 (0.379 nats)".
func consequences(claims []claim.Claim) (list []string) {
	for _, c := range claims {
		if c.Severity != claim.Consequential || c.Effect == nil {
			continue
		}
		cost := brief(c.Effect)
		if c.Effect.Unit == "" { // a number that says nothing without its name
			cost += ", " + c.Effect.What
		}
		list = append(list, fmt.Sprintf("%s (%s)", c.ID, cost))
	}
	return list
}

// decided returns how many of n conditions are not open.
func decided(conditions []claim.Condition) (k, n int) {
	for _, c := range conditions {
		if c.Verdict != claim.Open {
			k++
		}
	}
	return k, len(conditions)
}

// joined partitions claims into the connected components of the relation related. Claims
// and groups keep their order.
func joined(claims []claim.Claim, related func(a, b claim.Claim) bool) (groups [][]claim.Claim) {
	group := make([]int, len(claims)) // the group of each claim: the index of its first claim
	for i := range claims {
		group[i] = i
		for j := range i {
			if related(claims[j], claims[i]) {
				from, to := max(group[i], group[j]), min(group[i], group[j])
				for k := range i + 1 {
					if group[k] == from {
						group[k] = to
					}
				}
			}
		}
	}
	for first := range claims {
		var members []claim.Claim
		for i, c := range claims {
			if group[i] == first {
				members = append(members, c)
			}
		}
		if members != nil {
			groups = append(groups, members)
		}
	}
	return groups
}
