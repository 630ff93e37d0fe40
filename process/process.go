package process

import (
	"context"
	"math/rand/v2"
)

// Process is a source of tokens 0 … Alphabet()−1 that knows its own best
// predictor. A value is immutable and safe for use by many goroutines; what
// changes lives in the Predictor.
//
// A hidden Markov model (HMM) is one; nothing in the interface asks for hidden states,
// and a Beta–Bernoulli Coin is another, Interleaved chains of unknown lag a third. What
// else a process can do is said by small interfaces, of which Observer is one; see
// capabilities.go.
type Process interface {
	// Name is the process's name in the catalogue, such as "mess3".
	Name() string
	// Alphabet is the number of tokens.
	Alphabet() int
	// Tokens returns a copy of the tokens' names, Alphabet() of them in the order of
	// their ids.
	Tokens() []string
	// Sample fills dst with one sequence from the process's start (for an
	// HMM the stationary distribution). It takes a fixed number of values
	// from src for a given len(dst), and nothing else, so that the same
	// source gives the same tokens.
	Sample(dst []int32, src rand.Source)
	// Predictor returns a new optimal predictor that has seen no token.
	Predictor() Predictor
	// Floor returns the least loss that any predictor can reach at each of
	// the positions 1 … positions. It is an error when the exact
	// computation would need more beliefs than its budget, or ctx ends.
	Floor(ctx context.Context, positions int) (Floor, error)
	// EntropyRate returns the limit of the floors, in nats per token, and a
	// half-width: the true rate lies between rate − halfWidth and rate +
	// halfWidth. For a generalised HMM that is an estimate; see Limits. It takes
	// longer than the floors of a few positions. It is an error when ctx ends.
	EntropyRate(ctx context.Context) (rate, halfWidth float64, err error)
}

// Predictor is the Bayes-optimal predictor of a process, fed a token at a time.
// It is not safe for concurrent use.
type Predictor interface {
	// Next fills dst, of length Alphabet, with the probability of each next
	// token given what was observed. It panics when the length is wrong.
	Next(dst []float64)
	// Observe takes the next token in. It is an error, which leaves the
	// predictor as it was, when the token is outside the alphabet or cannot
	// occur after what was observed.
	Observe(token int) error
	// Reset forgets every token observed.
	Reset()
}

// Floor is the answer key of a process: the least cross-entropy, in nats, that
// a predictor can reach, and the level against which a gain is measured.
type Floor struct {
	// ByPosition[t-1] is H(X_t | X_1 … X_{t−1}), the loss of the optimal
	// predictor at position t = 1, 2, ….
	ByPosition []float64
	// Chance is the loss of the best constant guess: the entropy of the
	// tokens' own frequencies. It is not ln Alphabet, which is larger when
	// the tokens are not equally frequent: a predictor that knows how often
	// each token comes, and nothing about their order, has learnt nothing
	// that this floor is about. Where these frequencies change with the position, as those
	// of switching delay and routing do, they are of the positions of ByPosition together,
	// so that chance depends on how many these are.
	Chance float64
}
