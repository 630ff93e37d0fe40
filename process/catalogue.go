package process

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"foretell/internal/strict"
)

// catalogue is the zoo. A new process is one file, which holds its constructor
// and its Entry, and one line here.
var catalogue = []Entry{
	mess3Entry,
	z1rEntry,
	evenEntry,
	goldenMeanEntry,
	iidEntry,
}

// Entry describes a process that Build can make.
type Entry struct {
	// Name is what Build and the command line call it.
	Name string
	// Kind says what the process is: "hmm".
	Kind string
	// Params are its parameters in the order of its definition.
	Params []Param
	// Summary is one line that says what the process does.
	Summary string
	// New makes the process. It needs a value for every parameter and no
	// other; Build sees to that. A value out of range is an error.
	New func(params map[string]float64) (Process, error)
}

// Param is one parameter of a process.
type Param struct {
	Name    string
	Default float64
	Range   string // what is allowed, such as "(0, 0.5]"
	Summary string // one line
}

// Catalogue returns the entries of the zoo in a fixed order.
func Catalogue() []Entry { return slices.Clone(catalogue) }

// Build makes a process of the catalogue. Parameters not in params have their
// defaults; params may be nil. An unknown process or parameter and a value out of
// range are errors that name what would be right.
func Build(name string, params map[string]float64) (Process, error) {
	at := slices.IndexFunc(catalogue, func(e Entry) bool { return e.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown process %q: %s", name, choice(name, names(catalogue, func(e Entry) string { return e.Name })))
	}
	entry := catalogue[at]
	known := names(entry.Params, func(p Param) string { return p.Name })
	for _, given := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, given) {
			return nil, fmt.Errorf("%s: unknown parameter %q: %s", name, given, choice(given, known))
		}
	}
	full := make(map[string]float64, len(entry.Params))
	for _, p := range entry.Params {
		full[p.Name] = p.Default
		if v, ok := params[p.Name]; ok {
			full[p.Name] = v
		}
	}
	return entry.New(full)
}

func names[T any](list []T, name func(T) string) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = name(v)
	}
	return all
}

// choice says what could have been meant by a word that is not known.
func choice(word string, known []string) string {
	if near := strict.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "want one of " + strings.Join(known, ", ")
}

// asProcess adapts the result of an HMM's constructor to Entry.New.
func asProcess(h *HMM, err error) (Process, error) {
	if err != nil {
		return nil, err
	}
	return h, nil
}

// checkProbability returns an error unless p, a parameter of a process, is in [0, 1].
func checkProbability(process, param string, p float64) error {
	if !(p >= 0 && p <= 1) {
		return fmt.Errorf("%s: %s = %g is outside [0, 1]", process, param, p)
	}
	return nil
}
