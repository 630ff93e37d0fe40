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

// Symbolic is a signal written by a program that now and then computes a token from
// earlier ones, as Signals 3–5 of EE269 2026 are: [SwitchingDelay], [Brackets] and
// [Routing].
//
// All that a program has in memory follows from the tokens it has written, so that the
// optimal predictor runs the program along and is never in doubt about its state. What
// it cannot foretell are the program's own random choices. A sequence starts where the
// program starts, with nothing in memory, and so the process is not stationary: its
// floors may rise. (EE269's sequences are windows of one long signal, and some begin
// after what they would need.)
//
// A retrieval step is a token that the program's rule computes from earlier ones. EE269
// calls it an event, too, counts accuracy on these alone (its “conditional accuracy”)
// and weighs them ten to one in the loss. Here each can be foretold for certain.
type Symbolic struct {
	name    string
	tokens  []string
	program program
	idle    sync.Pool // predictors, for Sample
}

var _ Process = (*Symbolic)(nil)

// program writes sequences of tokens.
type program interface {
	// begin returns the program before its first token.
	begin() run
	// expect returns what comes at the positions 1 … positions, in the mean.
	expect(positions int) expectation
	// rate returns the limit of the floors, in nats.
	rate() float64
}

// run is a program under way.
type run interface {
	// next adds the distribution of the next token to dst, which is all zeros.
	next(dst []float64)
	// retrieves says whether a token of positive probability is a retrieval step.
	retrieves(token int) bool
	// observe goes on with a token of positive probability.
	observe(token int)
	// reset goes back before the first token.
	reset()
}

// expectation is what a program does in the mean, by position.
type expectation struct {
	entropy   []float64 // of the next token, given those before it, in nats
	best      []float64 // probability of the most likely next token
	retrieval []float64 // probability of a retrieval step
	tokens    []float64 // [token]: how often it comes, summed over the positions
}

// Name returns the name of the process in the catalogue.
func (s *Symbolic) Name() string { return s.name }

// Alphabet returns the number of tokens.
func (s *Symbolic) Alphabet() int { return len(s.tokens) }

// Tokens returns a copy of the tokens' names.
func (s *Symbolic) Tokens() []string { return slices.Clone(s.tokens) }

// Sample fills dst with a sequence from the program's start, one value of src a token.
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

// Predictor returns the predictor that runs the program along. It is a
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
	seen int       // tokens
	next []float64 // distribution of the next token
}

func (p *symbolicPredictor) Next(dst []float64) {
	if len(dst) != len(p.next) {
		panic(fmt.Sprintf("process: Next into %d entries, %s has %d tokens", len(dst), p.s.name, len(p.next)))
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

// impossible is the error of a token of probability 0, at the first position with those
// that sequences begin with where they are few: who takes a model of the process by
// another name may not know.
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

// Retrieves says whether a token, if it came next, would be a retrieval step.
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

// Retrievals says of each token of a sequence from the start whether it is a retrieval
// step. It is an error when the sequence cannot occur.
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

// Floor returns the least cross-entropy at each of the positions 1 … positions, to
// rounding: a sum over the program's random choices, whatever is in its memory. Chance is
// of the tokens' frequencies over these positions. It is an error when positions is less
// than 1.
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
// positions 1 … positions, to rounding. It is an error when positions is less than 1.
func (s *Symbolic) Ceiling(_ context.Context, positions int) (Ceiling, error) {
	if err := checkPositions(s.name, "ceiling", positions); err != nil {
		return Ceiling{}, err
	}
	e := s.program.expect(positions)
	return Ceiling{e.best, e.retrieval}, nil
}

// EntropyRate returns the mean floor of the long run, in closed form, and what
// rounding is allowed.
func (s *Symbolic) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	return s.program.rate(), rounding, nil
}

// Limits returns the entropy rate, and says why there is no excess entropy.
func (s *Symbolic) Limits(ctx context.Context) (Limits, error) {
	rate, halfWidth, err := s.EntropyRate(ctx)
	return Limits{
		EntropyRate: rate, EntropyRateError: halfWidth,
		NoExcessEntropy: "not defined: a sequence begins at the program's start, and is not stationary",
	}, err
}

// LongestDelay returns the largest delay of a program that has any, in tokens, else 0.
func (s *Symbolic) LongestDelay() int {
	if p, ok := s.program.(*switchingDelay); ok {
		return p.longest
	}
	return 0
}

// Presentation returns an error: the program's memory is no belief over states.
func (s *Symbolic) Presentation(context.Context) (*Presentation, error) {
	return nil, fmt.Errorf("%s: no hidden states; the observer knows all that the program has in memory", s.name)
}
