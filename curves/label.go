package curves

import (
	"fmt"
	"path/filepath"
	"strings"

	"foretell/settings"
)

// label sets the label of each run: its folder, and what distinguishes it from the other
// runs.
func (c *Set) label() {
	for i, told := range settings.Labels(c.settings()) {
		r := &c.Runs[i]
		r.Label, r.differs = strings.TrimSuffix(r.Dir+": "+told, ": "), told
	}
}

// settings returns the settings of each run.
func (c *Set) settings() []settings.Settings {
	list := make([]settings.Settings, len(c.Runs))
	for i, r := range c.Runs {
		list[i] = r.settings
	}
	return list
}

// Naming selects how runs are named in a legend; the zero value means [ByBoth].
type Naming string

const (
	// ByBoth names a run by its path and the settings in which it differs from other runs.
	ByBoth Naming = "both"
	// ByFolder names a run by its folder, or by its path if two folders have the same name.
	ByFolder Naming = "folder"
	// BySettings names a run by its settings, or by its path if another run has the same
	// settings.
	BySettings Naming = "settings"
)

// Namings lists the ways to name runs.
func Namings() []string { return []string{string(ByBoth), string(ByFolder), string(BySettings)} }

// Name replaces the label of each run by a label of the given kind.
func (c *Set) Name(by Naming) {
	c.label()
	of := func(r Run) string { return r.differs }
	switch by {
	case ByFolder:
		of = func(r Run) string { return filepath.Base(filepath.Clean(r.Dir)) }
	case BySettings:
	default:
		return
	}
	times := map[string]int{"": 2} // an empty name counts as taken
	for _, r := range c.Runs {
		times[of(r)]++
	}
	for i, r := range c.Runs {
		if c.Runs[i].Label = of(r); times[of(r)] > 1 {
			c.Runs[i].Label = r.Dir
		}
	}
}

// Title returns the run's label, with its progress if it is not complete.
func (r Run) Title() string {
	if r.Complete {
		return r.Label
	}
	return fmt.Sprintf("%s, step %d of %d", r.Label, r.Last().Step, r.Steps)
}

// Settings returns on one line the settings of the run's configuration whose paths begin
// with a prefix, such as "train.", without the prefix.
func (r Run) Settings(prefix string) string { return r.settings.Below(prefix) }
