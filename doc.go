// Package foretell is a laboratory for transformers that predict sequences
// whose best possible prediction is known.
//
// A process makes sequences and carries its own answer key, the exact
// Bayes-optimal predictor. A model is trained on them. The laboratory measures
// how far the model is from the best possible predictor and looks inside to see
// which algorithm it runs. The way of the data is the way through the packages:
//
//		process → model ⇄ train → run → probe → inspect → claim ← paper, report
//
//	  - [foretell/process]: hidden Markov models with exact beliefs and floors
//	  - [foretell/token]: quantisers, which make tokens of signals and signals of tokens,
//	    and GPT-2's byte-pair encoding of texts
//	  - [foretell/model]: the transformer, forward and backward side by side,
//	    every activation by name
//	  - [foretell/train]: batches, optimisers, the distance from the floor
//	  - [foretell/run]: a training's folder: checkpoints, metrics, going on
//	  - [foretell/probe]: principal components, regressions to beliefs with their
//	    controls, attention
//	  - [foretell/intervene]: patching and ablation, scored against the optimal predictor
//	  - [foretell/inspect]: what there is to show of a process or a model, by one call each
//	  - [foretell/craft]: transformers written by hand
//	  - [foretell/walk]: the forward pass number by number
//	  - [foretell/figure]: numbers to SVG
//	  - [foretell/claim]: what a document claims, as rows that are tested; how to write
//	    a document of one's own
//	  - [foretell/paper]: the documents of the laboratory
//	  - [foretell/report]: claims and figures to one HTML file
//
// The example shows the whole way in some thirty lines; the command
// cmd/foretell is the same from the shell. docs/architecture.md says what may
// import what and where to add things.
//
// # Sources
//
// Five documents are cited by author and year, with the equation. Each in full, with the
// number that it had here before:
//
//   - Gemini 2025: A Mathematical Construction of a Transformer for Bayesian Coin Flip
//     Prediction. Gemini, 31 July 2025 (seed 000).
//   - Piotrowski et al. 2025: Constrained Belief Updates Explain Geometric Structures in
//     Transformer Representations. Mateusz Piotrowski, Paul M. Riechers, Daniel Filan
//     and Adam S. Shai, ICML 2025 (seed 001).
//   - Virgilio 2025: Walking Through a Tiny Transformer. Zach Virgilio,
//     7 November 2025 (seed 002).
//   - EE269 2026: Transformers for Signal Prediction. EE269: Signal Processing and
//     Quantization for Machine Learning, winter 2026 (seed 003).
//   - D'Angelo et al. 2025: Selective Induction Heads: How Transformers Select Causal
//     Structures in Context. Francesco D'Angelo, Francesco Croce and Nicolas Flammarion,
//     ICLR 2025 (seed 004).
package foretell
