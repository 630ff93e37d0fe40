package process

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
	"foretell/internal/text"
)

// catalogue lists the processes that come with this package: the zoo. A new process is
// one file, with its constructor and its Entry, and one line here. (This is a function
// rather than a variable, and so are the entries of the combinators, because combinators,
// which make processes from other processes, look these up in it.)
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
	// Name is the process's name in Build and on the command line.
	Name string
	// Kind is "hmm", "ghmm" (a generalised HMM), "exchangeable" (a coin), "interleaved"
	// (chains of unknown lag), "signal" (a signal of EE269 2026, including the sine, which
	// is also an HMM; or a recording of your own) or "combinator" (an HMM made from other
	// processes).
	Kind string
	// Params are the parameters of the process, in the order in which they are shown.
	Params []Param
	// Summary describes the process in one line.
	Summary string
	// Rules are sentences that explain how to read a sequence, if the summary does not
	// suffice. Parameters appear in them by their symbols, such as n.
	Rules []string
	// New makes the process from parameters that [ResolveParams] has completed. It returns
	// an error if a value is out of range.
	New func(params Params) (Sampler, error)
}

// IsSignal reports whether the tokens of p, a process made from this entry, are the
// tokens of a signal. They are if the entry's Kind is "signal", or if p is made from a
// signal and keeps the levels of its tokens (see [Leveller]), as [Noisy] does.
func (e Entry) IsSignal(p Sampler) bool {
	l, ok := p.(Leveller)
	return e.Kind == "signal" || ok && l.Levels() != nil
}

// Catalogue returns the entries of the zoo in a fixed order.
func Catalogue() []Entry { return catalogue() }

// Build makes a process of the catalogue. Parameters that are not in params have their
// default values; params may be nil. An unknown process or parameter, a value of the
// wrong type and a value out of range are errors that name the valid choices. For a
// sampler whose best prediction is not known, the error is a [*NoOptimumError].
func Build(name string, params Params) (Process, error) {
	return withOptimum(BuildSampler(name, params))
}

// BuildSampler is [Build] that also accepts samplers whose best prediction is not
// known.
func BuildSampler(name string, params Params) (Sampler, error) {
	entry, full, err := Resolve(name, params)
	if err != nil {
		return nil, err
	}
	return entry.New(full)
}

// NoOptimumError reports that a computation needs a sampler's best possible prediction,
// which is not known.
type NoOptimumError struct{ Name string }

func (e *NoOptimumError) Error() string {
	return e.Name + ": its best possible prediction is not known, so it has no floor and no optimal predictor"
}

// OptimumOf returns a sampler as a Process, or a [*NoOptimumError] if its best possible
// prediction is not known.
func OptimumOf(s Sampler) (Process, error) {
	if p, ok := s.(Process); ok {
		return p, nil
	}
	return nil, &NoOptimumError{s.Name()}
}

// withOptimum applies OptimumOf to the result of a constructor.
func withOptimum(s Sampler, err error) (Process, error) {
	if err != nil {
		return nil, err
	}
	return OptimumOf(s)
}

// Resolve returns the entry of a process and its parameters, with the defaults filled
// in. It reports the same errors as Build, except that it does not check ranges.
func Resolve(name string, params Params) (Entry, Params, error) {
	all := catalogue()
	at := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if at < 0 {
		return Entry{}, nil, fmt.Errorf("unknown process %q: %s", name,
			strict.Choice(name, text.Each(all, func(e Entry) string { return e.Name })))
	}
	full, err := ResolveParams(name, all[at].Params, params)
	return all[at], full, err
}

// asSampler converts the result of a constructor to the result of Entry.New.
func asSampler[S Sampler](s S, err error) (Sampler, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// numbers returns the names "0" … "n−1" for n unnamed tokens or states.
func numbers(n int) []string {
	names := make([]string, n)
	for z := range names {
		names[z] = strconv.Itoa(z)
	}
	return names
}

// ofEdges makes a process of the zoo from the edges of its graph. The arguments tokens
// and states are lists of names, separated by spaces.
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
