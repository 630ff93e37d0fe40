// Package theory computes what one layer of attention can build of the beliefs of a
// hidden Markov model ([process.HMM]), generalised or not.
//
// Attention whose patterns do not depend on the tokens adds up a contribution for each
// token, and cannot multiply them as Bayes' rule does. [Of] makes the [Layer] of a model:
//
//	layer := theory.Of(mess3)
//	spectrum, err := layer.Spectrum(ctx)
//	fmt.Println(spectrum.Heads().Future)
//
// Beliefs are row vectors over the n hidden states, T = Σ_z T^z describes the states
// without the tokens, and π = πT is the belief before any token. The sums to be built are
// the constrained beliefs of Piotrowski et al. 2025 (Eq. 26), which
// [process.HMM.Constrained] computes, and the linear beliefs, which are closest to the
// beliefs:
//
//   - [Spectrum] resolves the constrained beliefs into the modes of T (Eq. 7), whatever
//     the eigenvalues of T. Each [Mode] describes how the effect of a token changes with
//     the steps since then.
//   - [Heads], from [Spectrum.Heads], counts the attention heads that these modes need.
//   - [Attention] is the layer that theory predicts (Eq. 8–20): patterns, OV vectors and
//     embeddings.
//   - [HeadsR2] measures how well fewer heads can approximate the constrained beliefs.
//   - [LinearFilter] is the linear least-squares filter. It computes the linear beliefs,
//     the best estimates of the beliefs by sums of functions of position and token:
//     [Layer.Linear] after one sequence, [LinearPrefixes] for a whole table.
//   - [LinearR2] is the share of the beliefs' variance that these sums explain.
//   - [GeometricSums] decodes the beliefs from the sum of tokens that a single head with
//     one decay can compute.
//
// Matrices and beliefs are float64, flat and row-major. Tokens are numbered from 0;
// positions count from 1 unless the comment says otherwise. A process that is too large,
// or a token that never occurs, is an error of one line that begins with the name of the
// process. Positions, tokens and lengths outside their range panic where they come from
// programmers.
package theory
