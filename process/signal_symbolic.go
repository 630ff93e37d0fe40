package process

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"foretell/internal/portable"
)

// Symbolic is a signal written by a program that occasionally computes a token from
// earlier ones, as Signals 3–5 of EE269 2026 do: [SwitchingDelay], [Brackets] and
// [Routing].
//
// The tokens that a program has written determine everything in its memory, so the
// optimal predictor runs the same program and always knows its state. Only the program's
// own random choices are unpredictable. The program starts again for each sequence, with
// an empty memory. The process is therefore not stationary, and its floors may rise.
// (EE269's sequences are windows of one long signal, and some begin after tokens that
// their rule would need.)
//
// A retrieval step is a token that the program's rule computes from earlier ones. EE269
// also calls it an event, measures accuracy on these tokens alone (its “conditional
// accuracy”) and gives them ten times the weight in the loss. Here each retrieval step
// can be predicted with certainty.
type Symbolic struct {
	name    string
	tokens  []string
	program program
	idle    sync.Pool // predictors for reuse by Sample
}

var _ Process = (*Symbolic)(nil)

// program writes sequences of tokens.
type program interface {
	// begin starts a run of the program: it returns the program before its first token.
	begin() run
	// expect returns the program's expected behaviour at the positions 1 … positions.
	expect(positions int) expectation
	// rate returns the limit of the floors, in nats.
	rate() float64
}

// run is a running program.
type run interface {
	// next adds the distribution of the next token to dst, which is all zeros.
	next(dst []float64)
	// retrieves reports whether a token of positive probability is a retrieval step.
	retrieves(token int) bool
	// observe advances by a token of positive probability.
	observe(token int)
	// reset returns to the state before the first token.
	reset()
}

// expectation is the expected behaviour of a program, by position.
type expectation struct {
	entropy   []float64 // entropy of the next token, given the previous ones, in nats
	best      []float64 // probability of the most likely next token
	retrieval []float64 // probability of a retrieval step
	tokens    []float64 // [token]: expected number of occurrences over all positions
}

// Name returns the name of the process in the catalogue.
func (s *Symbolic) Name() string { return s.name }

// Alphabet returns the number of tokens.
func (s *Symbolic) Alphabet() int { return len(s.tokens) }

// Tokens returns a copy of the tokens' names.
func (s *Symbolic) Tokens() []string { return slices.Clone(s.tokens) }

// Sample fills dst with a sequence from the program's start, using one value of src per
// token.
func (s *Symbolic) Sample(dst []int32, src rand.Source) {
	p, ok := s.idle.Get().(*symbolicPredictor)
	if !ok {
		p = s.newPredictor()
	}
	p.Reset()
	for t := range dst {
		z := invert(p.next, src.Uint64())
		p.advance(z)
		dst[t] = int32(z)
	}
	s.idle.Put(p)
}

// Predictor returns the predictor that runs the same program. It is a
// [RetrievalPredictor].
func (s *Symbolic) Predictor() Predictor { return s.newPredictor() }

func (s *Symbolic) newPredictor() *symbolicPredictor {
	p := &symbolicPredictor{s: s, run: s.program.begin(), next: make([]float64, s.Alphabet())}
	p.foresee()
	return p
}

type symbolicPredictor struct {
	s    *Symbolic
	run  run
	seen int       // number of tokens observed
	next []float64 // distribution of the next token
}

func (p *symbolicPredictor) Next(dst []float64) {
	if len(dst) != len(p.next) {
		panic(fmt.Sprintf("process: Next: dst has %d entries, but %s has %d tokens", len(dst), p.s.name, len(p.next)))
	}
	copy(dst, p.next)
}

func (p *symbolicPredictor) Observe(token int) error {
	if err := checkToken(p.s, token, p.seen+1); err != nil {
		return err
	}
	if p.next[token] == 0 {
		return p.impossible(token)
	}
	p.advance(token)
	return nil
}

