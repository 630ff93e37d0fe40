package claim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/strict"
)

// Profile says how thoroughly a study tests: what that means for a document, its
// models and their training, lives with the document.
type Profile string

// The profiles.
const (
	Quick Profile = "quick" // minutes, for every day
	Full  Profile = "full"  // the document's own settings, where it states them
)

// Profiles lists the profiles, the default first.
var Profiles = []Profile{Quick, Full}

// ParseProfile returns the profile of a name; another name is an error that lists them.
func ParseProfile(name string) (Profile, error) {
	if p := Profile(name); slices.Contains(Profiles, p) {
		return p, nil
	}
	return "", errors.New(strict.NotOneOf(name, ProfileNames()))
}

// ProfileNames lists the names of [Profiles].
func ProfileNames() []string {
	names := make([]string, len(Profiles))
	for i, p := range Profiles {
		names[i] = string(p)
	}
	return names
}

// Paper is a document to reproduce and its claims.
type Paper struct {
	Name   string // what `foretell reproduce` calls it, such as "mess3"
	Title  string
	Source string // the document: how the rows cite it, title, authors and year

	// Rows returns the claims, for one study: they may share what they measure, so that
	// another study calls Rows again. Their order is that in which they are tested. It
	// may panic on a profile that is none of [Profiles].
	Rows func(Profile) []Row
	// Setting says in words what all rows share of a profile; nil if each row says its
	// own, as Claim.Setting.
	Setting func(Profile) string
}

// SettingOf says in words what a profile means for the paper, whether it has a Setting or
// not.
func (p Paper) SettingOf(profile Profile) string {
	if p.Setting == nil {
		return string(profile) + " profile; each row states its setting"
	}
	return p.Setting(profile)
}

// Join returns several papers as one: their names, titles and sources side by side,
// the rows of all, and the setting of the first that has one.
func Join(papers ...Paper) Paper {
	joined := papers[0]
	for _, p := range papers[1:] {
		joined.Name += " " + p.Name
		joined.Title += "; " + p.Title
		joined.Source += "; " + p.Source
		if joined.Setting == nil {
			joined.Setting = p.Setting
		}
	}
	joined.Rows = func(profile Profile) []Row {
		var rows []Row
		for _, p := range papers {
			rows = append(rows, p.Rows(profile)...)
		}
		return rows
	}
	return joined
}

// Select returns the rows with the given ids, in the order of rows, or all if there
// is none. An unknown id is an error.
func Select(rows []Row, ids []string) ([]Row, error) {
	if len(ids) == 0 {
		return rows, nil
	}
	for _, id := range ids {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.ID == id }) {
			var known []string
			for _, r := range rows {
				known = append(known, r.ID)
			}
			return nil, fmt.Errorf("unknown claim %q; there are %s", id, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !slices.Contains(ids, r.ID) }), nil
}
