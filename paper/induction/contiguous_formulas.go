package induction

import (
	"fmt"
	"math"

	"foretell/craft"
)

// contiguousFormulas tests the printed formulas of Sec. 4.1 and App. G.
func contiguousFormulas(trials []trial) []formula {
	several := trials[:0:0]
	for _, t := range trials {
		if len(t.lags) > 1 {
			several = append(several, t)
		}
	}
	list := try(
		attempt{formula{
			place: "Sec. 4.1, App. G: limit of layer 1", printed: "1 if i = j = 1, 0 where i−j is not a lag",
			right: "P_{s_j,s_i}/Σ_{r≤i} P_{s_r,s_i} at i ≤ min K, where no lag has a source",
		}, trials, firstRows},
		attempt{formula{
			place: "App. G: softmax of layer 2", printed: "1[(i−j−h+1) mod K = 0] / Σ_{m≤i} 1[(m−j−h+1) mod K = 0]",
			right: "1[(i−j−h+1) mod K = 0, j > k̂] / Σ_{m≤i} of the same with m for j; 1/i where that sum is 0",
		}, trials, gatherRows},
		attempt{formula{
			place:   "Sec. 4.1, App. G: score of layer 3",
			printed: "Σ_h β/(T_{h,i}+1) Σ_n p̃_{k̂+h+nK,k} + λ, T_{h,i} = ⌊(i−k̂−h)/K⌋",
			right: "the same for i ≥ 2k̂+K−1; at earlier positions, a head has no transitions for the query " +
				"(T_{h,i}+1 = 0) or for the key, whose mask is then 1/j everywhere",
		}, several, scoreRows},
		attempt{formula{
			place: "Eq. 15: B⁽³⁾", printed: "−β where (i−j−K+1) mod K ≠ 0",
			right: "0 there, as in Sec. 4.1; with −β it is the same predictor with 2β, since the p̃ sum to 1",
		}, several, signedRows},
		attempt{formula{
			place:   "Sec. 4.1 as the proof of Proposition 1",
			printed: "for any T ≥ k̂ the output is Eq. 3 (which is 0/0 at T = k̂), by the scores above “for large T”",
			right: "the proposition is true for any T > k̂ with a different layer 2: each head gives 1/(T−k̂) to " +
				"each of its tokens and the rest to token 1, which layer 3 subtracts by its position; its β is Kβ " +
				"here",
		}, several, equation3Rows},
	)
	return append(list, sampleCount(several))
}

// closed returns the construction of a trial, its form by the forward pass (got) and its
// form by the formulas (want).
func (t trial) closed() (c craft.Induction, got, want *craft.InductionForm) {
	c = t.tried()
	return c, passOf(c, t.tokens), must(c.ClosedForm(t.tokens))
}

// firstRows checks the formula for the limit of layer 1.
func firstRows(t trial) (off float64, where string, left float64) {
	_, got, want := t.closed()
	printed := craft.FillInduction(len(t.tokens), func(i, j int) float64 {
		switch {
		case i >= t.lags[0]:
			return want.Extract[i][j]
		case i == 0 && j == 0:
			return 1
		}
		return 0
	})
	off, where = firstOff(printed, got.Extract, 0)
	return off, where, gap(want.Extract, got.Extract, 0)
}

// gatherRows checks the softmax of layer 2 as written in App. G.
func gatherRows(t trial) (off float64, where string, left float64) {
	_, got, want := t.closed()
	K := len(t.lags)
	for h := range got.Gather {
		printed := craft.FillInduction(len(t.tokens), func(i, j int) float64 {
			if j > i || (i-j-h)%K != 0 {
				return 0
			}
			count := 0.0
			for m := range i + 1 {
				if (m-j-h)%K == 0 {
					count++
				}
			}
			return 1 / count
		})
		if off, where := firstOff(printed, got.Gather[h], t.longest()); off > wrong {
			return off, fmt.Sprintf(", head %d", h+1) + where, gap(want.Gather[h], got.Gather[h], 0)
		}
	}
	return 0, "", 0
}

