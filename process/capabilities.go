package process

import (
	"context"
	"math/rand/v2"
)

// What a process can do beyond Process is said by the interfaces here, and by Prefixer
// beside Words, each of which it may have or not. Whoever needs one asks for it,
//
//	if c, ok := p.(process.Ceiler); ok { … }
//
// and says so where it is missing. No other question is asked of a process's Go type, so
// that a process made elsewhere is shown, trained on and probed as far as its methods go.
//
// A method that takes a context can take long. It ends soon after its context does, and
// then returns the context's error.

// Ceiler is a process of which the greatest accuracy is known.
type Ceiler interface {
	// Ceiling returns the greatest accuracy that a predictor can reach at each of the
	// positions 1 … positions. It is an error when positions is less than 1 or the
	// computation would exceed its budget.
	Ceiling(ctx context.Context, positions int) (Ceiling, error)
}

// Retriever is a process that computes some tokens from earlier ones; see [Symbolic].
type Retriever interface {
	// Retrievals says of each token of a sequence from the start whether it is a
	// retrieval step. It is an error when the sequence cannot occur.
	Retrievals(sequence []int32) ([]bool, error)
}

// RetrievalPredictor is what the Predictor of a [Retriever] is: it knows ahead which
// tokens would be retrieval steps.
type RetrievalPredictor interface {
	Predictor
	// Retrieves says whether a token of the alphabet, if it came next, would be a
	// retrieval step; one that cannot come next would not.
	Retrieves(token int) bool
}

// Bounded is a process that computes its floors within a budget; see [Solve].
type Bounded interface {
	// FloorWithin is Floor within so many products. Where they do not suffice it is a
	// [*BudgetError], which has the positions before.
	FloorWithin(ctx context.Context, positions int, products int64) (Floor, error)
}

// Limiter is a process that states its excess entropy, or why it has none.
type Limiter interface {
	// Limits returns what the floors tend to. Its entropy rate is that of EntropyRate.
	Limits(ctx context.Context) (Limits, error)
}

// Chain is a process that a Markov chain drives.
type Chain interface {
	// Stationary returns a copy of the chain's stationary distribution: over hidden
	// states for an [Observer], else over tokens.
	Stationary() []float64
}

// Observer is a process with n hidden states, of which its optimal predictor holds a
// belief, a vector of n numbers.
type Observer interface {
	// States returns a copy of the states' names, in the order of a belief's entries.
	States() []string
	// Beliefs returns the belief before any token and after each token of a word, in
	// len(word)+1 rows. It is an error when the word cannot occur.
	Beliefs(word []int32) ([][]float64, error)
	// Next returns the distribution of the next token, of length Alphabet, for a
	// belief.
	Next(belief []float64) []float64
	// LogProb returns the natural logarithm of a word's probability. It is an error
	// when the word cannot occur.
	LogProb(word []int32) (float64, error)
}

// Constrainer is a process that knows what one layer of attention can build of its
// beliefs.
type Constrainer interface {
	// Constrained returns the constrained belief after a word, of n entries
	// (Piotrowski et al. 2025, Eq. 6 and 26). It is an error when a token of the word
	// never occurs.
	Constrained(word []int32) ([]float64, error)
	// ConstrainedAlong returns the constrained belief before any token and after each token
	// of a word, in len(word)+1 rows, in time linear in the length. Its errors are those of
	// Constrained and that of ctx.
	ConstrainedAlong(ctx context.Context, word []int32) ([][]float64, error)
}

// Filterer is a process of which the best sum of functions of (position, token) is known,
// as a reading of the belief.
type Filterer interface {
	// Linear returns the linear belief after a word, of n entries. It is an error when a
	// token of the word never occurs.
	Linear(ctx context.Context, word []int32) ([]float64, error)
	// LinearAlong returns the linear belief before any token and after each token of a
	// word, in len(word)+1 rows, in time linear in the length.
	LinearAlong(ctx context.Context, word []int32) ([][]float64, error)
	// LinearFilter returns the filter that makes it.
	LinearFilter() *LinearFilter
	// HeadsR2 returns how near 0 … most heads come to the constrained beliefs of up to
	// positions tokens, when they do not look at tokens. It is an error where they are
	// too many to fit.
	HeadsR2(ctx context.Context, positions, most int) ([]HeadsR2, error)
	// GeometricSums prepares readings of the belief from geometric sums of the tokens of
	// words of a length. It is an error where words are too many.
	GeometricSums(ctx context.Context, length, degree int) (*GeometricSums, error)
}

