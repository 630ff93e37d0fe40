// Package process makes token sequences whose best possible prediction is known.
//
// A Process is a source that carries its own answer key: it samples sequences, it
// hands out the Bayes-optimal Predictor, and it states the exact Floor, the least
// loss that any model can reach at each position. Whatever a model loses above the
// floor is the model's doing; what lies between chance and floor is all there was
// to learn.
//
//	p, err := process.Build("mess3", process.Params{"x": 0.15, "a": 0.6})
//
// # Hidden Markov models
//
// HMM is an edge-emitting hidden Markov model. It has n hidden states and A tokens,
// and one n×n matrix a token, T^z[i,j] = Pr(emit z, go to j | in state i). Beliefs are
// row vectors over states. T = Σ_z T^z moves the states alone, and its stationary
// distribution π = πT is the belief before any token. After a word z_1 … z_d
//
//   - Belief is what the optimal observer knows of the state (Piotrowski et al. 2025,
//     Eq. 2),
//   - Next turns a belief into the distribution of the next token,
//   - Constrained is what an observer can know who adds up independent corrections,
//     one a token, as one layer of attention does (Eq. 26),
//   - Linear is the best that can be known by adding up functions of position and token:
//     what LinearFilter, the linear least-squares filter, makes of them,
//   - Spectrum resolves the constrained belief into the modes of T (Eq. 7), whatever
//     its eigenvalues, and counts the attention heads that they take,
//   - Attention is the layer that theory predicts (Eq. 8–20): patterns, OV vectors
//     and embeddings,
//   - Prefixes tables all of these for every word up to a length,
//   - Limits are what the floors tend to: entropy rate and excess entropy,
//   - Presentation is the graph of the beliefs, where there are finitely many, with
//     the statistical complexity.
//
// A generalised HMM has the same methods. Its matrices may hold numbers of any sign,
// and a right vector r takes the place of the ones: a word has the probability
// πT^w r. See NewGeneralised, BlochWalk, FRDN and Moon.
//
// Factored, Mixture, Noisy and Mapped make processes of others.
//
// # Other processes
//
//   - Coin is a coin of unknown bias (Gemini 2025): its observer counts.
//   - Interleaved is a Markov chain at an unknown lag (D'Angelo et al. 2025): its
//     observer weighs lags. It has the predictor by maximum likelihood, too, and that
//     of a selective induction head; a ChainSampler draws sequences in bulk, and
//     TransitionMeans has the expectations of the paper's Claim 1.
//
// [Words] tables the words of any process with their probabilities and next tokens, and
// [WordsOf] those that sampled sequences begin with. What else a process can do is said
// by small interfaces, from [Ceiler] to [Checker].
//
// # Signals
//
// The signals of EE269 2026 are a Sine, which is an HMM; MackeyGlass, a Ring whose
// windows are the sequences; and three Symbolic ones, SwitchingDelay, Brackets and
// Routing, which a small program writes. Beside the floor they state a Ceiling, the
// greatest accuracy, and the symbolic ones their retrieval steps, the tokens that
// follow from earlier ones by the program's rule.
//
// # Recordings of your own
//
// The best possible prediction of a recorded signal is not known. A [Recording] is
// therefore a [Sampler] and no [Process]: it draws windows, holds a part out, and has no
// floor. NewSignal makes one of samples, NewRecording of tokens; [OptimumOf] tells a
// Process from what is a Sampler alone.
//
// Matrices and beliefs are float64, flat and row-major; information is in nats.
// Tokens are numbered from 0 and positions from 1. A word or a sequence of tokens is a
// []int32, as a model takes it; a single token is an int.
//
// # Adding a process
//
// A process of one's own is a YAML file, which Load reads and checks:
//
//	name: lazy
//	states: [A, B]
//	tokens: [heads, tails]
//	transitions:                 # what is not listed has probability 0
//	  - {from: A, to: A, token: heads, p: 0.9}
//	  - {from: A, to: B, token: tails, p: 0.1}
//	  - {from: B, to: A, token: heads, p: 0.5}
//	  - {from: B, to: B, token: tails, p: 0.5}
//
// (or matrices: {heads: [[…]], tails: [[…]]}, and right: […] for a generalised one).
//
// A process of the zoo is one file with its constructor and its Entry (see
// mess3.go), one line in the table of catalogue.go, and one row in the table of
// laws_test.go, which puts it through the laws that every process obeys.
//
// # Parameters
//
// A [Param] is a number, a text, a list, a matrix, a process or a list of processes,
// which the type of its default says. [ResolveParams] checks what is given and fills in
// the rest; it serves the hand-written models of foretell/craft as well.
//
// # Errors
//
// Parameters, tables and words come from users, and are answered with an error of one
// line; where one field is at fault, there is a [*FieldError] in it. Shapes come from
// programmers: a slice of the wrong length panics.
package process
