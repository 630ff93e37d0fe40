package model

import (
	"math"
	"unsafe"

	"foretell/internal/kernel"
	"foretell/internal/portable"
)

// unembed returns the logits (B,T,V) of the final residual stream x, (B,T,d): norm(x)·W_U
// + b_U, or norm(x)·W_Eᵀ if the output is tied.
func (additive[F]) unembed(m *Transformer[F], w *Workspace[F], x []F) []F {
	w.residual = x
	y := normForward(m.final, w, m.Weights.final, &w.final, x)
	w.finalIn = y
	logits, p := w.Logits(), m.Weights.unembed
	if m.Config.TieUnembed {
		tiedLogits(w, m.Weights.embed, y, logits)
	} else {
		kernel.GemmAdd(w.rows, w.vocab, w.d, y, w.d, 1, p.w, w.vocab, logits, w.vocab, p.b, nil)
	}
	return m.output(logits)
}

// tiedTile returns the number of token embeddings that a tied output transposes at a
// time: few enough to stay in the cache until the product has read them. It is 0 if the
// output has its own weights.
func (c Config) tiedTile() int {
	const most = 64
	if !c.TieUnembed {
		return 0
	}
	return min(most, c.DVocab)
}

// tiedLogits writes y·W_Eᵀ, (B,T,V), to logits. A stored transpose would be wrong after a
// change of the weights, so each pass transposes W_E again, a few tokens at a time.
func tiedLogits[F Float](w *Workspace[F], embed, y, logits []F) {
	most := len(w.tied) / w.d
	for v := 0; v < w.vocab; v += most {
		n := min(most, w.vocab-v)
		kernel.Transpose(w.tied, n, embed[v*w.d:], w.d, n, w.d)
		kernel.Gemm(w.rows, n, w.d, y, w.d, 1, w.tied, n, logits[v:], w.vocab, false)
	}
}

// roundOff is the largest amount by which rounding may take a probability below 0.
const roundOff = 1e-6

// output converts the result of W_U to logits. Probabilities become their logarithms,
// which are logits of the same distribution. A zero is replaced by the smallest normal
// number, so that its logit is finite. A number that is negative by more than rounding
// becomes NaN.
func (m *Transformer[F]) output(x []F) []F {
	if m.Config.Output != "probabilities" {
		return x
	}
	least := leastNormal[F]()
	for i, p := range x {
		if p < -roundOff {
			x[i] = F(math.NaN())
			continue
		}
		x[i] = F(portable.Log(max(float64(p), least)))
	}
	return x
}

// leastNormal returns the smallest positive normal number of the precision.
func leastNormal[F Float]() float64 {
	if unsafe.Sizeof(F(0)) == 4 {
		return 0x1p-126
	}
	return 0x1p-1022
}

// unembedBackward sets w.dResid to the gradient of the final residual stream, (B,T,d).
func (m *Transformer[F]) unembedBackward(w *Workspace[F], grads *Weights[F]) {
	dx, dy, dlogits := w.dResid[:w.rows*w.d], w.dIn[:w.rows*w.d], w.DLogits()
	back := m.transposed.unembed.w // shape (V,d)
	if m.Config.TieUnembed {
		back = m.Weights.embed
		kernel.Gemm(w.vocab, w.d, w.rows, dlogits, 1, w.vocab, w.finalIn, w.d, grads.embed, w.d, true)
	} else {
		unembedGradients(w, grads.unembed, w.d)
	}
	clear(dx)
	others := readPlain(m.final, dx)
	kernel.GemmAdd(w.rows, w.d, w.vocab, dlogits, w.vocab, 1, back, w.d, dy, w.d, nil, others)
	streamBackward(m.final, w, m.Weights.final, grads.final, &w.final, w.residual, dy, dx, others != nil)
}

