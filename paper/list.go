package paper

import (
	"slices"

	"foretell/claim"
)

// Document is what is known about a paper before its claims are tested.
type Document struct {
	Name     string          `json:"document"` // its name in `foretell reproduce`
	Title    string          `json:"title"`
	Source   string          `json:"source"`
	Profiles []claim.Profile `json:"profiles"` // those that it has, the default first
	Profile  claim.Profile   `json:"profile"`  // profile of the rows
	Setting  string          `json:"setting"`  // what the rows have in common
	Rows     []Row           `json:"rows"`
}

// Row is a claim before it is tested; see [claim.Row] for the fields.
type Row struct {
	ID        string     `json:"id"`
	Kind      claim.Kind `json:"kind,omitempty"`
	Source    string     `json:"source"`
	Quote     string     `json:"quote,omitempty"`
	Statement string     `json:"statement"`
	Expected  string     `json:"expected"`
	Notes     []string   `json:"notes"`
	Setting   string     `json:"setting,omitempty"`
	Models    int        `json:"models"`      // number of models that are trained before it is tested
	Steps     int        `json:"total_steps"` // of all these models
}

// List describes the papers that have a profile. An empty list of papers is empty.
func List(profile claim.Profile, papers ...claim.Paper) []Document {
	list := []Document{}
	for _, p := range papers {
		if p.Offers(profile) == nil {
			list = append(list, describe(p, profile))
		}
	}
	return list
}

func describe(p claim.Paper, profile claim.Profile) Document {
	d := Document{
		Name: p.Name, Title: p.Title, Source: p.Source, Profile: profile, Setting: p.SettingOf(profile),
		Profiles: slices.Clone(claim.Profiles), Rows: []Row{},
	}
	if p.Deepens {
		d.Profiles = append(d.Profiles, claim.Deep)
	}
	for _, row := range p.Rows(profile) {
		r := Row{
			ID: row.ID, Kind: row.Kind, Source: row.Source, Quote: row.Quote, Statement: row.Statement,
			Expected: row.Expected, Notes: append([]string{}, row.Notes...), Setting: row.Setting,
		}
		for _, t := range row.Trainings {
			r.Models++
			r.Steps += t.Config.Train.NumSteps
		}
		d.Rows = append(d.Rows, r)
	}
	return d
}
