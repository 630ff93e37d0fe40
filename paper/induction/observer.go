package induction

import (
	"fmt"
	"math"
	"slices"
)

// observer is a Bayesian predictor that uses only some of the transitions so far as
// evidence of the lag. It predicts Σ_k w_k P[x_{t−k+1}], where w is the posterior over
// lags given these transitions. While there are fewer than k̂ tokens it predicts π, the
// stationary distribution. It is a process.Predictor.
type observer struct {
	p          [][]float64
	lags       []int
	stationary []float64

	// takes reports whether a transition is used as evidence. Its argument is the distance
	// of the transition's token from the last token.
	takes func(back int) bool
	power float64 // to which likelihoods are raised; 1 for Bayes' rule
	seen  []int
	log   [][]float64 // ln P
}

func (c *chains) observer(takes func(back int) bool) *observer {
	o := &observer{p: c.p, lags: c.lags(), stationary: c.process.Stationary(), takes: takes, power: 1}
	for _, row := range c.p {
		logs := make([]float64, len(row))
		for z, p := range row {
			logs[z] = math.Log(p)
		}
		o.log = append(o.log, logs)
	}
	return o
}

// Next fills dst with the prediction.
func (o *observer) Next(dst []float64) {
	if len(o.seen) < slices.Max(o.lags) {
		copy(dst, o.stationary)
		return
	}
	clear(dst)
	for k, weight := range o.posterior() {
		for z, p := range o.p[o.seen[len(o.seen)-o.lags[k]]] {
			dst[z] += weight * p
		}
	}
}

// posterior returns the posterior over the lags, given the transitions that are used.
func (o *observer) posterior() []float64 {
	last := len(o.seen) - 1
	weights := make([]float64, len(o.lags))
	for back := 0; last-back >= slices.Max(o.lags); back++ {
		if !o.takes(back) {
			continue
		}
		for k, lag := range o.lags {
			weights[k] += o.power * o.log[o.seen[last-back-lag]][o.seen[last-back]]
		}
	}
	return softmax(weights)
}

// softmax replaces logarithms by weights that sum to one, in place, and returns them.
func softmax(logs []float64) []float64 {
	most, total := slices.Max(logs), 0.0
	for i, x := range logs {
		logs[i] = math.Exp(x - most)
		total += logs[i]
	}
	for i := range logs {
		logs[i] /= total
	}
	return logs
}

// Observe appends a token.
func (o *observer) Observe(token int) error {
	if token < 0 || token >= len(o.p) {
		return fmt.Errorf("induction: token %d is outside the alphabet of %d tokens", token, len(o.p))
	}
	o.seen = append(o.seen, token)
	return nil
}

// Reset forgets every token.
func (o *observer) Reset() { o.seen = o.seen[:0] }