// impossible returns the error for a token of probability 0. At the first position it
// lists the tokens with which sequences can begin, if they are few: callers may be
// using a differently named variant of the process.
func (p *symbolicPredictor) impossible(token int) error {
	const few = 4
	var begin []string
	for z, q := range p.next {
		if q > 0 {
			begin = append(begin, fmt.Sprintf("%d (%s)", z, p.s.tokens[z]))
		}
	}
	err := impossible(p.s.name, p.s.tokens[token], p.seen+1)
	if p.seen > 0 || len(begin) > few {
		return err
	}
	return fmt.Errorf("%w; sequences begin with %s", err, strings.Join(begin, " or "))
}

// advance observes a token of positive probability.
func (p *symbolicPredictor) advance(token int) {
	p.run.observe(token)
	p.seen++
	p.foresee()
}

// Retrieves reports whether a token would be a retrieval step if it came next.
func (p *symbolicPredictor) Retrieves(token int) bool {
	return p.next[token] > 0 && p.run.retrieves(token)
}

func (p *symbolicPredictor) Reset() {
	p.run.reset()
	p.seen = 0
	p.foresee()
}

func (p *symbolicPredictor) foresee() {
	clear(p.next)
	p.run.next(p.next)
}

// Retrievals reports, for each token of a sequence that starts at position 1, whether it
// is a retrieval step. It returns an error if the sequence cannot occur.
func (s *Symbolic) Retrievals(sequence []int32) ([]bool, error) {
	steps, p := make([]bool, len(sequence)), s.newPredictor()
	for t, z := range sequence {
		if err := checkToken(s, int(z), t+1); err != nil {
			return nil, err
		}
		steps[t] = p.Retrieves(int(z))
		if err := p.Observe(int(z)); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// Floor returns the least cross-entropy at each of the positions 1 … positions, up to
// rounding: a sum over the program's random choices, which does not depend on its memory.
// Chance is the entropy of the tokens' frequencies over these positions. Floor returns an
// error if positions is less than 1.
func (s *Symbolic) Floor(_ context.Context, positions int) (Floor, error) {
	if err := checkPositions(s.name, "floor", positions); err != nil {
		return Floor{}, err
	}
	e := s.program.expect(positions)
	for z := range e.tokens {
		e.tokens[z] /= float64(positions)
	}
	return Floor{ByPosition: e.entropy, Chance: portable.Entropy(e.tokens)}, nil
}

// Ceiling returns the greatest accuracy and the share of retrieval steps at each of the
// positions 1 … positions, up to rounding. It returns an error if positions is less than
// 1.
func (s *Symbolic) Ceiling(_ context.Context, positions int) (Ceiling, error) {
	if err := checkPositions(s.name, "ceiling", positions); err != nil {
		return Ceiling{}, err
	}
	e := s.program.expect(positions)
	return Ceiling{e.best, e.retrieval}, nil
}

// EntropyRate returns the mean floor in the long run, in closed form, and a bound on
// its rounding error.
func (s *Symbolic) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	return s.program.rate(), rounding, nil
}

// Limits returns the entropy rate, and the reason why there is no excess entropy.
func (s *Symbolic) Limits(ctx context.Context) (Limits, error) {
	rate, halfWidth, err := s.EntropyRate(ctx)
	return Limits{
		EntropyRate: rate, EntropyRateError: halfWidth,
		NoExcessEntropy: "not defined: a sequence begins at the program's start, so the process is not stationary",
	}, err
}

// LongestDelay returns the largest delay of the program, in tokens, or 0 if it has no
// delays.
func (s *Symbolic) LongestDelay() int {
	if p, ok := s.program.(*switchingDelay); ok {
		return p.longest
	}
	return 0
}

// Presentation returns an error: the program's memory is not a belief over states.
func (s *Symbolic) Presentation(context.Context) (*Presentation, error) {
	return nil, fmt.Errorf("%s: no hidden states; the observer knows everything in the program's memory", s.name)
}
