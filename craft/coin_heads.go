package craft

import (
	"math"

	"foretell/model"
)

// AttentionOnly returns a transformer without an MLP, whose heads compute the logarithm.
//
// Head k has a shift s = s_k. It attends to the token tails with weight w = e^s, to BOS
// with weight A+B·w and to the token heads with weight 1. It moves 1 from the token heads
// and A/(A+B·w) from BOS. After H heads and T tails its output is a sigmoid of the
// log-odds l = log((A+H)/(B+T)), shifted by s:
//
//	(A+H)/(A+H + w·(B+T)) = σ(l − s).
//
// The integral of σ(l−s) − σ(−s) over all s is l. So K heads whose shifts are spaced by Δ
// symmetrically around 0 give l̂ = Δ·Σ (σ(l−s_k) − ½). This is the trapezoid rule, whose
// error is exponentially small for such a smooth function. Two errors remain.
//
// With infinitely many shifts the sum is l plus a ripple of period Δ. The Fourier
// coefficients of the ripple are given by σ' (Poisson's summation formula): the mth has
// the amplitude 2π/sinh(2π²m/Δ). The ripple changes the probability by at most ¼ of
//
//	R = Σ_m 2π/sinh(2π²m/Δ).
//
// The missing shifts beyond ±S, S = (K+1)Δ/2, would add at most C·e^l on one side and
// subtract at most C·e^−l on the other, with C = Δe^−S/(1−e^−Δ). If the log-odds change
// by τ, the slope P(1−P) of σ at l changes by a factor of at most e^|τ|, and P(1−P)·e^l =
// P². So the missing shifts change the probability by at most C·P² and C·(1−P)², times
// e^|τ|, and the total error is at most
//
//	R/4 + C·exp(R + C·e^Λ), where |l| ≤ Λ.
//
// K is the smallest number for which some Δ makes this bound at most Error. K grows as
// (log Error)²/π², whereas the number of neurons of an MLP grows as Error^(−1/2). K
// hardly depends on the length of the context: an Error of 1e-6 takes 23 heads.
func (c Coin) AttentionOnly() (*model.Transformer[float64], error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	heads, spacing := c.shifts()
	if err := c.fits(heads, "heads"); err != nil {
		return nil, err
	}
	block := Block{}
	for k := range heads {
		w := math.Exp((float64(k) - float64(heads-1)/2) * spacing)
		block.Heads = append(block.Heads, Head{
			Attend: Weighted(map[string]float64{"tails": w, "BOS": c.A + c.B*w}),
			Move:   []Move{{"BOS", "log odds", spacing * c.A / (c.A + c.B*w)}, {"heads", "log odds", spacing}},
		})
	}
	return Design{
		Tokens: coinTokens,
		NCtx:   c.NCtx,
		Blocks: []Block{block},
		Logits: []Move{
			{"log odds", "heads", 1},
			{Always, "heads", -spacing * float64(heads) / 2},
			{Always, "BOS", silent},
		},
	}.Build()
}

// shifts returns the number of heads that the error requires, and the spacing of their
// shifts.
func (c Coin) shifts() (heads int, spacing float64) {
	lo, hi := c.means()
	farthest := max(-logit(lo), logit(hi))
	for heads = 1; ; heads++ {
		if spacing = bestSpacing(heads, farthest); sumError(heads, spacing, farthest) <= c.Error {
			return heads, spacing
		}
	}
}

// sumError returns the bound in [Coin.AttentionOnly] on the error of the probability.
func sumError(heads int, spacing, farthest float64) float64 {
	ripple := 0.0
	for m := 1.0; ; m++ {
		term := 2 * math.Pi / math.Sinh(2*math.Pi*math.Pi*m/spacing)
		if ripple += term; term <= 1e-17*ripple {
			break
		}
	}
	end := float64(heads+1) * spacing / 2
	tail := spacing * math.Exp(-end) / -math.Expm1(-spacing)
	return ripple/4 + tail*math.Exp(ripple+tail*math.Exp(farthest))
}

// bestSpacing minimises sumError over the spacing by golden-section search: a larger
// spacing increases the ripple and decreases the contribution of the missing shifts.
func bestSpacing(heads int, farthest float64) float64 {
	const golden = 0.6180339887498949
	lo, hi := 0.05, 20.0
	for hi-lo > 1e-6 {
		left, right := hi-golden*(hi-lo), lo+golden*(hi-lo)
		if sumError(heads, left, farthest) < sumError(heads, right, farthest) {
			hi = right
		} else {
			lo = left
		}
	}
	return (lo + hi) / 2
}
