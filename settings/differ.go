package settings

import (
	"cmp"
	"slices"
	"strings"
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
	foremost = []string{Objective, optimizer}
	// lastly are the settings that a reader asks for last, in this order.
	lastly = []string{"train.num_steps", "train.batch_size", Seed}
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

// Differing lists the paths of the settings in which configurations differ: first
// objective and optimiser, then settings of the process, the model and training, and last
// the number of steps, the batch size and the seed. Settings of the evaluation, and
// settings that follow from others, are listed only if nothing else differs. Settings of
// the checkpoints are never listed, and neither is what defines a process.
func Differing(list []Settings) []string {
	var differ, lesser []string
	for _, path := range Known(list) {
		defined := strings.HasPrefix(path, "process.") && !strings.HasPrefix(path, processParams)
		switch {
		case defined || slices.Contains(kept, path) || alike(list, path):
		case slices.Contains(derived, path) || slices.Contains(cadence, path):
			lesser = append(lesser, path)
		default:
			differ = append(differ, path)
		}
	}
	if len(differ) == 0 {
		differ = lesser
	}
	return ranked(differ)
}

// AllDiffering lists the paths of all settings in which configurations differ, in the
// order of [Differing].
func AllDiffering(list []Settings) []string {
	return ranked(slices.DeleteFunc(Known(list), func(path string) bool { return alike(list, path) }))
}

// Difference is a setting in which configurations differ.
type Difference struct {
	Setting string   `json:"setting"` // its path, such as train.lr
	Values  []string `json:"values"`  // of each configuration, see [Settings.Shown]
}

// Differences returns the values of the settings at the given paths.
func Differences(list []Settings, paths []string) []Difference {
	found := []Difference{}
	for _, path := range paths {
		d := Difference{Setting: path}
		for _, s := range list {
			d.Values = append(d.Values, s.Shown(path))
		}
		found = append(found, d)
	}
	return found
}

func ranked(paths []string) []string {
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return paths
}

// alike reports whether a setting has the same value in all configurations to which it
// applies.
func alike(list []Settings, path string) bool {
	one := -1
	for i, s := range list {
		if s.lacks(path) {
			continue
		}
		if one >= 0 && s.meaning(path) != list[one].meaning(path) {
			return false
		}
		one = i
	}
	return true
}

// lacks reports whether a setting does not apply because of the objective or the
// optimiser: the exact objective, for example, has no batch size.
func (s Settings) lacks(path string) bool {
	if s.Text(path) != Unset {
		return false
	}
	switch path {
	case "train.batch_size":
		return s.Text(Objective) == "exact"
	case "train.betas", "train.eps":
		by := s.Text(optimizer)
		return by == "lbfgs" || by == "sgd"
	}
	return false
}

// meaning returns the text of a setting, or [Unset] if the configuration leaves it out or
// gives its default value.
func (s Settings) meaning(path string) string {
	text := s.Text(path)
	if strings.HasPrefix(path, "process.") {
		return text
	}
	zero, given := absent[path]
	if given && text == zero || !given && slices.Contains([]string{"0", "false", "", "[]"}, text) {
		return Unset
	}
	return text
}
