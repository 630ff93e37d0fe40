package process

import (
	"context"
	"math/rand/v2"
)

// Sampler is a source of tokens 0 … Alphabet()−1. Its best possible prediction need not
// be known: a [Recording] is a Sampler, and so may be text or a data set of your own. A
// Sampler is immutable and safe for concurrent use.
type Sampler interface {
	// Name is the process's name in the catalogue, such as "mess3".
	Name() string
	// Alphabet is the number of tokens.
	Alphabet() int
	// Tokens returns a copy of the tokens' names, Alphabet() of them in the order of
	// their ids.
	Tokens() []string
	// Sample fills dst with one sequence from the process's start (for an HMM the
	// stationary distribution). The number of values that it takes from src depends on
	// len(dst) alone, and the tokens depend on nothing but these values.
	Sample(dst []int32, src rand.Source)
}

// Process is a Sampler whose optimal predictor is known. A Process does not change;
// everything that changes as tokens are observed is in the Predictor.
//
// A hidden Markov model (HMM) is a Process, but hidden states are not required: a
// Beta–Bernoulli Coin and Interleaved chains of unknown lag are Processes too. Small
// interfaces such as Observer describe what else a process can do; see capabilities.go.
type Process interface {
	Sampler
	// Predictor returns a new optimal predictor that has observed no token.
	Predictor() Predictor
	// Floor returns the least loss that any predictor can reach at each of the positions 1 …
	// positions. It returns an error if the exact computation would exceed its budget, or if
	// ctx ends.
	Floor(ctx context.Context, positions int) (Floor, error)
	// EntropyRate returns the limit of the floors, in nats per token, and a half-width: the
	// true rate is between rate − halfWidth and rate + halfWidth. For a generalised HMM the
	// half-width is an estimate; see Limits. EntropyRate takes longer than the floors of a
	// few positions. It returns an error if ctx ends.
	EntropyRate(ctx context.Context) (rate, halfWidth float64, err error)
}

// Predictor is the Bayes-optimal predictor of a process. It observes one token at a
// time. It is not safe for concurrent use.
type Predictor interface {
	// Next fills dst, of length Alphabet, with the probability of each possible next
	// token, given the observed ones. It panics when the length is wrong.
	Next(dst []float64)
	// Observe updates the predictor with the next token. It returns an error if the token is
	// outside the alphabet or cannot occur after the observed ones; the predictor is then
	// unchanged.
	Observe(token int) error
	// Reset forgets every token observed.
	Reset()
}

// Floor is the answer key of a process: the least cross-entropy, in nats, that any
// predictor can reach at each position, and chance, the loss from which improvements are
// measured.
type Floor struct {
	// ByPosition[t-1] is H(X_t | X_1 … X_{t−1}), the loss of the optimal predictor at
	// position t = 1, 2, ….
	ByPosition []float64
	// Chance is the loss of the best constant guess: the entropy of the frequencies of the
	// tokens. It is not ln Alphabet, which is larger if tokens are not equally frequent: a
	// predictor that knows the frequencies, but nothing about the order of tokens, has
	// learnt nothing about the structure of the process. If the frequencies change with
	// the position, as in switching delay and routing, they are averaged over the
	// positions of ByPosition, so chance depends on the number of positions.
	Chance float64
}
