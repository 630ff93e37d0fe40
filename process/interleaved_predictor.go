package process

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"foretell/internal/portable"
)

// equalLikelihood is the difference of log-likelihoods, in nats, up to which two lags
// count as equally likely. It is far above the rounding error of about 1e-16 per token.
const equalLikelihood = 1e-9

// Predictor returns the Bayesian model average of D'Angelo et al. 2025, Sec. 3, the
// optimal predictor: rows x_{t−k} of P, weighted by the posterior over lags k, and π for
// the first k̂ tokens. Log-likelihoods are kept relative to the largest, so they do not
// underflow however long the sequence is. A token is refused if it has probability 0
// under every lag that allows the earlier tokens. A token to which Next gives 0 may still
// be possible, if the lags that allow it have posteriors below about e^−745.
func (c *Interleaved) Predictor() Predictor { return c.newPredictor((*lagPredictor).average) }

// ML returns the maximum-likelihood predictor of D'Angelo et al. 2025, Eq. 2: row
// x_{t−k} of P for the lag k under which the tokens before t are most likely, and π for
// the first k̂ tokens. If several lags are equally likely, within 1e-9 nats, it takes
// the smallest. It refuses the same tokens as Predictor. If P has zeros, a token to
// which it gives probability 0 can therefore occur.
func (c *Interleaved) ML() Predictor { return c.newPredictor((*lagPredictor).likeliest) }

// Posterior returns the probability of each lag, in the order of Lags, given the tokens
// of a sequence of any length. Up to k̂ tokens it is uniform. It returns an error if the
// sequence cannot occur.
func (c *Interleaved) Posterior(sequence []int32) ([]float64, error) {
	p := c.newPredictor((*lagPredictor).average)
	for _, z := range sequence {
		if err := p.Observe(int(z)); err != nil {
			return nil, err
		}
	}
	return slices.Clone(p.posterior()), nil
}

// lagPredictor tracks the likelihood of every lag.
type lagPredictor struct {
	c    *Interleaved
	mix  func(p *lagPredictor, dst []float64) // the prediction after k̂ tokens or more
	seen int
	last []int // the last k̂ tokens; token t, counted from 1, is at index (t−1) mod k̂

	relative, spare []float64 // [lag]: ln of the likelihood divided by the largest one
	weights         []float64 // [lag]: its posterior probability

	// sums is Σ of p̃ over the past transitions, by lag, and beta is β (both of
	// SelectiveInduction). sums is nil if mix does not use it.
	sums []float64
	beta float64
}

func (c *Interleaved) newPredictor(mix func(*lagPredictor, []float64)) *lagPredictor {
	k := len(c.lags)
	return &lagPredictor{
		c: c, mix: mix, last: make([]int, c.longest()),
		relative: make([]float64, k), spare: make([]float64, k), weights: make([]float64, k),
	}
}

func (p *lagPredictor) Next(dst []float64) {
	if len(dst) != p.c.Alphabet() {
		panic(fmt.Sprintf("process: Next: dst has %d entries, but interleaved has %d tokens", len(dst), p.c.Alphabet()))
	}
	if p.seen < len(p.last) {
		copy(dst, p.c.pi)
		return
	}
	p.mix(p, dst)
}

// average sets dst to the Bayesian model average.
func (p *lagPredictor) average(dst []float64) {
	clear(dst)
	for k, weight := range p.posterior() {
		for z, q := range p.c.p[p.back(k)] {
			dst[z] += float64(weight * q)
		}
	}
}

// likeliest sets dst to the prediction of the lag with the largest likelihood.
func (p *lagPredictor) likeliest(dst []float64) {
	k := slices.IndexFunc(p.relative, func(l float64) bool { return l >= -equalLikelihood })
	copy(dst, p.c.p[p.back(k)])
}

// back returns the token on which the next token depends if the lag is lags[k].
func (p *lagPredictor) back(k int) int {
	return p.last[(p.seen-p.c.lags[k])%len(p.last)]
}

// posterior returns the probabilities of the lags, valid until the next call.
func (p *lagPredictor) posterior() []float64 {
	total := 0.0
	for k, l := range p.relative {
		p.weights[k] = portable.Exp(l)
		total += p.weights[k]
	}
	for k := range p.weights {
		p.weights[k] /= total
	}
	return p.weights
}

func (p *lagPredictor) Observe(token int) error {
	if err := checkToken(p.c, token, p.seen+1); err != nil {
		return err
	}
	possible := p.c.pi[token] > 0
	if p.seen >= len(p.last) {
		possible = p.weigh(token)
	}
	if !possible {
		return impossible(p.c.Name(), strconv.Itoa(token), p.seen+1)
	}
	p.last[p.seen%len(p.last)] = token
	p.seen++
	return nil
}

// weigh updates the likelihoods with a token. If the token cannot occur under any lag,
// it returns false and leaves the likelihoods unchanged.
func (p *lagPredictor) weigh(token int) bool {
	for k, l := range p.relative {
		p.spare[k] = l + p.c.logs[p.back(k)][token]
	}
	best := slices.Max(p.spare)
	if math.IsInf(best, -1) {
		return false
	}
	for k := range p.spare {
		p.spare[k] -= best
	}
	p.relative, p.spare = p.spare, p.relative
	if p.sums != nil {
		p.addNormalised(token)
	}
	return true
}

func (p *lagPredictor) Reset() {
	p.seen = 0
	clear(p.relative)
	clear(p.sums)
}
