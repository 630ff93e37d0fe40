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
//     has: at most K²(A−1) directions change the probability of a sequence. Mess3 is a
//     model of this kind.
//   - [States]: the classical model, in which the state emits: T^x[i,j] = b_i(x)·a_ij.
//     There are K(K−1) + K(A−1) free parameters. A state emits a token, then it moves.
//
// A free start has K−1 more parameters. A process starts from its stationary
// distribution, so a free start is lost when the process is made:
// [Result.LogLikelihood] uses the fitted start, [Result.FromStationary] the start of the
// process. They differ by a few nats, whatever the length of the sequence, unless the
// sequence begins in states to which it hardly returns. Then the model does not describe
// a stationary series, and FromStationary is much lower, maybe −Inf. With [Stationary]
// the likelihood from the stationary start is maximised, and nothing is lost.
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
// starts are tried; if the sequence is long, on its first 50,000 tokens only. The best
// one is continued on longer and longer parts, up to the whole sequence. Another seed may
// find a higher maximum.
//
// Results have the same bits on every machine and for any number of workers.
//
// # What can be said
//
// The floors of a fitted model are the floors of the data if the data came from such a
// model. They are as uncertain as the code length of the sequence: for a million tokens
// of Mess3 with x = 0.15 and α = 0.6, the standard deviation over sequences is 1.5 % of
// the learnable gap, although a fitted model predicts within about 0.1 % of it.
// [Result.Bootstrap] draws sequences from the fitted model and fits again; the spread of
// the results shows how far chance moves the floors, under the same condition. [Choose]
// finds the number of states by the likelihood of a part that the fit has not seen.
package fit