// scoreRows checks the formula for the scores of layer 3, at the positions where it is
// defined.
func scoreRows(t trial) (off float64, where string, left float64) {
	_, got, want := t.closed()
	K, from := len(t.lags), t.longest()+len(t.lags)-1
	printed := craft.FillInduction(len(t.tokens), func(int, int) float64 { return 0 })
	for i := from; i < len(t.tokens); i++ {
		weights := t.weights(func(k int) float64 { return triedBeta * t.perHead(want.Extract, i, k) })
		for n, k := range t.lags {
			printed[i][i-k+1] = weights[n]
		}
	}
	off, where = firstOff(printed, got.Select, from)
	return off, where, gap(printed, got.Select, 2*t.longest()+K-2)
}

// perHead returns the sum in the score of layer 3 for lag k, Σ_h 1/(T_{h,i}+1) Σ_n
// p̃_{k̂+h+nK,k}, at position i, counted from 0.
func (t trial) perHead(p [][]float64, i, k int) float64 {
	K, sum := len(t.lags), 0.0
	for h := 1; h <= K; h++ {
		T, part := (i+1-t.longest()-h)/K, 0.0
		for n := 0; n <= T; n++ {
			token := t.longest() + h + n*K - 1
			part += p[token][token-k]
		}
		sum += part / float64(T+1)
	}
	return sum
}

// weights returns the attention that the given scores of the lags produce: their softmax.
func (t trial) weights(score func(k int) float64) []float64 {
	scores := make([]float64, len(t.lags))
	for n, k := range t.lags {
		scores[n] = score(k)
	}
	return softmax(scores)
}

// signedRows checks Eq. 15, which prints −β where Sec. 4.1 has 0.
func signedRows(t trial) (off float64, where string, left float64) {
	c, got, _ := t.closed()
	signed := func(blocks *craft.InductionMatrices) {
		for _, b := range blocks.Sum {
			for _, row := range b {
				for j, x := range row {
					if x == 0 {
						row[j] = -c.Beta
					}
				}
			}
		}
	}
	from := 2*t.longest() + len(t.lags) - 2
	printed := passWith(c, t.tokens, signed)
	off, where = firstOff(printed.Select, got.Select, from)
	c.Beta /= 2
	half := passWith(c, t.tokens, signed)
	return off, where, gap(half.Select, got.Select, from)
}

// equation3Rows compares the construction with Eq. 3 from the first transition on. The
// corrected construction equals Eq. 3 from k̂ tokens on, where weights are uniform.
func equation3Rows(t trial) (off float64, where string, left float64) {
	c, got, want := t.closed()
	eq3 := t.equation3(want.Extract, c.Beta*float64(len(t.lags)))
	off, where = firstOff(eq3, got.Select, t.longest())
	c.Average = craft.PerTransition
	exact := passOf(c, t.tokens)
	return off, where, gap(eq3, exact.Select, t.longest()-1)
}

// equation3 returns the attention of the third layer by Eq. 3, from k̂ tokens on.
func (t trial) equation3(p [][]float64, beta float64) [][]float64 {
	all := craft.FillInduction(len(t.tokens), func(int, int) float64 { return 0 })
	for i := t.longest() - 1; i < len(t.tokens); i++ {
		weights := t.weights(func(k int) float64 {
			sum := 0.0
			for m := t.longest(); m <= i; m++ {
				sum += p[m][m-k]
			}
			return beta * sum / math.Max(float64(i+1-t.longest()), 1)
		})
		for n, k := range t.lags {
			all[i][i-k+1] = weights[n]
		}
	}
	return all
}

// sampleCount checks the formula of Sec. 4.4 for the number of samples that one head
// uses.
func sampleCount(trials []trial) formula {
	f := formula{
		place: "Sec. 4.4: samples of one head", printed: "one head uses (T−k̂−1)/K + 1 samples",
		right: "⌊(T−k̂−1)/K⌋ + 1",
	}
	for _, t := range trials {
		K := float64(len(t.lags))
		for T := t.longest() + 1; T <= len(t.tokens); T++ {
			drawn := 0.0
			for j := T; j > t.longest(); j -= len(t.lags) {
				drawn++
			}
			printed := float64(T-t.longest()-1)/K + 1
			if printed != drawn && f.counter == "" {
				f.counter = fmt.Sprintf("%s, T = %d: %g, not %g", t, T, drawn, printed)
				f.off = math.Abs(printed - drawn)
			}
			f.left = worse(f.left, math.Abs(math.Floor(float64(T-t.longest()-1)/K)+1-drawn))
		}
	}
	return f
}
