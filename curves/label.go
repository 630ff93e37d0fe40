package curves

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/strict"
	"foretell/internal/text"
)

const (
	processName   = "process.name"
	processParams = "process.params."
	mostSettings  = 4 // largest number of settings in a label
	unset         = "default"
)

var (
	// derived are settings whose values follow from other settings unless they are given.
	derived = []string{"model.d_head", "model.d_mlp", "model.d_vocab", "model.initializer_range", "train.init_sha256"}
	// cadence are the settings that decide when a run is evaluated. They do not change the
	// weights.
	cadence = []string{"train.evaluate_every", "train.evaluate_sequences"}
	// kept are the settings that decide which checkpoints are kept. They change neither the
	// weights nor the curves.
	kept = []string{"train.checkpoint_every", "train.checkpoint_minutes", "train.checkpoints"}
	// absent maps a setting to its default value, for settings whose default is not zero,
	// false or empty.
	absent = map[string]string{
		"train.share_prefixes": "off", "train.objective": "sampled", "train.event_weight": "1", "train.init": "none",
		"model.unembed_bias": "true",
	}
	// foremost are the settings that a reader asks for first, in this order. Settings of the
	// process and the model follow, then the other settings of training.
	foremost = []string{"train.objective", "train.optimizer"}
	// lastly are the settings that a reader asks for last, in this order.
	lastly = []string{"train.num_steps", "train.batch_size", "train.seed"}
)

// rank returns the position of a setting's group in a label; the smallest comes first.
func rank(path string) int {
	if i := slices.Index(foremost, path); i >= 0 {
		return i - len(foremost)
	}
	if i := slices.Index(lastly, path); i >= 0 {
		return 3 + i
	}
	return slices.Index([]string{"process", "model", "train"}, strings.Split(path, ".")[0])
}

// shortPaths returns the last part of each setting's path, or the whole path if two
// settings share their last part.
func shortPaths(paths []string) []string {
	names := make([]string, len(paths))
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	for i, path := range paths {
		names[i] = last(path)
		for k, other := range paths {
			if k != i && last(other) == names[i] {
				names[i] = path
			}
		}
	}
	return names
}

// processText returns the name of a process with its parameters, as in mess3 (a = 0.6, x
// = 0.15).
func processText(settings []strict.Setting) string {
	name, params := "", []string{}
	for _, s := range settings {
		if s.Path == processName {
			name = s.Text
		}
		if param, ok := strings.CutPrefix(s.Path, processParams); ok {
			params = append(params, param+" = "+text.Excerpt(s.Text, 24))
		}
	}
	if len(params) > 0 {
		name += " (" + strings.Join(params, ", ") + ")"
	}
	return name
}

// label sets the label of each run: its folder; then its process, if the runs differ in
// it; then the settings in which the run differs from other runs of the same process.
func (c *Set) label() {
	several := len(c.processes()) > 1
	for _, name := range c.processes() {
		var same []*Run
		for i := range c.Runs {
			if c.Runs[i].setting(processName) == name {
				same = append(same, &c.Runs[i])
			}
		}
		paths := differing(same)
		shown := telling(same, paths)
		for _, r := range same {
			settings := r.named(shown, len(paths), same)
			if several {
				settings = strings.TrimSuffix(name+", "+settings, ", ")
			}
			r.Label, r.differs = strings.TrimSuffix(r.Dir+": "+settings, ": "), settings
		}
	}
}

