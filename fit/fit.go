package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

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
	Name      string // of the process; "fitted" if empty
	Emission  Emission
	Start     Start
	Starts    int     // random starts; 10 if 0
	Seed      uint64  // of the random starts, and of a bootstrap's draws
	Steps     int     // most passes over a part of the sequence from one start; 3000 if 0
	Tolerance float64 // a fit has converged if three steps gain less, in nats; 1e-6 if 0
	Workers   int     // goroutines; 1 if 0
	// Progress, if not nil, is called after every three steps with the start (from 0), the
	// length of the part of the sequence that is fitted, and its log-likelihood. Calls do not
	// overlap.
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
	// the one before. The last equals LogLikelihood up to 1e-6 for entries that became 0.
	Trace      []float64
	Steps      int       // passes over the whole sequence, with the steps taken back
	Converged  bool      // whether the tolerance was reached
	Stopped    string    // why the fit ended, such as "three steps gained less than 1e-06 nats"
	Starts     []float64 // [start]: the log-likelihood that it reached, of the first Screened tokens
	Screened   int       // tokens to which every start was fitted
	Parameters int       // free parameters; see the package comment

	length  int
	model   *model
	options Options
}

const (
	screened  = 50_000 // tokens to which every random start is fitted
	longer    = 8      // factor between the parts on which the best start is continued
	screening = 1e-2   // tolerance on parts of the sequence, in nats
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
	if err := check(sequence, len(names), states, o); err != nil {
		return nil, err
	}
	short := sequence[:min(len(sequence), screened)]
	climbs, err := o.screen(ctx, short, states, len(names))
	if err != nil {
		return nil, err
	}
	r := &Result{Screened: len(short), Parameters: o.parameters(states, len(names)), length: len(sequence), options: o}
	best := 0
	for s, c := range climbs {
		r.Starts = append(r.Starts, c.likelihood())
		if r.Starts[s] > r.Starts[best] {
			best = s
		}
	}
	c := climbs[best]
	for m := len(short); m < len(sequence); {
		m = min(longer*m, len(sequence))
		if c, err = newPass(sequence[:m]).climb(ctx, o.kind(), c.at, o.limits(best, m, len(sequence))); err != nil {
			return nil, err
		}
	}
	return r, r.take(ctx, c, sequence, names)
}

// screen climbs from each random start.
func (o Options) screen(ctx context.Context, sequence []int32, states, alphabet int) ([]*climb, error) {
	climbs := make([]*climb, o.Starts)
	whole := len(sequence)
	if whole == screened {
		whole++ // the best start is continued, at least once
	}
	return climbs, each(ctx, o.Workers, o.Starts, func() func(s int) error {
		w := newPass(sequence)
		return func(s int) (err error) {
			m := o.kind().random(states, alphabet, random.New(o.Seed, "fit/start", uint64(s), uint64(states)))
			climbs[s], err = w.climb(ctx, o.kind(), m, o.limits(s, len(sequence), whole))
			return err
		}
	})
}

// each calls the function that begin returns for 0 … n−1, from several goroutines with one
// such function each, and returns the first error by number.
func each(ctx context.Context, workers, n int, begin func() func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			work := begin()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				errs[i] = work(i)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// likelihood is the log-likelihood that a climb reached.
func (c *climb) likelihood() float64 {
	if c.e == nil {
		return math.Inf(-1)
	}
	return c.e.logLikelihood
}

// take makes the process of a climb's end and fills in r.
func (r *Result) take(ctx context.Context, c *climb, sequence []int32, names []string) (err error) {
	if c.e == nil {
		return fmt.Errorf("fit: no start can make the sequence; try another seed")
	}
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
// Likelihoods have about 15 digits, so smaller gains do not count.
func (o Options) limits(start, length, whole int) limits {
	l := limits{steps: o.Steps, tolerance: max(o.Tolerance, 1e-12*float64(length))}
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
	defaults := Options{Name: "fitted", Starts: 10, Steps: 3000, Workers: 1, Tolerance: 1e-6}
	o.Name = cmp.Or(o.Name, defaults.Name)
	o.Starts = cmp.Or(o.Starts, defaults.Starts)
	o.Steps = cmp.Or(o.Steps, defaults.Steps)
	o.Workers = cmp.Or(o.Workers, defaults.Workers)
	o.Tolerance = cmp.Or(o.Tolerance, defaults.Tolerance)
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
