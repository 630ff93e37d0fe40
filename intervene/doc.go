// Package intervene changes a model on its way and looks at what becomes of its
// predictions: causes, where package probe reads correlates.
//
// Three interventions are the field's. Each replaces activations by hook name in the
// middle of a forward pass ([foretell/model.Workspace]), and each is scored in nats, by
// the divergence KL from the optimal prediction to the model's, so that what a part is
// worth stands on the scale on which the whole model is measured. A model whose process
// is not known is measured against its own prediction, unchanged, and the results say
// so.
//
// # Activation patching
//
// [Patch] runs the model over a corrupt word, in which one activation is replaced by what
// it is over a clean word: of a layer, a position and, where the hook has them, a head
// (Vig et al. 2020, Investigating Gender Bias in Language Models Using Causal Mediation
// Analysis; Meng et al. 2022, Locating and Editing Factual Associations in GPT, who call
// it causal tracing). With p* the optimal prediction after the clean word,
//
//	recovered = (KL(p*‖corrupt) − KL(p*‖patched)) / (KL(p*‖corrupt) − KL(p*‖clean))
//
// is 0 of a replacement that changes nothing and 1 of one that makes the model predict
// as after the clean word. It may be less than 0 or more than 1. Where clean and
// corrupt are equally far from p*, to less than [LeastGap], there is nothing to recover
// and no number. Over many pairs it is the ratio of the sums, not the mean of ratios,
// of which those of pairs that hardly differ would be anything; error bars are by
// groups of pairs.
//
// # Attribution patching
//
// With Patching.Attribution the map has a first-order estimate beside it, of all sites
// from one backward pass (Nanda 2023, Attribution Patching: Activation Patching At
// Industrial Scale),
//
//	KL(p*‖patched) − KL(p*‖corrupt) ≈ ∂KL/∂activation · (clean − corrupt)
//
// with the gradient at the corrupt word, and its correlation with the exact map.
//
// # Ablation
//
// [Ablate] takes parts of the model away over words of the process: heads, attention or
// MLPs of a layer, positions. What stands in their place is zero, the part's mean by
// position over the words, weighed by their probability, or what it is over another word
// (Wang et al. 2023, Interpretability in the Wild: a Circuit for Indirect Object
// Identification in GPT-2 small, for means; Chan et al. 2022, Causal Scrubbing, for
// resampling). Zeros are nothing that the rest of the model has ever seen, so that they
// tell of the part and of that; a mean tells what the part says of the word, a resampled
// part keeps its spread as well.
//
// Attention that is replaced by its mean pattern, with all readings of a changed model,
// is [foretell/probe.Analysis.AtMeanPatterns].
//
// # Heads that are appended
//
// Where heads are appended to the residual stream (residual: concat) they have no
// queries, keys and values. Their outputs, hook z here, are the columns of
// hook_resid_post that they appended.
package intervene
