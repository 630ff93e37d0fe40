// Package contexttree predicts sequences of symbols from any source, by Bayesian context
// trees.
//
// # The models
//
// In a chain of variable memory, the distribution of the next symbol depends on a
// context, the most recent symbols. Their number varies: after a 0 the last symbol may be
// enough, after a 1 three may be needed. The contexts are the leaves of a tree in which
// each node has no children or m, one for each symbol: a path from the root reads the
// past backwards. Contexts are written with the most recent symbol first, so in the tree
// {0, 10, 11} the context 10 is a 1 that came after a 0.
//
// The number of trees of at most a depth D grows doubly exponentially with D, and yet
// sums over all of them are exact. The prior of a tree is a product over its nodes: a
// context of less than D symbols ends where it is with probability β = 1 − 2^(1−m), and
// otherwise has all longer ones. At each leaf the distribution has the Dirichlet prior
// with parameters ½, and the symbols after a context s have the marginal likelihood
// P_e(s), by the estimate of Krichevsky and Trofimov. The mixture of all trees below a
// node follows from its children:
//
//	P_w(s) = β·P_e(s) + (1−β)·Π_j P_w(js),  and P_w(s) = P_e(s) at depth D
//
// At the root it is the prior predictive likelihood of the sequence: context-tree
// weighting (Willems, Shtarkov and Tjalkens 1995), for any alphabet and β as in
// Kontoyiannis et al. 2022, "Bayesian context trees: modelling and exact inference for
// discrete time series". The first D symbols are the initial context, and are not coded.
//
// # What a tree answers
//
// [Tree.Observe] learns a symbol, and [Tree.Next] predicts the next one by the mixture,
// both in time proportional to D. The predictions multiply to the prior predictive
// likelihood, so minus [Tree.LogLikelihood] is a prequential code length: each symbol was
// predicted before it was seen. Its expectation is therefore at least the entropy of the
// coded symbols given the initial context, whatever the source is, and for each chain of
// memory up to D it approaches the entropy rate.
//
// [Tree.Best] finds the trees of the highest posterior probability. [Tree.Sample] draws
// trees and parameters from the posterior exactly (Papageorgiou and Kontoyiannis,
// "Posterior representations for Bayesian context trees", arXiv 2202.02239).
// [Model.EntropyRate] of samples gives an interval for the entropy rate (Papageorgiou and
// Kontoyiannis, "Truly Bayesian entropy estimation", arXiv 2212.06705). That interval
// assumes that a tree of depth D made the sequence. The code length assumes nothing.
//
// To code from the first symbol on, observe D symbols of your choice before it: they
// become the initial context and cost nothing. [Tree.Restart] begins again after a gap.
package contexttree
