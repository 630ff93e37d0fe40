package inspect

import (
	"cmp"
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
	// absent is what it means to leave a setting out, where that is not zero or false.
	absent = map[string]string{
		"train.share_prefixes": "off", "train.objective": "sampled", "train.event_weight": "1", "train.init": "none",
		"model.unembed_bias": "true",
	}
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
			settings := r.named(shown, len(paths), alike)
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
			seen[values[i]+"\n"+r.meaning(path)] = true
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
			values[i] += "\n" + r.meaning(best)
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
		same := func(r *RunCurve) bool { return r.meaning(path) == runs[0].meaning(path) }
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

// meaning is the text of a setting, [unset] where it is what leaving it out means.
func (r RunCurve) meaning(path string) string {
	text := r.setting(path)
	if strings.HasPrefix(path, "process.") {
		return text
	}
	zero, given := absent[path]
	if given && text == zero || !given && slices.Contains([]string{"0", "false", "", "[]"}, text) {
		return unset
	}
	return text
}

// shown is the text of a setting for people: of one that is left out what that means.
func (r RunCurve) shown(path string) string {
	text := r.setting(path)
	if text == unset {
		return cmp.Or(absent[path], unset)
	}
	return text
}

// mostSetting is how long a setting is in a label.
const mostSetting = 32

// named lists a run's values of some of all settings in which it differs from runs. A
// list is shown from its beginning, or where that is the same from the first difference.
func (r RunCurve) named(paths []string, all int, runs []*RunCurve) string {
	var parts []string
	for _, path := range paths {
		parts = append(parts, path+"="+shortenFrom(r.shown(path), mostSetting, firstShown(runs, path)))
	}
	if len(paths) < all {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// firstShown is where to begin showing lists so that they can be told apart: 0, unless
// two that differ would look the same.
func firstShown(runs []*RunCurve, path string) int {
	long := map[string]string{}
	for _, r := range runs {
		text := r.shown(path)
		short := shorten(text, mostSetting)
		if other, ok := long[short]; ok && other != text {
			a, b := numbersOf(text), numbersOf(other)
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					return i
				}
			}
		}
		long[short] = text
	}
	return 0
}

// Title is the run's label with how far it has come, if it is not complete.
func (r RunCurve) Title() string {
	if r.Complete {
		return r.Label
	}
	return fmt.Sprintf("%s, step %d of %d", r.Label, r.Last().Step, r.Steps)
}
