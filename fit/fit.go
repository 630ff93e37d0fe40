package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"foretell/internal/parallel"
	"foretell/internal/random"
	"foretell/process"
)

// Emission is the kind of a model: what emits a token.
type Emission int

const (
	// Edges emit: T^x[i,j] is free.
	Edges Emission = iota
	// States emit: T^x[i,j] = b_i(x)·a_ij.
	States
)

// Start is the distribution of the first state.
type Start int

const (
	Free       Start = iota // it is fitted
	Stationary              // it is the stationary distribution π
)

// Options are the options of a fit. The zero value has the defaults.
type Options struct {
	Name     string // of the process; "fitted" if empty
	Emission Emission
	Start    Start
	Starts   int    // random starts; 10 if 0
	Seed     uint64 // of the random starts, and of a bootstrap's draws
	Steps    int    // most passes over a part of the sequence from one start; 3000 if 0
	Workers  int    // goroutines; 1 if 0
	// Tolerance is a number of nats: a fit has converged if three steps gain less. If it is
	// 0, it is 1e-6 nats, or 1e-9 nats a token if that is more.
	Tolerance float64
	// Progress, if not nil, is called after every three steps with the start (from 0), the
	// length of the part of the sequence that is fitted, and its log-likelihood. Calls do
	// not overlap.
	Progress func(start, length int, logLikelihood float64)
}

// Result is a fitted model.
type Result struct {
	// HMM is the model as a process, which starts from its stationary distribution. Its
	// states are in the order of their stationary probabilities, the largest first.
	HMM   *process.HMM
	Start []float64 // the fitted distribution of the first state

	LogLikelihood  float64 // of the sequence, with Start, in nats
	FromStationary float64 // of the sequence, from HMM's start, in nats; maybe −Inf
	// Trace are the log-likelihoods of the whole sequence along the steps, none lower than
	// the one before. LogLikelihood may be lower than the last by about 1e-6 for each entry
	// of the process that is 0; where the fit has not converged, it may also be higher,
	// because such entries share their probability among the others.
	Trace      []float64
	Steps      int       // passes over the whole sequence, with the steps taken back
	Converged  bool      // whether the tolerance was reached
	Stopped    string    // why the fit ended, as "three steps gained less than 1e-06 nats"
	Starts     []float64 // [start]: the log-likelihood that it reached on Screened tokens
	Screened   int       // the first tokens, to which every start was fitted
	Parameters int       // free parameters; see the package comment

	length  int
	model   *model
	options Options
}

const (
	screened  = 50_000 // tokens to which every random start is fitted
	longer    = 8      // factor between the parts on which the best start is continued
	screening = 1e-3   // least tolerance on parts of the sequence, in nats
	// The default tolerance, see [Options], is a gain that no comparison of models notices.
	absolute, perToken = 1e-6, 1e-9
	// rounding is the least tolerance for each token: likelihoods have about 15 digits.
	rounding = 1e-12
)

// HMM fits a hidden Markov model with the given number of states to a sequence of
// tokens, which are indices into names. It returns an error if ctx ends, if the sequence
// has fewer tokens than the model has parameters, no two different tokens, or a token
// outside names, and if process.New refuses the names.
func HMM(ctx context.Context, sequence []int32, names []string, states int, o Options) (*Result, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if err := checkNames(o.Name, names); err != nil {
		return nil, err
	}
	if err := check(sequence, len(names), states, o); err != nil {
		return nil, err
	}
	short := sequence[:min(len(sequence), screened)]
	climbs, err := o.screen(ctx, short, len(sequence), states, len(names))
	if err != nil {
		return nil, err
	}
	r := &Result{Screened: len(short), Parameters: o.parameters(states, len(names)), length: len(sequence), options: o}
	best := 0
	for s, c := range climbs {
		r.Starts = append(r.Starts, c.e.logLikelihood)
		if r.Starts[s] > r.Starts[best] {
			best = s
		}
	}
	c, of := climbs[best], o.kind()
	for m := len(short); m < len(sequence); {
		m = min(longer*m, len(sequence))
		c, err = newPass(sequence[:m]).climb(ctx, of, of.freshened(c.at), o.limits(best, m, len(sequence)))
		if err != nil {
			return nil, err
		}
	}
	if err := r.take(ctx, c, sequence, names); err != nil {
		return nil, err
	}
	return r, nil
}

// screen climbs from each random start, on the first part of a sequence of length whole.
func (o Options) screen(ctx context.Context, sequence []int32, whole, states, alphabet int) ([]*climb, error) {
	climbs := make([]*climb, o.Starts)
	return climbs, parallel.With(ctx, o.Workers, o.Starts, func() func(s int) error {
		w := newPass(sequence)
		return func(s int) (err error) {
			m := o.kind().random(states, alphabet, random.New(o.Seed, "fit/start", uint64(s), uint64(states)))
			climbs[s], err = w.climb(ctx, o.kind(), m, o.limits(s, len(sequence), whole))
			return err
		}
	})
}

