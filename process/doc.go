// Package process makes token sequences whose best possible prediction is known.
//
// A Process is a source of sequences that comes with its own answer key: it samples
// sequences, returns the Bayes-optimal Predictor, and computes the exact Floor, the
// lowest loss that any model can reach at each position. Any loss above the floor is due
// to the model; the distance from chance, the loss of the best constant guess, to the
// floor is everything there was to learn.
//
//	p, err := process.Build("mess3", process.Params{"x": 0.15, "a": 0.6})
//
// # Hidden Markov models
//
// HMM is an edge-emitting hidden Markov model. It has n hidden states and A tokens, and
// one n×n matrix per token, T^z[i,j] = Pr(emit z, go to j | in state i). Beliefs are row
// vectors over states. T = Σ_z T^z describes the states without the tokens, and its
// stationary distribution π = πT is the belief before any token. After the first d tokens
// z_1 … z_d of a sequence (a prefix)
//
//   - Belief is the optimal observer's distribution over the states (Piotrowski et al.
//     2025, Eq. 2),
//   - Next turns a belief into the distribution of the next token,
//   - Constrained is the belief of an observer that adds up independent corrections,
//     one per token, as one layer of attention does (Eq. 26),
//   - Prefixes tabulates all of these for every prefix up to a given length,
//   - Limits are the limits of the floors: entropy rate and excess entropy,
//   - Presentation is the graph of the beliefs, if there are finitely many, with the
//     statistical complexity.
//
// Package foretell/theory computes what one layer of attention can build of these
// beliefs.
//
// A generalised HMM has the same methods. Its matrices may hold numbers of any sign, and
// a right vector r replaces the vector of ones: a sequence w = z_1 … z_d has the
// probability πT^w r, where T^w is the product of its matrices T^{z_1} … T^{z_d}. See
// NewGeneralised, BlochWalk, FRDN and Moon.
//
// Factored, Mixture, Noisy and Mapped make processes from other processes.
//
// # Other processes
//
//   - Coin is a coin of unknown bias (Gemini 2025): its observer counts heads and
//     tails.
//   - Interleaved is a Markov chain at an unknown lag (D'Angelo et al. 2025): its
//     observer weighs the lags. It also has the maximum-likelihood predictor and the
//     predictor of a selective induction head; a ChainSampler draws sequences in bulk.
//
// [Words] tabulates the prefixes, also called words, of any process with their
// probabilities and next tokens, and [WordsOf] the prefixes of sampled sequences. Small
// interfaces, from [Ceiler] to [Checker], describe what else a process can do.
//
// # Signals
//
// The signals of EE269 2026 are a Sine, which is an HMM; MackeyGlass, a Ring whose
// windows are the sequences; and three Symbolic processes, SwitchingDelay, Brackets and
// Routing, each of which a small program writes. In addition to the floor they state a
// Ceiling, the greatest accuracy. The symbolic ones also state their retrieval steps, the
// tokens that follow from earlier ones by the program's rule.
//
// # Recordings of your own
//
// The best possible prediction of a recorded signal is not known. A [Recording] is
// therefore a [Sampler] but not a [Process]: it draws windows and holds a part out, but
// it has no floor. NewSignal makes one from samples, NewRecording from tokens.
// [OptimumOf] returns a Sampler as a Process, or an error if it is only a Sampler.
//
// Matrices and beliefs are float64, flat and row-major; information is in nats. Tokens
// are numbered from 0 and positions from 1. A sequence of tokens is an []int32, the type
// that models take; a single token is an int.
//
// # Adding a process
//
// To add a process of your own, write a YAML file, which Load reads and checks:
//
//	name: lazy
//	states: [A, B]
//	tokens: [heads, tails]
//	transitions:                 # transitions not listed have probability 0
//	  - {from: A, to: A, token: heads, p: 0.9}
//	  - {from: A, to: B, token: tails, p: 0.1}
//	  - {from: B, to: A, token: heads, p: 0.5}
//	  - {from: B, to: B, token: tails, p: 0.5}
//
// (or matrices: {heads: [[…]], tails: [[…]]}, and right: […] for a generalised one).
//
// A process of the zoo, which is the [Catalogue] of this package, consists of one file
// with its constructor and its Entry (see mess3.go), one line in the table of
// catalogue.go, and one row in the table of laws_test.go, which tests the laws that every
// process obeys.
//
// # Parameters
//
// A [Param] is a number, a text, a list, a matrix, a process or a list of processes,
// according to the type of its default. [ResolveParams] checks the given parameters and
// fills in the defaults; the hand-written models of foretell/craft use it too.
//
// # Errors
//
// Parameters, tables and sequences come from users, so mistakes in them are reported as
// errors of one line; if one field is at fault, the error wraps a [*FieldError]. Shapes
// come from programmers: a slice of the wrong length panics.
package process
