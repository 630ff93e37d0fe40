package claim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/strict"
)

// Profile is how thoroughly a study tests claims. Each document defines what its profiles
// mean for its models and their training.
type Profile string

// The profiles.
const (
	Quick Profile = "quick" // takes minutes, for everyday use
	Full  Profile = "full"  // the document's own settings, where it states them
	Deep  Profile = "deep"  // the full profile with more models, seeds or settings; see [Paper.Deepens]
)

// Profiles lists the profiles that every document has, the default first.
var Profiles = []Profile{Quick, Full}

// ParseProfile returns the profile with the given name. The error for an unknown name
// lists the profiles.
func ParseProfile(name string) (Profile, error) {
	if slices.Contains(ProfileNames(), name) {
		return Profile(name), nil
	}
	return "", errors.New(strict.NotOneOf(name, ProfileNames()))
}

// ProfileNames returns the names of all profiles, the default first.
func ProfileNames() []string { return []string{string(Quick), string(Full), string(Deep)} }

// Paper is a document to reproduce, with its claims.
type Paper struct {
	Name   string // its name in `foretell reproduce`, such as "mess3"
	Title  string
	Source string // how the rows cite the document, then its title, authors and year

	// Rows returns the claims for one study, in the order in which they are tested. The
	// rows of one call may share measurements, so each study must call Rows again. It may
	// panic on a profile that [Paper.Offers] refuses.
	Rows func(Profile) []Row
	// Deepens reports that the document has a deep profile, too.
	Deepens bool
	// Setting describes what all rows have in common under a profile. It is nil if each row
	// describes its own setting in Row.Setting.
	Setting func(Profile) string
}

// Offers returns an error, of one line, for a profile that the paper does not have.
func (p Paper) Offers(profile Profile) error {
	if profile != Deep || p.Deepens {
		return nil
	}
	return fmt.Errorf("%s has no deep profile; full is the most that it trains", p.Name)
}

// SettingOf describes what a profile means for the paper. If Setting is nil, the
// description refers to the rows' own settings.
func (p Paper) SettingOf(profile Profile) string {
	if p.Setting == nil {
		return string(profile) + " profile; each row states its setting"
	}
	return p.Setting(profile)
}

// Join returns several papers as one paper, with their names, titles and sources joined,
// the rows of all papers, and the first Setting that is not nil.
func Join(papers ...Paper) Paper {
	joined := papers[0]
	for _, p := range papers[1:] {
		joined.Name += " " + p.Name
		joined.Title += "; " + p.Title
		joined.Source += "; " + p.Source
		joined.Deepens = joined.Deepens && p.Deepens
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

// Select returns the rows with the given ids, in the order of rows, or all rows if ids is
// empty. An unknown id is an error.
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
			return nil, fmt.Errorf("unknown claim %q; want one of %s", id, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !slices.Contains(ids, r.ID) }), nil
}
