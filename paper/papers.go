// Package paper lists the documents whose claims the laboratory reproduces. Each has its
// own package below this one, which imports [foretell/claim] and never another document.
// Measurements that two of them share are in paper/internal.
//
//	p, err := paper.Named("coin", "abc")
//	study := &claim.Study{Out: "reports/coin-abc", Workers: 2}
//	claims, err := study.Reproduce(ctx, p.Rows(claim.Quick))
//
// # Adding a document
//
// Write its package, with a variable Paper of type [claim.Paper], and add a line to
// Papers. Nothing else changes. A claim is a row in the document's table and a file with
// its rule and its four steps (see package mess3).
package paper

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/internal/strict"
	"foretell/paper/abc"
	"foretell/paper/beliefs"
	"foretell/paper/coin"
	"foretell/paper/induction"
	"foretell/paper/mess3"
	"foretell/paper/signals"
)

// Papers lists the documents that can be reproduced, the default first.
var Papers = []claim.Paper{
	mess3.Paper,
	coin.Paper,
	abc.Paper,
	beliefs.Paper,
	induction.Paper,
	signals.Paper,
}

// Named returns the papers with the given names as one, or the first paper if there are
// no names. An unknown or repeated name is an error.
func Named(names ...string) (claim.Paper, error) {
	if len(names) == 0 {
		return Papers[0], nil
	}
	var list []claim.Paper
	for i, name := range names {
		at := slices.IndexFunc(Papers, func(p claim.Paper) bool { return p.Name == name })
		if at < 0 {
			var known []string
			for _, p := range Papers {
				known = append(known, p.Name)
			}
			return claim.Paper{}, fmt.Errorf("unknown paper %q: %s", name, strict.Choice(name, known))
		}
		if slices.Contains(names[:i], name) {
			return claim.Paper{}, fmt.Errorf("%s is given twice", name)
		}
		list = append(list, Papers[at])
	}
	return claim.Join(list...), nil
}
