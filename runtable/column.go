package runtable

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"foretell/curves"
	"foretell/internal/strict"
	"foretell/settings"
)

// column is something that a table knows of each run.
type column struct {
	name    string // path of a setting, or name of a fact or result
	setting bool
	result  bool
	of      func(r Row) any // of a fact
	format  string          // of numbers in tables
}

// facts are what is known of a run in addition to its settings and results.
var facts = []column{
	{name: "run", of: func(r Row) any { return r.Dir }},
	{name: "process", of: func(r Row) any { return r.Process }},
	{name: "state", of: func(r Row) any { return r.State() }},
	{name: "complete", of: func(r Row) any { return r.Complete }},
	{name: "diverged", of: func(r Row) any { return r.Diverged }},
	{name: "step", of: ofRun(func(r Row) any { return int64(r.Step) })},
	{name: "steps", of: ofRun(func(r Row) any { return int64(r.Steps) })},
	{name: "tokens", of: ofRun(func(r Row) any { return r.Tokens })},
	{name: "seconds", format: "%.3g", of: func(r Row) any {
		if r.Seconds == nil {
			return nil
		}
		return *r.Seconds
	}},
	{name: "problem", of: func(r Row) any {
		if r.Err == nil {
			return nil
		}
		return r.problem()
	}},
}

// ofRun returns nil for what is not a readable run.
func ofRun(of func(r Row) any) func(r Row) any {
	return func(r Row) any {
		if r.Err != nil || r.Steps == 0 {
			return nil
		}
		return of(r)
	}
}

// formats are how tables show results.
var formats = map[string]string{
	curves.KL: "%.2e", curves.Gap: "%.1f %%", curves.Accuracy: "%.1f %%",
	curves.Loss: "%.5f", curves.Floor: "%.5f", curves.Chance: "%.5f",
}

// formatOf returns the format of a result in tables.
func formatOf(name string) string { return cmp.Or(formats[name], "%.4g") }

// known lists all columns that the table's runs have: facts, results, settings.
func (t *Table) known() []column {
	list := slices.Clone(facts)
	seen := map[string]bool{}
	for _, r := range t.Rows {
		for name := range r.Results {
			seen[name] = true
		}
	}
	for _, name := range curves.InOrder(slices.Sorted(maps.Keys(seen))) {
		list = append(list, column{name: name, result: true, format: formatOf(name)})
	}
	for _, path := range settings.Known(t.settings()) {
		list = append(list, column{name: path, setting: true})
	}
	return list
}

// find returns the column with a name. A setting may be named by the last part of its
// path, if no other column has that name.
func (t *Table) find(name string) (column, error) {
	known := t.known()
	var names, paths []string
	for _, c := range known {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
		if c.setting {
			paths = append(paths, c.name)
		}
	}
	path, err := settings.Find(paths, name)
	if err == nil {
		return column{name: path, setting: true}, nil
	}
	if settings.Ambiguous(paths, name) {
		return column{}, err
	}
	return column{}, fmt.Errorf("no run has a setting or result named %s; %s", name, strict.Name(name, names, 12))
}

// values returns the column's value for each run, all of one type: int64, float64, bool
// or string. A value that a run does not have is nil.
func (t *Table) values(c column) []any {
	if c.setting {
		return settings.Column(t.settings(), c.name)
	}
	list := make([]any, len(t.Rows))
	for i, r := range t.Rows {
		if c.of != nil {
			list[i] = c.of(r)
		} else if x, ok := r.Results[c.name]; ok {
			list[i] = x
		}
	}
	return list
}

func (t *Table) settings() []settings.Settings {
	list := make([]settings.Settings, len(t.Rows))
	for i, r := range t.Rows {
		list[i] = r.Settings
	}
	return list
}
