// Package probe looks inside a trained model: which numbers its activations
// carry, how its attention decays, how far its predictions are from the best.
//
// [Sweep] runs a model over every word of a table of prefixes
// ([foretell/process.Prefixes]), some hundred words at a time. Two analyses stand on it:
//
//   - [Collect] keeps activations, the divergence from the optimal prediction,
//     and the statistics of the attention patterns of all words;
//   - [Analyze] keeps moments, from which follow regressions, their held-out
//     scores and principal components, and its memory does not grow with the
//     words. [Analysis.Steer] then moves activations along a regression, to see
//     whether predictions follow.
//
// Where the words are too many, [SampleWords] stands in for them, and figures
// come with error bars. The rest works on tables of numbers and knows nothing
// of models:
//
//   - [PrincipalComponents], weighted;
//   - [Regress], weighted linear regression with held-out folds, [RegressEach],
//     the same for several targets at once, and [RegressControlled], beside controls;
//   - [FitDecay], the slope of log attention against distance;
//   - [ReadFirstLayer] and [FirstLayer.OV], the vectors that attention moves.
//
// # Controls
//
// A probe is never shown alone. A linear regression from 64 random directions
// reads much of a belief back from a model that was never trained; the number
// that counts is what a trained model has above that control. Others are shuffled
// targets ([Shuffled]), the next-token distribution ([NextTokenFeatures]) and the
// last few tokens ([MarkovFeatures]).
//
// # Conventions
//
// Figures depend on how a regression is weighted and scored, so a [Convention] is
// part of each:
//
//   - [Ours] weighs words by their probability, because that is how often the
//     model is asked, holds out whole sequences, and chooses the cut-off by
//     cross-validation among the sequences that a fit may see;
//   - [Seed001] takes all sequences of length 10 alike, at every position (its
//     App. B). It does not say how its regressions were made; the preset is the
//     field's habit, plain least squares scored in sample.
//
// Every part of one can be changed by itself; see [ParseConvention].
package probe
