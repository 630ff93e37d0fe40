// Package foretell trains small transformers on data where the best possible prediction
// is known exactly.
//
// A process generates sequences and has an exact answer key, the Bayes-optimal predictor.
// A model is trained on the sequences. The laboratory measures how far the model is from
// the optimum, and looks inside to see which algorithm it runs. The packages follow the
// data:
//
//		process → model ⇄ train → run → probe → inspect → claim ← paper, report
//
//	  - [foretell/process]: hidden Markov models with exact beliefs and floors (optimal losses)
//	  - [foretell/theory]: what one layer of attention can build of the beliefs of a hidden
//	    Markov model: spectrum, heads, the linear filter
//	  - [foretell/fit]: a hidden Markov model fitted to a sequence of tokens
//	  - [foretell/contexttree]: Bayesian context trees, which predict symbols of any source
//	  - [foretell/token]: quantisers from signals to tokens and back, and GPT-2's byte-pair
//	    encoding of texts
//	  - [foretell/model]: the transformer, forward and backward, every activation by name
//	  - [foretell/train]: batches, optimisers, the distance from the floor
//	  - [foretell/run]: the folder of a training run: checkpoints, metrics, resuming
//	  - [foretell/probe]: principal components, regressions to beliefs with controls,
//	    attention
//	  - [foretell/intervene]: patching and ablation, scored against the optimal predictor
//	  - [foretell/describe]: what a process is, with a call for each question
//	  - [foretell/curves]: learning curves of runs, side by side
//	  - [foretell/inspect]: what a model does, with a call for each question
//	  - [foretell/craft]: transformers written by hand
//	  - [foretell/walk]: the forward pass number by number
//	  - [foretell/figure]: numbers to SVG
//	  - [foretell/claim]: the claims of a document as rows that are tested, and how to write
//	    your own document
//	  - [foretell/paper]: the documents of the laboratory
//	  - [foretell/report]: claims and figures to one HTML file
//	  - [foretell/series]: how much of a recording of your own can be foreseen
//	  - [foretell/audit]: a bet against forecasts that somebody already has
//
// The example shows, in about thirty lines, the way from a process to a picture of a
// trained model's beliefs. The command cmd/foretell does the same from the shell.
// docs/architecture.md explains which package may import which, and where to add things.
//
// # Sources
//
// Five documents are cited by author and year, with the number of the equation. In full,
// with their earlier number in this project:
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
