package craft

import (
	"math"

	"foretell/model"
	"foretell/process"
)

// PrintedCoin returns the embeddings and the head of Gemini 2025, as printed (Eq. 3–12,
// d_model 4, d_head 2; Sec. 6's W_U = W_Eᵀ), without an MLP. The residual stream is
// (e_T, e_H, e_BOS, e_N).
//
// Eq. 13 holds: the head's output at position N is (H·e_H + T·e_T)/(N+1). Two matrix
// expressions around it do not fit their shapes, while the matrices are right: Eq. 8's
// [e_T e_H]ᵀW'_V should be [e_T e_H]W'_V, and W_Oᵀz before Eq. 12 should be W_O·z.
//
// Of the three bullets after Eq. 15 the first holds (e_N carries N). The other two do
// not: Eq. 15 has W_E[t_N] on the same directions, so that e_H carries H/(N+1) +
// [t_N = heads] and e_T carries T/(N+1) + [t_N = tails]. After BOS, heads, e_H carries
// 3/2 instead of 1/2, and Sec. 6's H = H_scaled·(N+1) is 3 instead of 1. What the head
// moves needs directions of its own; described as a [Design], the printed head is
// refused for that reason.
//
// Sec. 6 has three more. mlp_out = l·(e_H − e_T) makes the logits differ by 2l, and
// odds of ((1+H)/(1+T))², where l/2 would be right; W_U = W_Eᵀ adds to that what
// resid_mid has on e_H and e_T; and it gives BOS the logit 0, a probability that is not
// 0. The logits differ by an amount, not “by a factor”, proportional to l.
func PrintedCoin(nCtx int) (*model.Transformer[float64], error) {
	return printedCoin(model.Config{DModel: 4, NCtx: nCtx, AttnOnly: true})
}

// printedCoin is the printed part of a transformer of which c says the rest.
func printedCoin(c model.Config) (*model.Transformer[float64], error) {
	c.NLayers, c.NHeads, c.DHead, c.DVocab = 1, model.Heads{1}, 2, 3
	c.NormalizationType, c.PositionalEmbeddingType = "none", "learned"
	m, err := model.Zero[float64](c)
	if err != nil {
		return nil, err
	}
	const tails, heads, bos, position = 0, 1, 2, 3 // e_T, e_H, e_BOS, e_N
	d, get := m.Config.DModel, func(name string) []float64 { return m.Weights.Get(name).Data }
	for token, direction := range []int{tails, heads, bos} { // Eq. 3
		get("embed.W_E")[token*d+direction] = 1
		get("unembed.W_U")[direction*3+token] = 1
	}
	for i := range c.NCtx { // p_i = i·e_N
		get("pos_embed.W_pos")[i*d+position] = float64(i)
	}
	v, o := get("blocks.0.attn.W_V"), get("blocks.0.attn.W_O") // Eq. 8 (4,2), Eq. 12 (2,4)
	v[heads*2+0], v[tails*2+1] = 1, 1
	o[0*d+heads], o[1*d+tails] = 1, 1
	return m, nil
}

// CoinMethod returns the MLP of Gemini 2025, Sec. 7, for log a curve that stands for
// log(1+x): its neurons read H from e_H and T from e_T and write log(1+H) and log(1+T)
// to logits of their own (W_out of Eq. 16–17 goes to the vocabulary), beside
// −2C = −1000 for BOS. Before it stands the printed head, d_model 7.
//
// Gemini simplifies the input of this MLP to H·e_H + T·e_T + N·e_N, which its head
// cannot make (that would be a product of two activations, H/(N+1) and N+1).
// [SimplifiedLogits] puts it there; without that the logits are those of log(1+x) at
// fractions. [Coin.Transformer] needs no such help.
//
// The curves to compare are [PrintedTable] and [LogTable] (method 1), [PrintedRamps]
// and [LogRamps] (method 2).
func CoinMethod(log Curve, nCtx int) (*model.Transformer[float64], error) {
	const dModel, logitTails = 7, 4 // the logits of the tokens 0, 1, 2 follow e_T … e_N
	width := 2 * len(log.Ramps)
	m, err := printedCoin(model.Config{DModel: dModel, DMLP: width, NCtx: nCtx, ActFn: "relu"})
	if err != nil {
		return nil, err
	}
	in, bias := m.Weights.Get("blocks.0.mlp.W_in").Data, m.Weights.Get("blocks.0.mlp.b_in").Data
	out, offset := m.Weights.Get("blocks.0.mlp.W_out").Data, m.Weights.Get("blocks.0.mlp.b_out").Data
	for token := range 2 {
		for i, r := range log.Ramps {
			j := token*len(log.Ramps) + i
			sign := r.sign()
			in[token*width+j], bias[j] = sign, -sign*r.Knot
			out[j*dModel+logitTails+token] = r.Slope
		}
		offset[logitTails+token] = log.Offset
	}
	unembed := m.Weights.Get("unembed.W_U").Data
	clear(unembed)
	for token := range 3 {
		unembed[(logitTails+token)*3+token] = 1
	}
	m.Weights.Get("unembed.b_U").Data[process.BOS] = silent
	return m, nil
}

