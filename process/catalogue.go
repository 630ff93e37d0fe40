package process

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
)

// catalogue is the zoo. A new process is one file, which holds its constructor
// and its Entry, and one line here. (It is a function, as are the entries of the
// combinators, because these look other processes up in it.)
func catalogue() []Entry {
	return []Entry{
		mess3Entry,
		mess3MixtureEntry,
		z1rEntry,
		rrxorEntry,
		evenEntry,
		goldenMeanEntry,
		goldenMean53Entry,
		snsEntry,
		fractal2Entry,
		teddyBearEntry,
		parenthesesEntry,
		blochWalkEntry,
		frdnEntry,
		moonEntry,
		coinEntry,
		interleavedEntry,
		markovEntry,
		periodicEntry,
		iidEntry,
		sineEntry,
		mackeyGlassEntry,
		switchingDelayEntry,
		bracketsEntry,
		routingEntry,
		factoredEntry(),
		mixtureEntry(),
		noisyEntry(),
		mappedEntry(),
	}
}

// Entry describes a process that Build can make.
type Entry struct {
	// Name is what Build and the command line call it.
	Name string
	// Kind says what the process is: "hmm", "ghmm" (a generalised HMM),
	// "exchangeable" (a coin), "interleaved" (chains of unknown lag), "signal" (one of seed
	// 003's; the sine is an HMM, too) or "combinator" (an HMM made of others).
	Kind string
	// Params are its parameters in the order of its definition.
	Params []Param
	// Summary is one line that says what the process does.
	Summary string
	// New makes the process. It needs a value of the default's type for every
	// parameter and no other; Build sees to that. A value out of range is an
	// error.
	New func(params Params) (Process, error)
}

// Param is one parameter of a process.
type Param struct {
	Name    string
	Default any    // a float64, string, []float64, [][]float64, Spec or []Spec, which is the parameter's type
	Range   string // what is allowed, such as "(0, 0.5]"
	Summary string // one line
}

// Catalogue returns the entries of the zoo in a fixed order.
func Catalogue() []Entry { return catalogue() }

// Build makes a process of the catalogue. Parameters not in params have their
// defaults; params may be nil. An unknown process or parameter, a value of the wrong
// type and a value out of range are errors that name what would be right.
func Build(name string, params Params) (Process, error) {
	entry, full, err := Resolve(name, params)
	if err != nil {
		return nil, err
	}
	return entry.New(full)
}

// Resolve returns the entry of a process and its parameters, with defaults filled
// in. Its errors are those of Build but for values out of range.
func Resolve(name string, params Params) (Entry, Params, error) {
	all := catalogue()
	at := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if at < 0 {
		return Entry{}, nil, fmt.Errorf("unknown process %q: %s", name, choice(name, names(all, func(e Entry) string { return e.Name })))
	}
	entry := all[at]
	known := names(entry.Params, func(p Param) string { return p.Name })
	for _, given := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, given) {
			return Entry{}, nil, fmt.Errorf("%s: unknown parameter %q: %s", name, given, choice(given, known))
		}
	}
	full := make(Params, len(entry.Params))
	for _, p := range entry.Params {
		full[p.Name] = p.Default
		if v, ok := params[p.Name]; ok {
			if full[p.Name], ok = p.convert(v); !ok {
				return Entry{}, nil, fmt.Errorf("%s: %s = %s is not %s", name, p.Name, quoted(v), p.wanted())
			}
		}
	}
	return entry, full, nil
}

// quoted writes a value for an error message.
func quoted(v any) string {
	if text, ok := v.(string); ok {
		return strconv.Quote(text)
	}
	return FormatValue(v)
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

// asProcess adapts the result of a constructor to Entry.New.
func asProcess[P Process](p P, err error) (Process, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// numbers returns names for n tokens or states that have none, "0" … "n−1".
func numbers(n int) []string {
	names := make([]string, n)
	for z := range names {
		names[z] = strconv.Itoa(z)
	}
	return names
}

// ofEdges makes a process of the zoo from its edges; names of tokens and states
// are separated by spaces.
func ofEdges(name, tokens, states string, params map[string]float64, edges []Transition) (*HMM, error) {
	d := Definition{Tokens: strings.Fields(tokens), States: strings.Fields(states), Transitions: edges}
	matrices, err := d.labelledMatrices()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h, err := New(name, d.Tokens, d.States, matrices)
	if err != nil {
		return nil, err
	}
	return h.withParams(params), nil
}

// checkProbability returns an error unless p, a parameter of a process, is in [0, 1].
func checkProbability(process, param string, p float64) error {
	if !(p >= 0 && p <= 1) {
		return fmt.Errorf("%s: %s = %g is outside [0, 1]", process, param, p)
	}
	return nil
}