// unembedGradients writes the gradients of W_U and b_U, given the gradient of the logits;
// w.finalIn, (B,T,d), is the input of the unembedding.
func unembedGradients[F Float](w *Workspace[F], g unembedWeights[F], d int) {
	if g.b != nil {
		kernel.ColumnSums(g.b, w.DLogits(), w.vocab, w.rows, w.vocab)
	}
	kernel.Gemm(d, w.vocab, w.rows, w.finalIn, 1, d, w.DLogits(), w.vocab, g.w, w.vocab, w.adds)
}

// CrossEntropy returns Σ weight·(−ln p[target]) over the positions of the last forward
// pass with w, in nats, and writes its gradient to [Workspace.DLogits]. targets and
// weights are (B,T); a position with weight 0 does not affect the loss or its gradient.
func (m *Transformer[F]) CrossEntropy(w *Workspace[F], targets []int32, weights []F) float64 {
	return kernel.CrossEntropy(0, w.DLogits(), w.Logits(), w.rows, w.vocab, targets, weights)
}

// SoftCrossEntropy is [Transformer.CrossEntropy] with distributions as targets: it
// returns Σ_positions Σ_z targets[z]·(−ln p[z]), in nats, and writes its gradient to
// [Workspace.DLogits]. targets is (B,T,V): at each position a distribution multiplied by
// the weight of the position.
func (m *Transformer[F]) SoftCrossEntropy(w *Workspace[F], targets []F) float64 {
	return kernel.SoftCrossEntropy(0, w.DLogits(), w.Logits(), w.rows, w.vocab, targets)
}

// SoftDivergence is [Transformer.SoftCrossEntropy] minus its minimum: it returns
// Σ_positions Σ_z targets[z]·(ln(targets[z]/Σ targets) − ln p[z]), in nats, and writes
// the same gradient. It computes both in float64, because near the optimum a float32
// result would contain only rounding errors. The result is then as accurate as the
// logits: an error δ in the logits changes the divergence by only about (p − targets)·δ.
func (m *Transformer[F]) SoftDivergence(w *Workspace[F], targets []F) float64 {
	V, logits, gradient, total := w.vocab, w.Logits(), w.DLogits(), 0.0
	for at := 0; at < w.rows*V; at += V {
		total += softDivergence(gradient[at:at+V], logits[at:at+V], targets[at:at+V])
	}
	return total
}

func softDivergence[F Float](gradient, logits, targets []F) (divergence float64) {
	weight := 0.0
	for _, q := range targets {
		weight += float64(q)
	}
	if weight == 0 {
		clear(gradient)
		return 0
	}
	norm := logSumExp(logits)
	for z, q := range targets {
		logP := float64(logits[z]) - norm
		gradient[z] = F(float64(weight*portable.Exp(logP)) - float64(q))
		if q > 0 {
			divergence += float64(float64(q) * (portable.Log(float64(q)/weight) - logP))
		}
	}
	return divergence
}

// Divergence returns KL(p‖softmax(logits)) in nats, computed in float64: the divergence
// of a model's next-token distribution from the distribution p. The slice p is (A) with A
// ≤ V; tokens from A on have probability 0 under p.
func Divergence[F Float](p []float64, logits []F) float64 {
	norm, kl := logSumExp(logits), 0.0
	for z, q := range p {
		if q > 0 {
			kl += float64(q * (portable.Log(q) - (float64(logits[z]) - norm)))
		}
	}
	return kl
}

// Surprisal returns −ln softmax(logits)[token] in nats, computed in float64: the loss of
// a model on an observed token.
func Surprisal[F Float](logits []F, token int) float64 {
	return logSumExp(logits) - float64(logits[token])
}

// Probabilities returns softmax(logits), computed in float64.
func Probabilities[F Float](logits []F) []float64 {
	norm, p := logSumExp(logits), make([]float64, len(logits))
	for z, x := range logits {
		p[z] = portable.Exp(float64(x) - norm)
	}
	return p
}

func logSumExp[F Float](logits []F) float64 {
	top, total := math.Inf(-1), 0.0
	for _, x := range logits {
		top = max(top, float64(x))
	}
	for _, x := range logits {
		total += portable.Exp(float64(x) - top)
	}
	return top + portable.Log(total)
}
