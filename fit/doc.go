// Package fit fits a hidden Markov model to a sequence of tokens and makes a
// [process.HMM] of it, whose beliefs, floors and entropy rate are then exact.
//
//	found, err := fit.HMM(ctx, sequence, []string{"short", "long"}, 2, fit.Options{})
//	text, err := found.YAML() // a process for foretell process, floors, train and probe
//
// # What is fitted
//
// The model has K hidden states and A tokens. [Options.Emission] chooses between two
// kinds.
//
//   - [Edges]: each T^x[i,j], the probability of emitting x and moving from state i to
//     state j, is free. There are K(AK−1) free parameters. They are more than the process
//     has: other matrices with the same probabilities of all sequences exist, and at most
//     K²(A−1) directions change a probability. Mess3 is a model of this kind.
//   - [States]: the classical model, in which the state emits: T^x[i,j] = b_i(x)·a_ij with
//     K(K−1) + K(A−1) free parameters. State i emits the first token before it moves.
//
// A free start has K−1 more parameters. A process starts from its stationary
// distribution, so a free start is lost when the process is made:
// [Result.LogLikelihood] is the likelihood with the fitted start, [Result.FromStationary]
// that of the process. They differ by a few nats, whatever the length of the sequence,
// unless the sequence begins in states to which it never returns. Then FromStationary may
// be −Inf, and the model does not describe a stationary series. With [Stationary] the
// likelihood from the stationary start is maximised, and nothing is lost.
//
// # How
//
// Expectation-maximisation (Baum, Petrie, Soules and Weiss 1970) raises the likelihood at
// each step. An expectation is one scaled pass forward and one backward, in time n·K².
// Three steps are followed by an extrapolation (SQUAREM, scheme S3 of Varadhan and Roland
// 2008), which is taken back where it lowers the likelihood. Forward vectors are kept for
// a block of the sequence at a time and recomputed from one checkpoint a block, so memory
// is at most about 32 MiB a worker in addition to the sequence.
//
// The likelihood has several maxima, and a fit finds one of them. [Options.Starts] random
// starts are tried; those of a long sequence on its first 50,000 tokens only. The best
// one is continued on longer and longer parts, up to the whole sequence. Another seed may
// find a higher maximum.
//
// Results have the same bits on every machine and for any number of workers.
//
// # What can be said
//
// The floors of a fitted model are those of the data if the data came from such a model.
// [Result.Bootstrap] draws sequences from the fitted model and fits again; the spread of
// the results shows how far chance moves the floors, under the same condition. [Choose]
// finds the number of states by the likelihood of a part that the fit has not seen.
package fit
