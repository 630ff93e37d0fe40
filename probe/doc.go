// Package probe looks inside a trained model: it measures what the activations represent
// about the process, how attention decays with distance, and how far the predictions are
// from the optimum.
//
// # A report in one call
//
// [Examine] reads a target, such as the beliefs of the process, from every stage of a
// model's residual stream, together with controls, and returns a [Report]:
//
//	q := probe.Question{Steer: true}
//	words, err := q.Words(ctx, source, 10)
//	report, err := probe.Examine(ctx, probe.Subject{Model: m, Seed: 1}, words, q)
//
// A model is analysed on prefixes: sequences of tokens that the process can begin with,
// up to the model's context length. Some names, such as [MostWords], call them words.
// They come as a table with one row for each prefix ([foretell/process.Prefixes]). The
// table holds all prefixes or, if there are too many, the prefixes of sampled sequences;
// results then have error bars.
//
// # An analysis
//
// A report is made from an [Analysis], which also answers other questions. [Analyze] runs
// a model once over all prefixes. It takes a [Plan], whose main parts are:
//
//   - [Features], the inputs of linear regressions, a row of numbers for each prefix: a
//     stage of the residual stream ([Stage]), the concatenation of several stages
//     ([SideBySide]), or functions of the prefix that need no model
//     ([NextTokenFeatures], [MarkovFeatures], [TableFeatures]);
//   - a [Target], the output of a regression: [Beliefs], [Constrained], [Linear],
//     [NextTokens], or a [Shuffled] target;
//   - a [Convention], which specifies how prefixes are weighted and how a regression is
//     scored.
//
// Results are requested by the features and targets themselves, which the plan must have:
//
//   - [Analysis.Regress] returns a [Reading], the result of one regression: its scores,
//     held out and in sample, and the fit to all prefixes; [Analysis.Predict] returns the
//     fit's predictions for each prefix;
//   - [Analysis.Principal] returns principal components;
//   - [Analysis.SteerEach] changes the activations of each stage until a regression reads
//     another belief from them, to test whether the model's predictions follow;
//     [Analysis.SteerWord] does so for one sequence and a given belief;
//   - [Analysis.KL] and [Analysis.KLByPosition] return the divergence from the optimal
//     prediction in nats, and Analysis.Patterns holds the attention patterns;
//   - [Analysis.AtMeanPatterns] repeats the analysis with attention that does not depend
//     on tokens, and [Analysis.TokenDependence] measures how much attention depends on
//     them;
//   - [Analysis.Convergence] reports whether training has converged: how much of the
//     learnable information the model misses, and whether it may have learned to use only
//     the last few tokens.
//
// By default an analysis keeps only weighted sums over prefixes (moments), so its memory
// does not grow with their number. With Plan.Keep it keeps the features of every prefix,
// and [Analysis.Under] can then regress other targets on them, or use another convention.
// [Relate] regresses one table, with a row for each prefix, on another.
//
// Analyses are built on [Sweep], which provides the activations of a few hundred prefixes
// at a time. [FitExponential] fits the decay of attention with distance by least squares
// in attention itself, and [FitDecay] by least squares in its logarithm.
// [ReadFirstLayer] and [FirstLayer.OV] compute the vectors that attention moves.
// [PrincipalComponents] analyses any table.
//
// # Controls
//
// A probe is never shown alone. A linear regression from 64 random directions recovers
// much of a belief even from a model that was never trained; the meaningful number is how
// much better a trained model does than that control. Other controls are shuffled
// targets, the next-token distribution and the last few tokens.
//
// # Conventions
//
// Results depend on how a regression is weighted and scored, so a [Convention] is part of
// each result:
//
//   - [Ours] weights prefixes by their probability, because that is how often the model
//     sees them. It holds out whole sequences. Each fit drops directions whose variance
//     is below a cut-off, chosen by cross-validation among the sequences that the fit may
//     see;
//   - [Piotrowski2025] weights all sequences of length 10 equally, at every position
//     (Piotrowski et al. 2025, App. B). The paper does not say how its regressions were
//     made; the preset follows common practice, plain least squares scored in sample.
//
// Each part of a convention can be changed separately; see [ParseConvention].
package probe
