package induction

import (
	"math"
	"slices"

	"foretell/process"
)

// counts holds how often each token followed each context, in the sequence so far. Its
// predictions are the means of rows of P with a flat Dirichlet prior: (n + 1) / (N + A)
// for a token that followed n of N times, in an alphabet of A tokens.
type counts map[int][]float64

// row returns the counts after a context.
func (c counts) row(context, alphabet int) []float64 {
	if c[context] == nil {
		c[context] = make([]float64, alphabet)
	}
	return c[context]
}

// share returns the predicted probability of a token, given the counts after its context.
func share(row []float64, token int) float64 {
	sum := float64(len(row))
	for _, n := range row {
		sum += n
	}
	return (row[token] + 1) / sum
}

// gram is an n-gram learned in context: it predicts from the counts after the last
// tokens, with a flat Dirichlet prior for each row. It is a process.Predictor.
type gram struct {
	order, alphabet int // the number of last tokens, and A
	seen            []int
	counts          counts
}

func newGram(order, alphabet int) *gram { return &gram{order, alphabet, nil, counts{}} }

// context returns the last tokens before token t, counted from 0, as one number.
func (g *gram) context(t int) int {
	of := 0
	for _, token := range g.seen[t-g.order : t] {
		of = of*g.alphabet + token
	}
	return of
}

// Next fills dst with the prediction, which is uniform while there are too few tokens.
func (g *gram) Next(dst []float64) {
	row := make([]float64, g.alphabet)
	if len(g.seen) >= g.order {
		row = g.counts.row(g.context(len(g.seen)), g.alphabet)
	}
	for z := range dst {
		dst[z] = share(row, z)
	}
}

// Observe appends a token.
func (g *gram) Observe(token int) error {
	if len(g.seen) >= g.order {
		g.counts.row(g.context(len(g.seen)), g.alphabet)[token]++
	}
	g.seen = append(g.seen, token)
	return nil
}

// Reset forgets every token.
func (g *gram) Reset() { g.seen, g.counts = g.seen[:0], counts{} }

// learner is the Bayesian model average over lags of an observer that does not know P: it
// learns the rows in context, for each lag on its own, from a flat Dirichlet prior, and
// weighs lags by the probability of the tokens so far. No predictor without P in its
// weights is better on matrices of this law. It is a process.Predictor.
type learner struct {
	lags     []int
	alphabet int
	seen     []int
	counts   []counts  // by lag
	log      []float64 // by lag: ln of the probability of the tokens after the first k̂
}

func newLearner(lags []int, alphabet int) *learner {
	l := &learner{lags: lags, alphabet: alphabet}
	l.Reset()
	return l
}

// Next fills dst with the prediction, which is uniform for the first k̂ tokens.
func (l *learner) Next(dst []float64) {
	if len(l.seen) < slices.Max(l.lags) {
		for z := range dst {
			dst[z] = 1 / float64(l.alphabet)
		}
		return
	}
	clear(dst)
	for k, weight := range softmax(slices.Clone(l.log)) {
		row := l.row(k)
		for z := range dst {
			dst[z] += weight * share(row, z)
		}
	}
}

// row returns the counts of the next token if the lag is the one with index k.
func (l *learner) row(k int) []float64 {
	return l.counts[k].row(l.seen[len(l.seen)-l.lags[k]], l.alphabet)
}

// Observe appends a token.
func (l *learner) Observe(token int) error {
	if len(l.seen) >= slices.Max(l.lags) {
		for k := range l.lags {
			row := l.row(k)
			l.log[k] += math.Log(share(row, token))
			row[token]++
		}
	}
	l.seen = append(l.seen, token)
	return nil
}

// Reset forgets every token.
func (l *learner) Reset() {
	l.seen, l.log, l.counts = l.seen[:0], make([]float64, len(l.lags)), make([]counts, len(l.lags))
	for k := range l.counts {
		l.counts[k] = counts{}
	}
}

// predictions returns what a predictor gives for each next token of the sequences:
// (N, T, A).
func (c *chains) predictions(by process.Predictor) []float64 {
	a := len(c.p)
	list := make([]float64, len(c.tokens)*a)
	for n := range c.count() {
		by.Reset()
		for t, token := range c.sequence(n) {
			mustObserve(by, token)
			by.Next(list[(n*c.context+t)*a:][:a])
		}
	}
	return list
}
