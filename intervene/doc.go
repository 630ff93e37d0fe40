// Package intervene changes activations inside a model and measures the effect on its
// predictions. It finds causes, where package probe finds correlations.
//
// It implements three interventions of the literature. Each replaces activations by hook
// name in the middle of a forward pass ([foretell/model.Workspace]). Each is scored in
// nats, by KL, the Kullback–Leibler divergence from the optimal prediction to the model's
// prediction, so the importance of a part is measured on the same scale as the error of
// the whole model. If a model's process is not known, the reference is the model's own
// unchanged prediction, and the results state this.
//
// # Activation patching
//
// [Patch] runs the model over a corrupt sequence with one activation replaced by its
// value over a clean sequence. The activation belongs to one layer, one position and, for
// hooks that have heads, one head (Vig et al. 2020, Investigating Gender Bias in Language
// Models Using Causal Mediation Analysis; Meng et al. 2022, Locating and Editing Factual
// Associations in GPT, who call it causal tracing). Let p* be the optimal prediction
// after the clean sequence. Let clean and corrupt be the model's predictions after the
// two sequences, and patched its prediction after the corrupt sequence with the
// replacement. Then
//
//	recovered = (KL(p*‖corrupt) − KL(p*‖patched)) / (KL(p*‖corrupt) − KL(p*‖clean))
//
// is 0 if the replacement changes nothing, and 1 if it makes the model predict as after
// the clean sequence. It may be less than 0 or more than 1. If clean and corrupt are
// equally far from p*, to within [LeastGap], there is nothing to recover and the value is
// missing. Over several pairs, recovered is the ratio of the sums and not the mean of the
// ratios, because the ratio of a single pair is arbitrary if its two sequences hardly
// differ in KL. Error bars come from the spread between groups of pairs.
//
// # Attribution patching
//
// With Patching.Attribution the map also has a first-order estimate for all sites from
// one backward pass (Nanda 2023, Attribution Patching: Activation Patching At Industrial
// Scale),
//
//	KL(p*‖patched) − KL(p*‖corrupt) ≈ ∂KL/∂activation · (clean − corrupt)
//
// where clean and corrupt are the activations over the two sequences, and the gradient is
// taken at the corrupt sequence. The map also holds the correlation of this estimate with
// the exact values.
//
// # Ablation
//
// [Ablate] removes parts of the model (heads, the attention or the MLP of a layer,
// positions) while the model runs over sequences of the process. The replacement is zero,
// the part's mean over the sequences at each position (weighted by their probability), or
// the part's value over another sequence (Wang et al. 2023, Interpretability in the Wild:
// a Circuit for Indirect Object Identification in GPT-2 small, for means; Chan et al.
// 2022, Causal Scrubbing, for resampling). The rest of the model has never seen zeros, so
// ablation by zeros measures both the importance of the part and the effect of an unusual
// input. A mean removes only the information that the part carries about the sequence.
// Resampling removes the same information and keeps the part's spread.
//
// To replace attention by its mean pattern, and then fit the regressions of package probe
// to the changed model, use [foretell/probe.Analysis.AtMeanPatterns].
//
// # Appended heads
//
// Heads that are appended to the residual stream (residual: concat) have no queries,
// keys and values. Their outputs, hook z here, are the columns that they append to
// hook_resid_post.
package intervene
