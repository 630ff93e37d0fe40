package inspect

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/strict"
)

const (
	processName   = "process.name"
	processParams = "process.params."
	mostSettings  = 4 // in a label
	unset         = "default"
)

var (
	// derived are settings that follow from others unless they are given.
	derived = []string{"model.d_head", "model.d_mlp", "model.d_vocab", "model.initializer_range", "train.init_sha256"}
	// cadence are settings that change no weight.
	cadence = []string{"train.evaluate_every", "train.evaluate_sequences"}
	// kept are settings that change no curve either.
	kept = []string{"train.checkpoint_every", "train.checkpoints"}
)

// processText names a process with its parameters: mess3 (a = 0.6, x = 0.15).
func processText(settings []strict.Setting) string {
	name, params := "", []string{}
	for _, s := range settings {
		if s.Path == processName {
			name = s.Text
		}
		if param, ok := strings.CutPrefix(s.Path, processParams); ok {
			params = append(params, param+" = "+shorten(s.Text, 24))
		}
	}
	if len(params) > 0 {
		name += " (" + strings.Join(params, ", ") + ")"
	}
	return name
}

// shorten cuts a text after so many characters, and says so.
func shorten(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// label names each run by its folder and, where there are several, behind it by its
// process, if these are several, and the settings in which it differs from the others of
// its process.
func (c *Curves) label() {
	several := len(c.processes()) > 1
	for _, name := range c.processes() {
		var alike []*RunCurve
		for i := range c.Runs {
			if c.Runs[i].setting(processName) == name {
				alike = append(alike, &c.Runs[i])
			}
		}
		paths := differing(alike)
		shown := telling(alike, paths)
		for _, r := range alike {
			settings := r.named(shown, len(paths))
			if several {
				settings = strings.TrimSuffix(name+", "+settings, ", ")
			}
			r.Label = strings.TrimSuffix(r.Run+": "+settings, ": ")
		}
	}
}

// telling picks a few of the paths by which runs differ, in their order: each time the
// one that tells most of those apart that are still alike.
func telling(runs []*RunCurve, paths []string) (picked []string) {
	values := make([]string, len(runs))
	kinds := func(path string) int {
		seen := map[string]bool{}
		for i, r := range runs {
			seen[values[i]+"\n"+r.setting(path)] = true
		}
		return len(seen)
	}
	for len(picked) < min(len(paths), mostSettings) {
		best, most := "", 0
		for _, path := range paths {
			if n := kinds(path); n > most && !slices.Contains(picked, path) {
				best, most = path, n
			}
		}
		for i, r := range runs {
			values[i] += "\n" + r.setting(best)
		}
		picked = append(picked, best)
	}
	slices.SortFunc(picked, func(a, b string) int { return slices.Index(paths, a) - slices.Index(paths, b) })
	return picked
}

// processes lists the names of the processes of the runs, each once.
func (c *Curves) processes() (names []string) {
	for _, r := range c.Runs {
		if name := r.setting(processName); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// differing lists the paths of the settings in which runs differ, in the order of the
// configurations. How often is evaluated, and what follows from other settings, count
// where nothing else differs, and which weights are kept nowhere.
func differing(runs []*RunCurve) []string {
	var all, differ, lesser []string
	for _, r := range runs {
		for _, s := range r.settings {
			if !slices.Contains(all, s.Path) {
				all = append(all, s.Path)
			}
		}
	}
	for _, path := range all {
		same := func(r *RunCurve) bool { return r.setting(path) == runs[0].setting(path) }
		defined := strings.HasPrefix(path, "process.") && !strings.HasPrefix(path, processParams)
		switch {
		case defined || slices.Contains(kept, path) || !slices.ContainsFunc(runs, func(r *RunCurve) bool { return !same(r) }):
		case slices.Contains(derived, path) || slices.Contains(cadence, path):
			lesser = append(lesser, path)
		default:
			differ = append(differ, path)
		}
	}
	if len(differ) == 0 {
		return lesser
	}
	return differ
}

// setting is the text of a setting.
func (r RunCurve) setting(path string) string {
	for _, s := range r.settings {
		if s.Path == path {
			return s.Text
		}
	}
	return unset
}

// named lists a run's values of some of all settings in which it differs.
func (r RunCurve) named(paths []string, all int) string {
	var parts []string
	for _, path := range paths {
		parts = append(parts, fmt.Sprintf("%s=%s", path, shorten(r.setting(path), 32)))
	}
	if len(paths) < all {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// Title is the run's label with how far it has come, if it is not complete.
func (r RunCurve) Title() string {
	if r.Complete {
		return r.Label
	}
	return fmt.Sprintf("%s, step %d of %d", r.Label, r.Last().Step, r.Steps)
}