// SimplifiedLogits returns the logits of a model of [CoinMethod] where the simplified
// input H·e_H + T·e_T + N·e_N stands in place of resid_mid.
func SimplifiedLogits(m *model.Transformer[float64], heads, tails int) []float64 {
	w := model.NewWorkspace[float64](m.Config, 1)
	w.HookNames = []string{"blocks.0.hook_resid_mid"}
	w.Hook = func(t model.Tensor[float64]) {
		clear(t.Data)
		t.Data[0], t.Data[1], t.Data[3] = float64(tails), float64(heads), float64(heads+tails)
	}
	return m.Forward(w, []int32{process.BOS}, 1)
}

// PrintedIndicator is Sec. 7.1.1's pair of neurons for H = h, ReLU(x−h+½) −
// ReLU(x−h−½), “approximately 1 if H = h and 0 otherwise”. It is a step: 0 below h,
// ½ at h and 1 at every integer above. The indicator is [Bump](h, 1), with three neurons.
// Fewer cannot be one (its second differences are 1, −2, 1; those of a ramp have one
// sign, at one integer or two that follow each other), so no neuron is “the indicator
// neuron” of which Eq. 16 and 17 give the one row, and the hidden layer is not one-hot.
func PrintedIndicator(h int) Curve {
	return Step(float64(h), 1)
}

// PrintedTable is method 1 as printed for x = 0 … n: Σ_h log(1+h)·[PrintedIndicator](h).
// The pair of h is N_h and N_{h+1}, so that neighbours share a neuron: there are n+2, of
// which that of h = 0 has nothing to do. Since the indicators are steps, it is
// ½·log(1+x) + log(x!) at the integers instead of log(1+x), and stays at its last value
// beyond n.
func PrintedTable(n int) Curve {
	var c Curve
	last := 0.0 // what h−1 asks of the neuron that it shares with h
	for h := range n + 1 {
		value := math.Log1p(float64(h))
		c.Ramps = append(c.Ramps, Ramp{Knot: float64(h) - 0.5, Slope: value - last})
		last = value
	}
	c.Ramps = append(c.Ramps, Ramp{Knot: float64(n) + 0.5, Slope: -last})
	return c
}

// LogTable is method 1 as corrected: log(1+x) at x = 0 … n, exactly, and 0 at the
// integers beyond, with n+2 neurons (that of x = 0 has nothing to do).
func LogTable(n int) Curve {
	values := make([]float64, n+1)
	for x := range values {
		values[x] = math.Log1p(float64(x))
	}
	return Table(0, values)
}

// PrintedRamps is method 2 with the printed biases −½, −1½, …, whose n ramps start half
// way between integers (not “at a different integer value”), and the coefficients that
// are best on 0 … n: there are ones without error at the integers. But the slopes that
// this takes, s_x+1 = 2·log((x+2)/(x+1)) − s_x from s_0 = 0, alternate in sign and do
// not fade: after n they go on as ±2·log(π/2) (Wallis's product), away from log(1+x).
// Nor are n ramps “more parameter-efficient” than the n+2 neurons of [LogTable].
func PrintedRamps(n int) Curve {
	var c Curve
	slope := 0.0 // between x−½ and x+½
	for x := range n {
		rise := math.Log(float64(x+2) / float64(x+1))
		c.Ramps = append(c.Ramps, Ramp{Knot: float64(x) + 0.5, Slope: 2*rise - 2*slope})
		slope = 2*rise - slope
	}
	return c
}

// LogRamps is method 2 as corrected: within maxError of log(1+x) on [0, n] with the
// fewest ramps, about log(1+n)/√(16·maxError) of them. Beyond n it goes on as a
// straight line, which log(1+x) leaves: twice as far its error is about
// 1 − log 2 = 0.3.
func LogRamps(n int, maxError float64) Curve {
	return Approximate(math.Log1p, func(x float64) float64 { return 1 / (1 + x) }, 0, float64(n), maxError)
}
