package process

import (
	"context"
	"math/rand/v2"
)

// The interfaces in this file, and Prefixer in prefix_words.go, describe what a process
// may offer beyond Process. A caller that needs one of them tests for it,
//
//	if c, ok := p.(process.Ceiler); ok { … }
//
// and reports an error if the process does not have it. Nothing else depends on a
// process's Go type, so a process from elsewhere can be shown, trained on and probed as
// far as its methods allow. The exception is what only an [HMM] can have, such as a
// spectrum: foretell/theory takes an HMM, and its callers test for it.
//
// A method that takes a context may run for long. It returns the context's error soon
// after the context ends.

// Ceiler is a process whose greatest possible accuracy is known.
type Ceiler interface {
	// Ceiling returns the greatest accuracy that a predictor can reach at each of the
	// positions 1 … positions. It returns an error if positions is less than 1 or the
	// computation would exceed its budget.
	Ceiling(ctx context.Context, positions int) (Ceiling, error)
}

// Retriever is a process that computes some tokens, its retrieval steps, from earlier
// ones; see [Symbolic].
type Retriever interface {
	// Retrievals reports, for each token of a sequence that starts at position 1, whether it
	// is a retrieval step. It returns an error if the sequence cannot occur.
	Retrievals(sequence []int32) ([]bool, error)
}

// RetrievalPredictor is the Predictor of a [Retriever]: it knows in advance which
// tokens would be retrieval steps.
type RetrievalPredictor interface {
	Predictor
	// Retrieves reports whether a token of the alphabet would be a retrieval step if it
	// came next. It is false for a token that cannot come next.
	Retrieves(token int) bool
}

// Bounded is a process that can compute its floors within a budget; see [Solve].
type Bounded interface {
	// FloorWithin computes Floor with at most the given number of products of two
	// numbers. If they do not suffice, the error is a [*BudgetError] with the floors of
	// the positions that were reached.
	FloorWithin(ctx context.Context, positions int, products int64) (Floor, error)
}

// Limiter is a process that states its excess entropy, or why it is not defined.
type Limiter interface {
	// Limits returns the limits of the floors. The entropy rate among them equals the result
	// of EntropyRate.
	Limits(ctx context.Context) (Limits, error)
}

// Chain is a process driven by a Markov chain.
type Chain interface {
	// Stationary returns a copy of the chain's stationary distribution: over hidden
	// states for an [Observer], else over tokens.
	Stationary() []float64
}

// Observer is a process with n hidden states. Its optimal predictor maintains a belief
// about them, a vector of n numbers.
type Observer interface {
	// States returns a copy of the states' names, in the order of a belief's entries.
	States() []string
	// Beliefs returns the belief before any token and after each token of a sequence, in
	// len(sequence)+1 rows. It returns an error if the sequence cannot occur.
	Beliefs(sequence []int32) ([][]float64, error)
	// Next returns the distribution of the next token, of length Alphabet, for a
	// belief.
	Next(belief []float64) []float64
	// LogProb returns the natural logarithm of the probability that a sample begins with
	// the given sequence. It returns an error if the sequence cannot occur.
	LogProb(sequence []int32) (float64, error)
}

// Constrainer is a process whose constrained beliefs are known: the beliefs as far as one
// layer of attention can build them.
type Constrainer interface {
	// Constrained returns the constrained belief after a sequence, of n entries
	// (Piotrowski et al. 2025, Eq. 6 and 26). It returns an error if a token of the
	// sequence never occurs.
	Constrained(sequence []int32) ([]float64, error)
	// ConstrainedAlong returns the constrained belief before any token and after each
	// token of a sequence, in len(sequence)+1 rows, in time linear in the length. It
	// returns an error if a token of the sequence never occurs, or if ctx ends.
	ConstrainedAlong(ctx context.Context, sequence []int32) ([][]float64, error)
}

// Machine is a process that is defined by labelled transition matrices.
type Machine interface {
	// States returns a copy of the n states' names.
	States() []string
	// Transition returns a copy of the labelled transition matrix T^z, n×n and
	// row-major. It panics when z is not a token.
	Transition(z int) []float64
	// Generalised reports whether the process is a generalised HMM, whose entries need not
	// be probabilities.
	Generalised() bool
	// Right returns a copy of the right vector r, of length n: Tr = r for T = Σ_z T^z. It
	// is all ones unless the process is generalised.
	Right() []float64
}