// telling chooses, from the paths of the settings in which runs differ, the few that best
// distinguish the runs, and returns them in the order of paths. The choice is greedy:
// each setting is the one that, together with those already chosen, splits the runs into
// the most groups.
func telling(runs []*Run, paths []string) (picked []string) {
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

// processes lists the names of the runs' processes, each once.
func (c *Set) processes() (names []string) {
	for _, r := range c.Runs {
		if name := r.setting(processName); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// differing lists the paths of the settings in which runs differ: first objective and
// optimiser, then settings of the process, the model and training, and last the number of
// steps, the batch size and the seed. Settings of the evaluation, and settings that
// follow from others, are listed only if nothing else differs. Settings of the
// checkpoints are never listed.
func differing(runs []*Run) []string {
	var all, differ, lesser []string
	for _, r := range runs {
		for _, s := range r.settings {
			if !slices.Contains(all, s.Path) {
				all = append(all, s.Path)
			}
		}
	}
	for _, path := range all {
		defined := strings.HasPrefix(path, "process.") && !strings.HasPrefix(path, processParams)
		switch {
		case defined || slices.Contains(kept, path) || alike(runs, path):
		case slices.Contains(derived, path) || slices.Contains(cadence, path):
			lesser = append(lesser, path)
		default:
			differ = append(differ, path)
		}
	}
	if len(differ) == 0 {
		differ = lesser
	}
	slices.SortStableFunc(differ, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return differ
}

// alike reports whether a setting has the same value in all runs to which it applies.
func alike(runs []*Run, path string) bool {
	var one *Run
	for _, r := range runs {
		if r.lacks(path) {
			continue
		}
		if one != nil && r.meaning(path) != one.meaning(path) {
			return false
		}
		one = r
	}
	return true
}

// lacks reports whether a setting does not apply to a run because of the run's objective
// or optimiser: the exact objective, for example, has no batch size.
func (r Run) lacks(path string) bool {
	if r.setting(path) != unset {
		return false
	}
	optimizer := r.setting("train.optimizer")
	switch path {
	case "train.batch_size":
		return r.setting("train.objective") == "exact"
	case "train.betas", "train.eps":
		return optimizer == "lbfgs" || optimizer == "sgd"
	}
	return false
}

// setting returns the text of a setting, or [unset] if the configuration leaves it out.
func (r Run) setting(path string) string {
	for _, s := range r.settings {
		if s.Path == path {
			return s.Text
		}
	}
	return unset
}

// meaning returns the text of a setting, or [unset] if the configuration leaves it out or
// gives its default value.
func (r Run) meaning(path string) string {
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

// shown returns the text of a setting for a label. If the configuration leaves the
// setting out, the text is its default from [absent], or else [unset].
func (r Run) shown(path string) string {
	text := r.setting(path)
	if text == unset {
		return cmp.Or(absent[path], unset)
	}
	return text
}

// mostSetting is the largest number of characters of a setting in a label.
const mostSetting = 32

// named returns a run's settings at the given paths as name=value, separated by commas.
// total is the number of settings in which the runs differ; if it exceeds the number of
// paths, the text ends in …. A long list is shown from its beginning, or from the first
// difference if the lists of several runs begin alike.
func (r Run) named(paths []string, total int, runs []*Run) string {
	var parts []string
	names := shortPaths(paths)
	for i, path := range paths {
		if r.lacks(path) {
			continue
		}
		parts = append(parts, names[i]+"="+text.ExcerptFrom(r.shown(path), mostSetting, firstShown(runs, path)))
	}
	if len(paths) < total {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// firstShown returns the index of the first item to show if the values of a setting are
// lists. It is 0, unless two different lists, shortened, would look the same; then it is
// the index of their first difference.
func firstShown(runs []*Run, path string) int {
	long := map[string]string{}
	for _, r := range runs {
		whole := r.shown(path)
		short := text.Excerpt(whole, mostSetting)
		if other, ok := long[short]; ok && other != whole {
			a, b := text.ParseList(whole), text.ParseList(other)
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					return i
				}
			}
		}
		long[short] = whole
	}
	return 0
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
func (r Run) Settings(prefix string) string {
	var list []string
	for _, s := range r.settings {
		if name, ok := strings.CutPrefix(s.Path, prefix); ok {
			list = append(list, name+" "+s.Text)
		}
	}
	return strings.Join(list, ", ")
}
