package process

import "foretell/internal/portable"

// control is a program as a graph: in each of its states it takes one of a few branches
// at random, and the branch writes a token. It starts in state 0 with an empty memory.
//
// The branches of a state write different tokens, so that the token tells the branch; and
// how well it can be foretold depends on the state alone, whatever is in memory. So the
// floors are those of a Markov chain on the states.
type control struct {
	alphabet int
	states   [][]branch
	longRun  float64 // mean floor of the long run, in nats
}

// branch writes one of n tokens from first on.
type branch struct {
	p           float64 // probability in its state
	to          int     // state after it
	first, n    int
	recall      func(*memory) int          // the token that follows from the memory; nil for one drawn uniformly
	keep        func(m *memory, token int) // what the memory makes of the token; nil for nothing
	retrieval   bool                       // the token is a retrieval step
	frequencies []float64                  // [n]: of the tokens, whatever is in memory; nil where all are alike
}

// memory is what a program has kept of its tokens.
type memory struct {
	counted             int   // the last number counted
	stack               []int // tags of the brackets that are open
	operation, argument int   // of routing
}

// counting is the branch that counts 0 … n−1 round and round: on from the last number,
// or from one drawn uniformly at first.
func counting(p float64, to, n int, first bool) branch {
	b := branch{p: p, to: to, n: n, keep: func(m *memory, token int) { m.counted = token }}
	if !first {
		b.recall = func(m *memory) int { return (m.counted + 1) % n }
	}
	return b
}

// choices returns how many tokens the branch can write, given the memory.
func (b *branch) choices() float64 {
	if b.recall != nil {
		return 1
	}
	return float64(b.n)
}

// writes says whether the branch can write a token.
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

// branch returns the branch that writes a token of positive probability.
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

// expect follows the distribution over states from position to position.
func (c *control) expect(positions int) expectation {
	e := expectation{tokens: make([]float64, c.alphabet)}
	taken := make([][]float64, len(c.states)) // [state][branch]: how often, over all positions
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
// probability of the most likely one.
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
