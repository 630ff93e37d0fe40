// Package probe looks inside a trained model: which numbers its activations
// carry, how its attention decays, how far its predictions are from the best.
//
// [Collect] runs a model over every word of a table of prefixes
// ([foretell/process.Prefixes]) and keeps activations, the divergence from the
// optimal prediction, and the statistics of its attention patterns. The rest
// works on tables of numbers and knows nothing of models:
//
//   - [PrincipalComponents], weighted;
//   - [Regress], weighted linear regression with held-out folds, and
//     [RegressControlled], the same beside its controls;
//   - [FitDecay], the slope of log attention against distance;
//   - [ReadFirstLayer] and [FirstLayer.OV], the vectors that attention moves.
//
// A probe is never shown alone. A linear regression from 64 random directions
// reads much of a belief back from a model that was never trained; the number
// that counts is what a trained model has above that control. Rows are weighted
// by the probability of their word, because that is how often the model is asked.
package probe
