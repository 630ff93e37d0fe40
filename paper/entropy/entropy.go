// Package entropy is a referee of estimators of the entropy rate. Each is judged on the
// processes of the catalogue whose entropy rate is exact, at several lengths of the
// sequence and for several seeds: the code length of a context tree (Willems, Shtarkov
// and Tjalkens 1995), match lengths (Grassberger 1989; Kontoyiannis et al. 1998), plug-in
// entropies, ordinal patterns (Bandt and Pompe 2002), the posterior of the entropy rate
// (Papageorgiou and Kontoyiannis, arXiv 2212.06705) and fitted hidden Markov models.
//
// The published statements that rows test are from abstracts alone, in foretell's words:
// above all from Gao, Kontoyiannis and Bienenstock 2008 (arXiv 0802.4363). The other rows
// are foretell's own.
//
// sources.go chooses the processes. estimators.go has the estimators that foretell has
// nowhere else. lab.go measures all of them once for all rows. Each other file holds a
// row: the constants of its rule, and the steps measure, judge, tabulate and draw. The
// texts are in rows.md.
package entropy

import (
	_ "embed"
	"fmt"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/paper/internal/numerals"
)

//go:embed rows.md
var rowsMarkdown string

var texts = claim.MustTexts(rowsMarkdown)

// rulesSince is the commit of all rules.
const rulesSince = "aaf8653e"

// Paper is the referee with its rows.
var Paper = claim.Paper{
	Name:  "entropy",
	Title: "Estimators of the entropy rate, judged on sources whose rate is exact",
	Source: "Gao et al. 2008, Estimating the Entropy of Binary Time Series (Gao, Kontoyiannis and Bienenstock, " +
		"arXiv 0802.4363); " +
		"Kontoyiannis et al. 1998, Nonparametric Entropy Estimation for Stationary Processes and Random Fields; " +
		"Willems et al. 1995, The Context-Tree Weighting Method (Willems, Shtarkov and Tjalkens); " +
		"Shannon 1948, A Mathematical Theory of Communication; and beyond",
	Rows:    func(p claim.Profile) []claim.Row { return profiles[p].rows() },
	Setting: func(p claim.Profile) string { return profiles[p].setting(p) },
}

// profile holds the settings that differ between the quick and the full profile.
type profile struct {
	lengths []int // of the sequence, ascending
	seeds   int
	fitted  int // length of the sequence to which a hidden Markov model is fitted
}

var profiles = map[claim.Profile]profile{
	claim.Quick: {lengths: []int{1000, 10_000, 100_000}, seeds: 5, fitted: 10_000},
	claim.Full:  {lengths: []int{1000, 10_000, 100_000, 1_000_000}, seeds: 20, fitted: 100_000},
}

func (p profile) setting(name claim.Profile) string {
	return fmt.Sprintf("%s profile: sequences of up to %s symbols, %s; hidden Markov models fitted to %s; "+
		"no transformer is trained", name, numerals.Grouped(p.longest()), text.Count(p.seeds, "seed"),
		numerals.Grouped(p.fitted)+" symbols")
}

func (p profile) longest() int { return p.lengths[len(p.lengths)-1] }

// rows returns the rows of a study, which share a lab.
func (p profile) rows() []claim.Row { return (&lab{profile: p}).rows() }

func (l *lab) rows() []claim.Row {
	rows := []claim.Row{
		l.codeLength(),   // E1
		l.below(),        // E2
		l.mostAccurate(), // E3
		l.share(),        // E4
		l.coverage(),     // E5
		l.fits(),         // E6
	}
	return claim.WithWork(rows, map[string]int{"E1": 2000, "E6": 1000})
}
