package process

import (
	"math"
	"slices"

	"foretell/internal/portable"
)

// equalMean is the largest difference between two means of normalised transition
// probabilities that count as equal. It is far above rounding errors.
const equalMean = 1e-12

// SelectiveInduction returns the predictor of a selective induction head, D'Angelo et
// al. 2025, Eq. 3: after T tokens, a mixture of rows x_{t−k} of P with weights
// proportional to
//
//	exp(β/(T−k̂)·Σ_{i=k̂+1}^{T} p̃_{i,k}),   p̃_{i,k} = P[x_{i−k}][x_i] / Σ_l P[x_{i−l}][x_i],
//
// where l runs over all lags. β = +Inf is the limit, a head that copies from one lag
// (Sec. 4.2); lags whose means are equal, within 1e-12, then share the weight equally.
// After exactly k̂ tokens, when there is nothing to average, all lags have equal weights.
// Earlier it predicts π, as Predictor does. It refuses the same tokens as Predictor. For
// K lags an observation takes time O(K), and a prediction combines K rows of P.
// SelectiveInduction returns an error if β is not a number or is negative.
func (c *Interleaved) SelectiveInduction(beta float64) (Predictor, error) {
	if !(beta >= 0) {
		return nil, badParam("interleaved", "beta", "= %g is not in [0, +Inf]", beta)
	}
	p := c.newPredictor((*lagPredictor).selective)
	p.sums, p.beta = make([]float64, len(c.lags)), beta
	return p, nil
}

// NormalisedTransitions returns p̃, the normalised transition probabilities of D'Angelo
// et al. 2025, Sec. 4.1, of each token of a sequence after the first k̂: row t−k̂−1 is
// for token t = k̂+1 …, with an entry for each lag in the order of Lags. Rows sum to one.
// NormalisedTransitions returns an error if the sequence cannot occur.
func (c *Interleaved) NormalisedTransitions(sequence []int32) ([][]float64, error) {
	p := c.newPredictor((*lagPredictor).average)
	p.sums = make([]float64, len(c.lags))
	var rows [][]float64
	for _, z := range sequence {
		clear(p.sums)
		if err := p.Observe(int(z)); err != nil {
			return nil, err
		}
		if p.seen > len(p.last) {
			rows = append(rows, slices.Clone(p.sums))
		}
	}
	return rows, nil
}

// addNormalised adds the normalised transition probabilities of the next token, which
// must be possible under some lag.
func (p *lagPredictor) addNormalised(token int) {
	total := 0.0
	for k := range p.sums {
		total += p.c.p[p.back(k)][token]
	}
	for k := range p.sums {
		p.sums[k] += p.c.p[p.back(k)][token] / total
	}
}

// selective sets dst to the mixture of rows that [Interleaved.SelectiveInduction]
// defines.
func (p *lagPredictor) selective(dst []float64) {
	best, count := slices.Max(p.sums), float64(max(p.seen-len(p.last), 1))
	total := 0.0
	for k, sum := range p.sums {
		behind := (sum - best) / count
		switch {
		case !math.IsInf(p.beta, 1):
			p.weights[k] = portable.Exp(p.beta * behind)
		case behind >= -equalMean:
			p.weights[k] = 1
		default:
			p.weights[k] = 0
		}
		total += p.weights[k]
	}
	clear(dst)
	for k, weight := range p.weights {
		for z, q := range p.c.p[p.back(k)] {
			dst[z] += float64(weight / total * q)
		}
	}
}
