package process

import "foretell/internal/portable"

// control is a program in the form of a graph: in each state it takes one of a few
// branches at random, and the branch writes a token. It starts in state 0 with an empty
// memory.
//
// The branches of a state write different tokens, so the token identifies the branch. The
// entropy of the next token depends on the state alone, whatever is in memory, so the
// floors are the same as for a Markov chain on the states.
type control struct {
	alphabet int
	states   [][]branch
	longRun  float64 // mean floor in the long run, in nats
}

// branch writes one of the n tokens first … first+n−1.
type branch struct {
	p           float64 // probability that the state takes this branch
	to          int     // the state after this branch
	first, n    int
	recall      func(*memory) int          // the token determined by the memory; nil for one drawn uniformly
	keep        func(m *memory, token int) // updates the memory with the token; nil for no update
	retrieval   bool                       // the token is a retrieval step
	frequencies []float64                  // [n]: share of each token, averaged over memories; nil if all are equal
}

// memory is what a program remembers of its earlier tokens.
type memory struct {
	counted             int   // the last number counted
	stack               []int // tags of the brackets that are open
	operation, argument int   // the current operation and its argument, in the signal routing
}

// counting returns the branch that counts 0 … n−1 cyclically, beginning after the last
// number counted. If first is true, it is the branch that writes the first number, which
// is drawn uniformly.
func counting(p float64, to, n int, first bool) branch {
	b := branch{p: p, to: to, n: n, keep: func(m *memory, token int) { m.counted = token }}
	if !first {
		b.recall = func(m *memory) int { return (m.counted + 1) % n }
	}
	return b
}

// choices returns the number of tokens that the branch can write, given the memory.
func (b *branch) choices() float64 {
	if b.recall != nil {
		return 1
	}
	return float64(b.n)
}

// writes reports whether the branch can write a token, given the memory.
func (b *branch) writes(token int, m *memory) bool {
	if b.recall != nil {
		return token == b.recall(m)
	}
	return token >= b.first && token < b.first+b.n
}

type controlRun struct {
	c      *control
	at     int
	memory memory
}

func (c *control) begin() run { return &controlRun{c: c} }

func (r *controlRun) next(dst []float64) {
	for _, b := range r.c.states[r.at] {
		if b.recall != nil {
			dst[b.recall(&r.memory)] += b.p
			continue
		}
		for z := b.first; z < b.first+b.n; z++ {
			dst[z] += b.p / float64(b.n)
		}
	}
}

func (r *controlRun) retrieves(token int) bool { return r.branch(token).retrieval }

func (r *controlRun) observe(token int) {
	b := r.branch(token)
	if b.keep != nil {
		b.keep(&r.memory, token)
	}
	r.at = b.to
}

// branch returns the branch that writes a token, which must have positive probability.
func (r *controlRun) branch(token int) *branch {
	branches := r.c.states[r.at]
	for i := range branches {
		if b := &branches[i]; b.p > 0 && b.writes(token, &r.memory) {
			return b
		}
	}
	panic("process: no branch of a program writes a token of positive probability")
}

func (r *controlRun) reset() {
	r.at = 0
	r.memory = memory{stack: r.memory.stack[:0]}
}

// expect computes the program's expected behaviour by propagating the distribution over
// states from position to position.
func (c *control) expect(positions int) expectation {
	e := expectation{tokens: make([]float64, c.alphabet)}
	taken := make([][]float64, len(c.states)) // [state][branch]: expected number of uses
	entropy, best := make([]float64, len(c.states)), make([]float64, len(c.states))
	for s, branches := range c.states {
		taken[s] = make([]float64, len(branches))
		entropy[s], best[s] = uncertainty(branches)
	}
	now, next := make([]float64, len(c.states)), make([]float64, len(c.states))
	now[0] = 1
	for range positions {
		meanEntropy, meanBest, retrieval := 0.0, 0.0, 0.0
		clear(next)
		for s, p := range now {
			if p == 0 {
				continue
			}
			meanEntropy += float64(p * entropy[s])
			meanBest += float64(p * best[s])
			for k, b := range c.states[s] {
				q := float64(p * b.p)
				taken[s][k] += q
				next[b.to] += q
				if b.retrieval {
					retrieval += q
				}
			}
		}
		e.entropy = append(e.entropy, meanEntropy)
		e.best = append(e.best, meanBest)
		e.retrieval = append(e.retrieval, retrieval)
		now, next = next, now
	}
	for s, branches := range c.states {
		for k, b := range branches {
			for offset := range b.n {
				share := 1 / float64(b.n)
				if b.frequencies != nil {
					share = b.frequencies[offset]
				}
				e.tokens[b.first+offset] += float64(taken[s][k] * share)
			}
		}
	}
	return e
}

// uncertainty returns the entropy of the token that a state writes, in nats, and the
// probability of the most likely token.
func uncertainty(branches []branch) (entropy, best float64) {
	for _, b := range branches {
		if b.p > 0 {
			entropy -= float64(b.p * portable.Log(b.p/b.choices()))
			best = max(best, b.p/b.choices())
		}
	}
	return entropy, best
}

func (c *control) rate() float64 { return c.longRun }