// Presenter is a process that can determine whether its optimal observer has finitely
// many beliefs.
type Presenter interface {
	// Presentation returns the graph of the beliefs. If there is no such graph, the error
	// says what the observer keeps track of instead.
	Presentation(ctx context.Context) (*Presentation, error)
}

// Reacher is a process whose tokens depend on single earlier tokens at known distances.
// A model whose context is shorter than the largest distance never sees the tokens that
// decide some of its predictions.
type Reacher interface {
	// Reach returns the largest distance, in tokens.
	Reach() int
}

// Delayed is a process that computes some of its tokens from earlier tokens at known
// distances. (In a [Reacher], every token depends on such a token.)
type Delayed interface {
	// LongestDelay returns the largest distance, in tokens, or 0 if no token is computed
	// from an earlier one.
	LongestDelay() int
}

// Checker is a process that can report properties that may surprise its author.
type Checker interface {
	// Check lists properties that may not be intended. The list is empty if there is
	// nothing to report.
	Check(ctx context.Context) ([]Problem, error)
}

// Leveller is a process whose tokens may be levels of a signal.
type Leveller interface {
	// Levels returns a copy of the signal's values, of length Alphabet, in ascending
	// order and in the signal's own unit, or nil if tokens are not levels of a signal.
	Levels() []float64
}

// Recorder is a sampler whose sequences are windows of one recording. If it is also a
// [Process], its optimal predictor has memorised that recording.
type Recorder interface {
	// Record returns a copy of the recording, of N tokens.
	Record() []int32
}

// Windowed is a sampler of finite data: its sequences are windows of a part of the
// data.
type Windowed interface {
	// Windows returns the number of windows of the given length, in tokens, that Sample
	// draws from. If it is 0, Sample panics.
	Windows(length int) int
}

// Splitter is a sampler that holds out data on which to evaluate a model.
type Splitter interface {
	// HeldOut returns a sampler of the data that Sample never draws from, or nil if
	// nothing is held out.
	HeldOut() Sampler
}

// Validated is a sampler that keeps data for choosing among models, such as the step at
// which training stops ([Splitter] holds out the data on which the chosen model is
// judged).
type Validated interface {
	// Validation returns a sampler of data that neither Sample nor the held-out sampler
	// draws from, or nil without such data.
	Validation() Sampler
}

// Flipper is a process of tails (token 0) and heads (token 1) with one unknown bias.
// Its optimal predictor maintains a Beta distribution of the bias. A token 2 may
// precede the flips.
type Flipper interface {
	// Bias returns the parameters of the posterior Beta(a, b) of the bias, the
	// probability of heads, given the numbers of heads and of flips so far. The mean of
	// the posterior, a/(a+b), is the probability that the next flip is heads.
	Bias(heads, flips int) (a, b float64)
}

// Selector is a process that draws a lag for each sequence; each token depends on the
// token one lag earlier. The lag can be inferred only from the sequence.
type Selector interface {
	// Lags returns a copy of the possible lags, in ascending order, in tokens.
	Lags() []int
	// P returns a copy of the matrix, by rows: P[i][j] is the probability of token j one
	// lag after token i.
	P() [][]float64
	// Posterior returns the probability of each lag, given the tokens of a sequence. It
	// returns an error if the sequence cannot occur.
	Posterior(sequence []int32) ([]float64, error)
	// SampleLag does the same as Sample, and also returns the lag that was drawn for the
	// sequence.
	SampleLag(dst []int32, src rand.Source) (lag int)
}

// LevelsOf returns the values of a signal's tokens, of length Alphabet, or nil if the
// sampler is not a signal. The sampler may be nil.
func LevelsOf(s Sampler) []float64 {
	if l, ok := s.(Leveller); ok {
		return l.Levels()
	}
	return nil
}

// Memorised reports whether a sampler is a process whose optimal predictor has memorised
// a recording; see [Recorder]. [MemorisedNote] says so to a reader.
func Memorised(s Sampler) bool {
	_, known := s.(Process)
	_, recorded := s.(Recorder)
	return known && recorded
}

// MemorisedNote says in a sentence what floor and ceiling mean if the optimal predictor
// has memorised a recording.
const MemorisedNote = "Not a forecast limit: floor and accuracy ceiling assume a predictor that has memorised " +
	"this very recording."
