package paper

import (
	"slices"

	"foretell/claim"
)

// What package claim has.
type (
	Verdict = claim.Verdict
	Claim   = claim.Claim
	Table   = claim.Table
)

// The verdicts.
const (
	Holds     = claim.Holds
	Differs   = claim.Differs
	Fails     = claim.Fails
	Corrected = claim.Corrected
	Open      = claim.Open
)

// Verdicts lists all verdicts.
var Verdicts = claim.Verdicts

func errata(title string, rows ...[]string) Table { return claim.Errata(title, rows...) }

// Paper is a document to reproduce and its claims.
type Paper struct {
	Name   string // what `foretell reproduce` calls it, such as "mess3"
	Title  string
	Source string // the document: its short name, which the rows go on with, title, authors and year
	Rows   []Row

	setting func(p Profile) string // what all rows share of a profile, in words; nil if each row says its own
}

// Setting says in words what a profile means for the paper.
func (p Paper) Setting(profile Profile) string {
	if p.setting == nil {
		return profile.Name + " profile; each row states its setting"
	}
	return p.setting(profile)
}

// Join returns several papers as one: their names, titles and sources side by side,
// the rows of all, and the setting of the first that has one.
func Join(papers ...Paper) Paper {
	joined := papers[0]
	joined.Rows = slices.Clone(joined.Rows)
	for _, p := range papers[1:] {
		joined.Name += " " + p.Name
		joined.Title += "; " + p.Title
		joined.Source += "; " + p.Source
		joined.Rows = append(joined.Rows, p.Rows...)
		if joined.setting == nil {
			joined.setting = p.setting
		}
	}
	return joined
}

// Row is a claim that can be tested: the fixed part of a [Claim] and the
// functions that find the rest out.
type Row struct {
	ID, Source, Statement, Expected string

	conditions func(p Profile) []condition // the trained models that the row looks at; nil if none
	test       func(s *Study, c *Claim) error
}