// Machine is a process that labelled transition matrices define.
type Machine interface {
	// States returns a copy of the n states' names.
	States() []string
	// Transition returns a copy of the labelled transition matrix T^z, n×n and
	// row-major. It panics when z is not a token.
	Transition(z int) []float64
	// Generalised says whether the entries need not be probabilities.
	Generalised() bool
	// Right returns a copy of the right vector r, of length n: Tr = r, all ones unless
	// the process is generalised.
	Right() []float64
}

// Presenter is a process that can say whether its optimal observer has finitely many
// beliefs.
type Presenter interface {
	// Presentation returns the graph of the beliefs. It is an error, which says what
	// the observer holds instead, where there is none.
	Presentation(ctx context.Context) (*Presentation, error)
}

// Spectral is a process with a spectrum, from which follows the attention that builds
// its constrained beliefs.
type Spectral interface {
	// Spectrum returns the decomposition of the net transition matrix. It is an error
	// where that fails.
	Spectrum(ctx context.Context) (*Spectrum, error)
}

// Reacher is a process whose tokens hang on single earlier ones, at distances that are
// known: a model whose context is shorter than the largest of them never sees what some
// of its sequences are about.
type Reacher interface {
	// Reach returns the largest distance, in tokens.
	Reach() int
}

// Delayed is a process that computes some tokens from earlier ones at distances that are
// known. A [Reacher] is one, too, of which all tokens are such.
type Delayed interface {
	// LongestDelay returns the largest distance, in tokens; 0 where there is none.
	LongestDelay() int
}

// Checker is a process that finds what is remarkable about itself.
type Checker interface {
	// Check lists what the process may not have been meant to be; an empty list is a
	// clean bill.
	Check(ctx context.Context) ([]Problem, error)
}

// Leveller is a process whose tokens may be levels of a signal.
type Leveller interface {
	// Levels returns a copy of the signal's values, of length Alphabet, in ascending
	// order and in the signal's own unit; nil where tokens are no levels of a signal.
	Levels() []float64
}

// Recorder is a sampler whose sequences are windows of one recording. Where it is a
// [Process], its optimal predictor has memorised that recording.
type Recorder interface {
	// Record returns a copy of the recording, of N tokens.
	Record() []int32
}

// Windowed is a sampler of finite data, whose sequences are windows of a stretch of it.
type Windowed interface {
	// Windows returns the number of windows of so many tokens that Sample draws from.
	// Where it is 0, Sample panics.
	Windows(length int) int
}

// Splitter is a sampler that holds data out, by which a model of it is judged.
type Splitter interface {
	// HeldOut returns a sampler of the data that Sample never draws from; nil where
	// nothing is held out.
	HeldOut() Sampler
}

// Flipper is a process of tails (token 0) and heads (token 1) of one unknown bias, of
// which its optimal predictor holds a Beta distribution; a token 2 may stand before them.
type Flipper interface {
	// Bias returns the parameters of the Beta distribution of the bias, the probability
	// of heads, after so many heads among so many flips: Beta(a, b), with the mean
	// a/(a+b), which is the probability of heads next.
	Bias(heads, flips int) (a, b float64)
}

// Selector is a process that draws, for each sequence, how far back the token is on
// which each depends, and whose sequences have to tell it.
type Selector interface {
	// Lags returns a copy of the lags, in ascending order, in tokens.
	Lags() []int
	// P returns a copy of the matrix, by rows: P[i][j] is the probability of token j one
	// lag after token i.
	P() [][]float64
	// Posterior returns the probability of each lag after a word. It is an error when the
	// word cannot occur.
	Posterior(word []int32) ([]float64, error)
	// SampleLag is Sample, and returns the lag that was drawn for the sequence.
	SampleLag(dst []int32, src rand.Source) (lag int)
}
