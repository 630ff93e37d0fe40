package induction

import (
	"math"

	"foretell/process"

	"gonum.org/v1/gonum/stat"
)

// curve is a predictor's divergence along N sequences of T tokens, D_KL(true next token ‖
// predicted), in nats: (N, T), at each position given the tokens up to it.
type curve struct {
	context int
	kl      []float64
}

// predicted returns the curve of a predictor that observes the tokens one by one.
func (c *chains) predicted(by process.Predictor) curve {
	found := curve{c.context, make([]float64, len(c.tokens))}
	next, stationary := make([]float64, c.process.Alphabet()), c.process.Stationary()
	for n := range c.count() {
		by.Reset()
		for t, token := range c.sequence(n) {
			mustObserve(by, token)
			by.Next(next)
			found.kl[n*c.context+t] = divergence(c.next(n, t+1, stationary), next)
		}
	}
	return found
}

// divergence returns D_KL(p ‖ q), in nats.
func divergence(p, q []float64) float64 {
	sum := 0.0
	for z, of := range p {
		if of > 0 {
			sum += of * math.Log(of/q[z])
		}
	}
	return sum
}

// count returns the number of sequences.
func (c curve) count() int { return len(c.kl) / c.context }

// at returns the mean over sequences at each position.
func (c curve) at() []float64 {
	mean := make([]float64, c.context)
	for i, x := range c.kl {
		mean[i%c.context] += x / float64(c.count())
	}
	return mean
}

// from returns, for each sequence, the mean over the positions from first (counted from
// 1) to the last.
func (c curve) from(first int) []float64 {
	list := make([]float64, c.count())
	for n := range list {
		list[n] = stat.Mean(c.kl[n*c.context+first-1:(n+1)*c.context], nil)
	}
	return list
}

// above returns how far the curve is above another one for the same sequences: the mean
// difference over positions from first on, and its standard error over sequences.
func (c curve) above(other curve, first int) (mean, se float64) {
	here, there := c.from(first), other.from(first)
	for n := range here {
		here[n] -= there[n]
	}
	return stat.Mean(here, nil), stat.StdErr(stat.StdDev(here, nil), float64(len(here)))
}
