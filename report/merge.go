package report

import (
	"cmp"
	"slices"

	"foretell/claim"
	"foretell/internal/text"
)

// merge adds to r each row in before for which r has no claim, in the document's order.
// Such a row is no longer pending.
func merge(r Report, before []claim.Claim) Report {
	tested := claimIDs(r.Claims)
	kept := slices.DeleteFunc(slices.Clone(before), func(c claim.Claim) bool { return slices.Contains(tested, c.ID) })
	position := r.positions(append(claimIDs(before), append(tested, r.Pending...)...))
	order := func(a, b string) int { return cmp.Compare(position[a], position[b]) }

	found := claimIDs(kept)
	r.Pending = slices.DeleteFunc(slices.Clone(r.Pending), func(id string) bool { return slices.Contains(found, id) })
	slices.SortStableFunc(r.Pending, order)
	r.Claims = append(kept, r.Claims...)
	slices.SortStableFunc(r.Claims, func(a, b claim.Claim) int { return order(a.ID, b.ID) })
	return r
}

// positions maps each id to its place in the report: first the ids in r.Order, then the
// others in the order given.
func (r Report) positions(ids []string) map[string]int {
	position := map[string]int{}
	for _, id := range slices.Concat(r.Order, ids) {
		if _, known := position[id]; !known {
			position[id] = len(position)
		}
	}
	return position
}

func claimIDs(claims []claim.Claim) []string {
	return text.Each(claims, func(c claim.Claim) string { return c.ID })
}

// keptRows returns the claims of a report that an earlier command found.
func (r Report) keptRows() (kept []claim.Claim) {
	for _, c := range r.Claims {
		if c.Before != nil {
			kept = append(kept, c)
		}
	}
	return kept
}
