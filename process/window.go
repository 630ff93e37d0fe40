package process

import (
	"fmt"

	"foretell/internal/portable"
)

// WindowEntropies returns the entropy of the next token, in nats, for an optimal
// observer that knows only the length of the prefix and its last k tokens. Entry t−1,
// of Length entries, is
//
//	H(X_{t+1} | X_{t−k+1} … X_t)
//
// from the start of the process. For t ≤ k it is H(X_{t+1} | X_1 … X_t), the floor of
// position t+1. With k = 0 only the length is known. If every prefix is in the table it
// is exact, even for a process that is not stationary. For sampled prefixes it is the
// entropy given by their pooled predictions, which is too low if few prefixes share a
// window.
//
// It panics when k is negative.
func (p *Prefixes) WindowEntropies(k int) []float64 {
	windows, next, weights := p.observe(k)
	entropies, seen := make([]float64, p.Length), make([]bool, len(weights))
	for t := range entropies {
		from, to := p.Range(t + 1)
		for row := from; row < to; row++ {
			if window := windows[row]; !seen[window] {
				seen[window] = true
				given := next[window*p.Alphabet:][:p.Alphabet]
				entropies[t] += float64(weights[window] * portable.Entropy(given))
			}
		}
	}
	return entropies
}

// WindowNext returns the prediction of the observer of [Prefixes.WindowEntropies] after
// each prefix: the distribution of the next token, (rows, A), with zeros after a prefix
// whose window cannot occur. It panics when k is negative.
func (p *Prefixes) WindowNext(k int) []float64 {
	windows, given, _ := p.observe(k)
	next := make([]float64, len(p.Next))
	for row, window := range windows {
		copy(next[row*p.Alphabet:(row+1)*p.Alphabet], given[window*p.Alphabet:])
	}
	return next
}

// observe returns the number of each prefix's window, (rows), and for each window the
// distribution of the next token, (windows, A), and its probability.
func (p *Prefixes) observe(k int) (windows []int, next, weights []float64) {
	if k < 0 {
		panic(fmt.Sprintf("process: windows of %d tokens, want at least 0", k))
	}
	windows, count := p.windows(min(k, p.Length))
	next, weights = make([]float64, count*p.Alphabet), make([]float64, count)
	for row, prob := range p.Prob {
		weights[windows[row]] += prob
		for z, q := range p.NextTokens(row) {
			next[windows[row]*p.Alphabet+z] += float64(prob * q)
		}
	}
	for i := range next {
		if weight := weights[i/p.Alphabet]; weight > 0 {
			next[i] /= weight
		}
	}
	return windows, next, weights
}

// windows numbers the windows. A window is the length of a prefix together with its last
// k tokens. It returns the number of each prefix's window, and how many windows there
// are.
func (p *Prefixes) windows(k int) (ids []int, count int) {
	ids = make([]int, p.Rows())
	if k == p.Length { // every prefix is its own window
		for row := range ids {
			ids[row] = row
		}
		return ids, len(ids)
	}
	for t := range p.Length {
		from, to := p.Range(t + 1)
		for row := from; row < to; row++ {
			ids[row] = t
		}
	}
	count = p.Length
	for range k {
		ids, count = p.widen(ids, count)
	}
	return ids, count
}

// widen returns the windows that are one token longer: a prefix's new window is the
// window of the prefix without its last token, followed by this token.
func (p *Prefixes) widen(ids []int, count int) (wider []int, number int) {
	type window struct{ before, last int }
	numbers := map[window]int{}
	wider = make([]int, len(ids))
	for row := range wider {
		w := window{count, p.LastToken(row)} // count represents the empty prefix
		if parent := p.Parent(row); parent >= 0 {
			w.before = ids[parent]
		}
		id, known := numbers[w]
		if !known {
			id = len(numbers)
			numbers[w] = id
		}
		wider[row] = id
	}
	return wider, len(numbers)
}
