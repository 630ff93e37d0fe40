package process

import (
	"fmt"
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
		randomChainsEntry,
		markovEntry,
		periodicEntry,
		iidEntry,
		sineEntry,
		mackeyGlassEntry,
		recordingEntry,
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
	// Kind says what the process is: "hmm", "ghmm" (a generalised HMM), "exchangeable"
	// (a coin), "interleaved" (chains of unknown lag), "signal" (one of those of
	// EE269 2026, of which the sine is an HMM, too; or a recording of one's own) or
	// "combinator" (an HMM made of others).
	Kind string
	// Params are its parameters in the order of its definition.
	Params []Param
	// Summary is one line that says what the process does.
	Summary string
	// Rules are sentences that say how a sequence is read, for a process of which the
	// summary does not say all; in them stand n and the like for parameters.
	Rules []string
	// New makes the process of parameters that [ResolveParams] has filled in. A value
	// out of range is an error.
	New func(params Params) (Sampler, error)
}

// IsSignal says whether the tokens of p, a process of the entry, are those of a signal:
// by its Kind, or as a process that is made of a signal and keeps the levels of its
// tokens (see [Leveller]), as [Noisy] does.
func (e Entry) IsSignal(p Sampler) bool {
	l, ok := p.(Leveller)
	return e.Kind == "signal" || ok && l.Levels() != nil
}

// Catalogue returns the entries of the zoo in a fixed order.
func Catalogue() []Entry { return catalogue() }

// Build makes a process of the catalogue. Parameters not in params have their
// defaults; params may be nil. An unknown process or parameter, a value of the wrong
// type and a value out of range are errors that name what would be right. A sampler whose
// best prediction is not known is a [*NoOptimumError].
func Build(name string, params Params) (Process, error) {
	return withOptimum(BuildSampler(name, params))
}

// BuildSampler is [Build], and takes samplers whose best prediction is not known, too.
func BuildSampler(name string, params Params) (Sampler, error) {
	entry, full, err := Resolve(name, params)
	if err != nil {
		return nil, err
	}
	return entry.New(full)
}

// NoOptimumError is the error of a sampler whose best possible prediction is not known,
// where that is needed.
type NoOptimumError struct{ Name string }

func (e *NoOptimumError) Error() string {
	return e.Name + ": its best possible prediction is not known, so it has no floor and no optimal predictor"
}

// OptimumOf returns s as a process, or a [*NoOptimumError].
func OptimumOf(s Sampler) (Process, error) {
	if p, ok := s.(Process); ok {
		return p, nil
	}
	return nil, &NoOptimumError{s.Name()}
}

// withOptimum is OptimumOf the result of a constructor.
func withOptimum(s Sampler, err error) (Process, error) {
	if err != nil {
		return nil, err
	}
	return OptimumOf(s)
}

// Resolve returns the entry of a process and its parameters, with defaults filled
// in. Its errors are those of Build but for values out of range.
func Resolve(name string, params Params) (Entry, Params, error) {
	all := catalogue()
	at := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if at < 0 {
		return Entry{}, nil, fmt.Errorf("unknown process %q: %s", name,
			strict.Choice(name, names(all, func(e Entry) string { return e.Name })))
	}
	full, err := ResolveParams(name, all[at].Params, params)
	return all[at], full, err
}

func names[T any](list []T, name func(T) string) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = name(v)
	}
	return all
}

// asSampler adapts the result of a constructor to Entry.New.
func asSampler[S Sampler](s S, err error) (Sampler, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
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
