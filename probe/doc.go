// Package probe looks inside a trained model: what its activations tell of the process,
// how its attention decays, how far its predictions are from the best.
//
// # A report by one call
//
// [Examine] reads a target, the beliefs of the process say, from every stage of a model's
// residual stream, beside the controls, and returns a [Report]:
//
//	q := probe.Question{Steer: true}
//	words, err := q.Words(ctx, source, 10)
//	report, err := probe.Examine(ctx, probe.Subject{Model: m, Seed: 1}, words, q)
//
// Words are a table with a row for each ([foretell/process.Prefixes]): all of them, or
// where they are too many those that begin sampled sequences, and then figures come with
// error bars.
//
// # An analysis
//
// A report stands on an [Analysis], which is there for other questions. [Analyze] runs a
// model over all words once, as a [Plan] has it:
//
//   - [Features] are what is looked at, numbers for each word: a stage of the residual
//     stream ([Stage]), several side by side ([SideBySide]), or what is known of the word
//     without a model ([NextTokenFeatures], [MarkovFeatures], [TableFeatures]);
//   - a [Target] is what is read from them by linear regression: [Beliefs],
//     [Constrained], [Linear], [NextTokens], any [TableTarget], or one [Shuffled];
//   - a [Convention] says how words are weighted and how a reading is scored.
//
// What it found is asked for by number, features first, as the plan lists them:
//
//   - [Analysis.Regress], a [Reading]: its scores, held out and in sample, and the fit to
//     all words; [Analysis.Predict], what that fit reads from each word;
//   - [Analysis.Principal], principal components;
//   - [Analysis.Steer], which moves activations along a reading, to see whether
//     predictions follow; [Analysis.SteerEach], at every stage;
//   - [Analysis.KL] and [Analysis.KLByPosition], the divergence from the optimal
//     prediction in nats, and Analysis.Patterns, the attention patterns;
//   - [Analysis.Response], what each token adds to features by its lag, which a theory of
//     one layer says of the process's own corrections;
//   - [Analysis.AtMeanPatterns], the same analysis of a model whose attention does not
//     look at tokens, and [Analysis.TokenDependence], how far it does;
//   - [Analysis.Convergence], whether the training has come to its end: what the model
//     misses of what there is to learn, and the plateau that it may rest on.
//
// An analysis keeps moments, so that its memory does not grow with the words; or, with
// Plan.Keep, the rows, and then [Analysis.Under] reads them under other conventions and
// for other targets. [Relate] regresses one table of what is known of words on another.
//
// Analyses stand on [Sweep], which hands over the activations of some hundred words at
// a time. [FitExponential] is the decay of attention with distance, by least squares in
// attention, and [FitDecay] the slope of its logarithm; [ReadFirstLayer] and
// [FirstLayer.OV] are the vectors that attention moves; [PrincipalComponents] are
// those of any table.
//
// # Controls
//
// A probe is never shown alone. A linear regression from 64 random directions reads much
// of a belief back from a model that was never trained; the number that counts is what a
// trained model has above that control. Others are shuffled targets, the next-token
// distribution and the last few tokens.
//
// # Conventions
//
// Figures depend on how a regression is weighted and scored, so a [Convention] is part of
// each:
//
//   - [Ours] weighs words by their probability, because that is how often the model is
//     asked, holds out whole sequences, and chooses the cut-off by cross-validation among
//     the sequences that a fit may see;
//   - [Piotrowski2025] takes all sequences of length 10 alike, at every position
//     (Piotrowski et al. 2025, App. B). They do not say how their regressions were
//     made; the preset is the field's habit, plain least squares scored in sample.
//
// Every part of one can be changed by itself; see [ParseConvention].
package probe