// take makes the process of a climb's end and fills in r.
func (r *Result) take(ctx context.Context, c *climb, sequence []int32, names []string) (err error) {
	r.Trace, r.Steps, r.Converged, r.Stopped = c.trace, c.passes, c.converged, c.stopped
	if r.model, r.HMM, err = c.process(r.options.Name, names); err != nil {
		return err
	}
	r.Start = slices.Clone(r.model.start[:r.model.k])
	w := newPass(sequence)
	if r.LogLikelihood, err = w.likelihood(ctx, r.model); err != nil {
		return err
	}
	r.FromStationary, err = w.likelihood(ctx, r.model.from(r.HMM.Stationary()))
	return err
}

// YAML returns the fitted process as a file that process.Load reads: the same matrices,
// to the last bit. Its error has one line.
func (r *Result) YAML() ([]byte, error) { return process.SpecOf(r.HMM).YAML() }

// numbered returns the names 1 … k.
func numbered(k int) []string {
	names := make([]string, k)
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}

func (o Options) kind() kind { return kind{o.Emission, o.Start} }

// limits returns the limits of a climb on the first length tokens of a whole sequence.
func (o Options) limits(start, length, whole int) limits {
	l := limits{steps: o.Steps, tolerance: max(o.Tolerance, float64(rounding*float64(length)))}
	if o.Tolerance == 0 {
		l.tolerance = max(absolute, float64(perToken*float64(length)))
	}
	if length < whole {
		l.tolerance = max(l.tolerance, screening)
	}
	if o.Progress != nil {
		l.report = func(logLikelihood float64) { o.Progress(start, length, logLikelihood) }
	}
	return l
}

// resolve fills in the defaults.
func (o Options) resolve() (Options, error) {
	switch {
	case o.Emission != Edges && o.Emission != States:
		return o, fmt.Errorf("fit: there is no emission %d; want Edges or States", o.Emission)
	case o.Start != Free && o.Start != Stationary:
		return o, fmt.Errorf("fit: there is no start %d; want Free or Stationary", o.Start)
	case o.Starts < 0 || o.Steps < 0 || o.Workers < 0 || !(o.Tolerance >= 0):
		return o, errors.New("fit: starts, steps, workers and tolerance cannot be negative")
	}
	defaults := Options{Name: "fitted", Starts: 10, Steps: 3000, Workers: 1}
	o.Name = cmp.Or(o.Name, defaults.Name)
	o.Starts = cmp.Or(o.Starts, defaults.Starts)
	o.Steps = cmp.Or(o.Steps, defaults.Steps)
	o.Workers = cmp.Or(o.Workers, defaults.Workers)
	if report := o.Progress; report != nil {
		var mu sync.Mutex
		o.Progress = func(start, length int, logLikelihood float64) {
			mu.Lock()
			defer mu.Unlock()
			report(start, length, logLikelihood)
		}
	}
	return o, nil
}

// parameters returns the number of free parameters.
func (o Options) parameters(k, a int) int {
	n := k * (a*k - 1)
	if o.Emission == States {
		n = k*(k-1) + k*(a-1)
	}
	if o.Start == Free {
		n += k - 1
	}
	return n
}

// checkNames returns an error unless a process can have this name and names of tokens.
func checkNames(name string, tokens []string) error {
	even := make([][][]float64, len(tokens))
	for x := range even {
		even[x] = [][]float64{{1 / float64(len(tokens))}}
	}
	if _, err := process.New(name, tokens, numbered(1), even); err != nil {
		return fmt.Errorf("fit: %w", err)
	}
	return nil
}

// check returns an error unless a model can be fitted to the sequence.
func check(sequence []int32, alphabet, states int, o Options) error {
	const most = 1 << 24 // entries of the matrices, as in process
	if states < 1 {
		return fmt.Errorf("fit: %d states; give at least 1", states)
	}
	if states > 1024 || alphabet > most || states*states*alphabet > most {
		return fmt.Errorf("fit: %d states and %d tokens are too many: want at most 1024 states and %d entries",
			states, alphabet, most)
	}
	seen := 0
	for t, x := range sequence {
		if x < 0 || int(x) >= alphabet {
			return fmt.Errorf("fit: token %d at position %d is outside the alphabet 0 … %d", x, t+1, alphabet-1)
		}
		if x != sequence[0] {
			seen++
		}
	}
	if n := o.parameters(states, alphabet); len(sequence) < max(n, 1) {
		return fmt.Errorf("fit: %d tokens are fewer than the %d parameters of %d states; give more, or fewer states",
			len(sequence), n, states)
	}
	if seen == 0 {
		return errors.New("fit: all tokens of the sequence are the same, so there is nothing to fit")
	}
	return nil
}
