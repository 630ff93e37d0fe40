// Package intervene changes activations inside a model and measures the effect on its
// predictions. It finds causes, where package probe finds correlations.
//
// It implements three interventions of the literature. Each replaces activations by hook
// name in the middle of a forward pass ([foretell/model.Workspace]). Each is scored in
// nats, by the divergence KL from the optimal prediction to the model's, so that the
// importance of a part is measured on the same scale as the error of the whole model. If
// a model's process is not known, the reference is the model's own unchanged prediction,
// and the results say so.
//
// # Activation patching
//
// [Patch] runs the model over a corrupt word with one activation replaced by its value
// over a clean word. The activation is at a layer, a position and, for hooks that have
// heads, a head (Vig et al. 2020, Investigating Gender Bias in Language Models Using
// Causal Mediation Analysis; Meng et al. 2022, Locating and Editing Factual Associations
// in GPT, who call it causal tracing). With p* the optimal prediction after the clean
// word,
//
//	recovered = (KL(p*‖corrupt) − KL(p*‖patched)) / (KL(p*‖corrupt) − KL(p*‖clean))
//
// is 0 if the replacement changes nothing, and 1 if it makes the model predict as after
// the clean word. It may be less than 0 or more than 1. If clean and corrupt are equally
// far from p*, to within [LeastGap], there is nothing to recover and the value is
// missing. Over several pairs it is the ratio of the sums, not the mean of the ratios,
// because the ratio of a single pair is arbitrary if its two words hardly differ in KL.
// Error bars come from the spread between groups of pairs.
//
// # Attribution patching
//
// With Patching.Attribution the map also has a first-order estimate for all sites from
// one backward pass (Nanda 2023, Attribution Patching: Activation Patching At Industrial
// Scale),
//
//	KL(p*‖patched) − KL(p*‖corrupt) ≈ ∂KL/∂activation · (clean − corrupt)
//
// with the gradient at the corrupt word. The map also holds the correlation of this
// estimate with the exact values.
//
// # Ablation
//
// [Ablate] removes parts of the model over words of the process: heads, attention or
// MLPs of a layer, positions. The replacement is zero, the part's mean at each position
// over the words (weighted by their probability), or the part's value over another word
// (Wang et al. 2023, Interpretability in the Wild: a Circuit for Indirect Object
// Identification in GPT-2 small, for means; Chan et al. 2022, Causal Scrubbing, for
// resampling). The rest of the model has never seen zeros, so ablation by zeros measures
// both the importance of the part and the effect of an unusual input. A mean removes
// only the information that the part carries about the word. Resampling removes the same
// information and keeps the part's spread.
//
// To replace attention by its mean pattern, with all readings of the changed model, use
// [foretell/probe.Analysis.AtMeanPatterns].
//
// # Appended heads
//
// Heads that are appended to the residual stream (residual: concat) have no queries,
// keys and values. Their outputs, hook z here, are the columns that they append to
// hook_resid_post.
package intervene
