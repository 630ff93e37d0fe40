package settings

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
)

// Paths of settings that other packages name.
const (
	Process   = "process.name"
	Objective = "train.objective"
	Seed      = "train.seed"

	processParams = "process.params."
	optimizer     = "train.optimizer"
)

// Unset is the text of a setting that a configuration leaves out.
const Unset = "default"

// Settings are the settings of one configuration. The zero value has no settings.
type Settings struct {
	paths []string // in the order of the configuration
	texts map[string]string
}

// Of returns settings from pairs of a path and a text, in this order.
func Of(pairs ...[2]string) Settings {
	s := Settings{texts: make(map[string]string, len(pairs))}
	for _, pair := range pairs {
		if _, known := s.texts[pair[0]]; !known {
			s.paths = append(s.paths, pair[0])
		}
		s.texts[pair[0]] = pair[1]
	}
	return s
}

// Parse reads the settings of a configuration in YAML. Errors give the argument name as
// the file's name, with line and column.
func Parse(name string, config []byte) (Settings, error) {
	document, err := strict.Parse(name, config)
	if err != nil {
		return Settings{}, err
	}
	var pairs [][2]string
	for _, s := range document.Settings() {
		pairs = append(pairs, [2]string{s.Path, s.Text})
	}
	return Of(pairs...), nil
}

// Read reads the settings in the folder of a run or model.
func Read(dir string) (Settings, error) {
	path := filepath.Join(dir, model.ConfigFile)
	data, err := strict.ReadFile(path)
	if err != nil {
		return Settings{}, err
	}
	return Parse(path, data)
}

// Paths lists the settings that the configuration gives, in its order.
func (s Settings) Paths() []string { return slices.Clone(s.paths) }

// Text returns the text of a setting, or [Unset] if the configuration leaves it out.
func (s Settings) Text(path string) string {
	if text, ok := s.texts[path]; ok {
		return text
	}
	return Unset
}

// Shown returns the text of a setting for readers. If the configuration leaves the
// setting out, the text is its default where that is known and not zero, else [Unset].
func (s Settings) Shown(path string) string {
	text := s.Text(path)
	if text == Unset {
		return cmp.Or(absent[path], Unset)
	}
	return text
}

// Below returns on one line the settings whose paths begin with a prefix, such as
// "train.", without the prefix.
func (s Settings) Below(prefix string) string {
	var list []string
	for _, path := range s.paths {
		if name, ok := strings.CutPrefix(path, prefix); ok {
			list = append(list, name+" "+s.texts[path])
		}
	}
	return strings.Join(list, ", ")
}

// Process returns the name of the process with the parameters that the configuration
// gives, as in mess3 (a = 0.6, x = 0.15).
func (s Settings) Process() string {
	name, params := s.texts[Process], []string{}
	for _, path := range s.paths {
		if param, ok := strings.CutPrefix(path, processParams); ok {
			params = append(params, param+" = "+text.Excerpt(s.texts[path], 24))
		}
	}
	if len(params) > 0 {
		name += " (" + strings.Join(params, ", ") + ")"
	}
	return name
}

// Known lists the paths that at least one configuration gives, each once.
func Known(list []Settings) (paths []string) {
	seen := map[string]bool{}
	for _, s := range list {
		for _, path := range s.paths {
			if !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Find returns the path of a setting that a user names by its path or, if no other known
// path ends alike, by its last part: train.lr for lr.
func Find(known []string, name string) (path string, err error) {
	ending := endingIn(known, name)
	switch {
	case slices.Contains(known, name):
		return name, nil
	case len(ending) == 1:
		return ending[0], nil
	case len(ending) > 1:
		return "", fmt.Errorf("%s could be %s; give the whole path", name, strings.Join(ending, " or "))
	}
	return "", fmt.Errorf("no run has the setting %s; %s", name, strict.Name(name, known, 8))
}

// Ambiguous reports whether a name is the last part of several known paths.
func Ambiguous(known []string, name string) bool { return len(endingIn(known, name)) > 1 }

func endingIn(known []string, name string) (paths []string) {
	for _, path := range known {
		if strings.HasSuffix(path, "."+name) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Compare orders two texts: as numbers if both are numbers, else as texts. Numbers come
// first.
func Compare(a, b string) int {
	x, notX := strconv.ParseFloat(a, 64)
	y, notY := strconv.ParseFloat(b, 64)
	switch {
	case notX == nil && notY == nil:
		return cmp.Compare(x, y)
	case notX == nil:
		return -1
	case notY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// Column returns the values of a setting in several configurations, all of one type:
// int64 if all are whole numbers, else float64 if all are numbers, bool if all are true
// or false, else string. A value is nil if the setting does not apply, or if it is left
// out and its default is not known.
func Column(list []Settings, path string) []any {
	texts := make([]*string, len(list)) // nil for no value
	for i, s := range list {
		if text, given := s.texts[path]; given {
			texts[i] = &text
		} else if text := absent[path]; text != "" && s.defaults(path) {
			texts[i] = &text
		}
	}
	parse, zero := parserOf(texts)
	values := make([]any, len(list))
	for i, s := range list {
		if texts[i] != nil {
			values[i] = parse(*texts[i])
		} else if s.defaults(path) {
			values[i] = zero
		}
	}
	return values
}

// defaults reports whether the configuration determines a setting that it leaves out. The
// parameters of a process have their defaults, and the settings of train.stop are
// left out if there is no such rule.
func (s Settings) defaults(path string) bool {
	section, _, _ := strings.Cut(path, ".")
	if section != "model" && section != "train" || strings.HasPrefix(path, "train.stop.") || s.lacks(path) {
		return false
	}
	return slices.ContainsFunc(s.paths, func(given string) bool { return strings.HasPrefix(given, section+".") })
}

// mostWhole is the largest number below which every whole number is a float64.
const mostWhole = 1 << 53

// parserOf returns the function that reads values as the first type that all texts have,
// see [Column], and the type's zero value.
func parserOf(texts []*string) (parse func(string) any, zero any) {
	whole, number, truth := true, true, true
	for _, text := range texts {
		if text == nil {
			continue
		}
		x, err := strconv.ParseFloat(*text, 64)
		number = number && err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
		whole = whole && number && x == math.Trunc(x) && math.Abs(x) < mostWhole
		truth = truth && (*text == "true" || *text == "false")
	}
	switch {
	case whole:
		return func(text string) any {
			x, _ := strconv.ParseFloat(text, 64)
			return int64(x)
		}, int64(0)
	case number:
		return func(text string) any {
			x, _ := strconv.ParseFloat(text, 64)
			return x
		}, 0.0
	case truth:
		return func(text string) any { return text == "true" }, false
	}
	return func(text string) any { return text }, ""
}
