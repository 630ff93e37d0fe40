// Package paper lists the documents whose claims foretell reproduces. Each document has
// its own package in a subdirectory, which imports [foretell/claim] and never another
// document's package. Measurements that several documents share are in paper/internal.
//
//	p, err := paper.Named("coin", "abc")
//	study := &claim.Study{Out: "reports/coin-abc", Workers: 2}
//	claims, err := study.Reproduce(ctx, p.Rows(claim.Quick))
//
// # Adding a document
//
// Write its package, with a variable Paper of type [claim.Paper], and add a line to
// Papers. Nothing else changes. A claim is a row in the document's table, with a file for
// its rule and for the four steps that test it (measure, judge, tabulate and draw; see
// package mess3).
package paper

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/internal/strict"
	"foretell/paper/abc"
	"foretell/paper/beliefs"
	"foretell/paper/coin"
	"foretell/paper/entropy"
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
	entropy.Paper,
}

// Named combines the papers with the given names into one. Without names it returns the
// first of [Papers]. An unknown or repeated name is an error.
func Named(names ...string) (claim.Paper, error) {
	if len(names) == 0 {
		return Papers[0], nil
	}
	list, err := Each(names...)
	if err != nil {
		return claim.Paper{}, err
	}
	return claim.Join(list...), nil
}

// Each returns the papers with the given names. An unknown or repeated name is an error.
func Each(names ...string) (list []claim.Paper, err error) {
	for i, name := range names {
		at := slices.IndexFunc(Papers, func(p claim.Paper) bool { return p.Name == name })
		if at < 0 {
			var known []string
			for _, p := range Papers {
				known = append(known, p.Name)
			}
			return nil, fmt.Errorf("unknown paper %q: %s", name, strict.Choice(name, known))
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		list = append(list, Papers[at])
	}
	return list, nil
}
