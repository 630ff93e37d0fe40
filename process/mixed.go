package process

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/portable"
)

// mergeDistance is the largest difference in any entry, times the scale of its state (see
// table.scale), at which two beliefs count as equal. Sequences that lead to the same
// belief reach it with rounding errors of about 1e-16 per step; beliefs that differ by
// less than mergeDistance give floors that differ by about as much.
const mergeDistance = 1e-13

// mixedStates is a distribution over beliefs: the mixed states of the process, to which
// the sequences of one length lead. A belief that several sequences lead to is stored
// once, with the sum of their probabilities, so for a process with few beliefs it stays
// small at any length.
type mixedStates struct {
	n       int
	scale   []float64 // [state]: see table.scale
	prob    []float64 // [k]: the probability of belief k
	beliefs []float64 // [k·n … (k+1)·n−1]: belief k
	labels  []int32   // [k]: the label of belief k; empty if beliefs have no labels (see Interleaved)

	// index finds a belief by its label and its projection on a line: beliefs within
	// mergeDistance are in the same cell of the line or in adjacent cells.
	index map[int64]int32 // [label·cells + cell]: the last belief put there
	older []int32         // [k]: the belief put in the same cell before k, or −1
	// moved is a sum over all merges: the probability of the merged belief times the
	// beliefDistance by which it moved.
	moved float64
}

// cell is the width of the cells of the index: much wider than mergeDistance, so a
// neighbouring cell is seldom searched, and much narrower than the spacing of beliefs.
const cell = 1e-10

// cells exceeds the number of cells for projections in [0, 1], so the cells of different
// labels do not overlap. Beliefs with labels have no negative entries.
const cells = 1 << 34

func newMixedStates(scale []float64) *mixedStates {
	return &mixedStates{n: len(scale), scale: scale, index: map[int64]int32{}}
}

// size returns the number of distinct beliefs.
func (m *mixedStates) size() int { return len(m.prob) }

func (m *mixedStates) belief(k int) []float64 { return m.beliefs[k*m.n : (k+1)*m.n] }

// add adds probability p to belief b, which it copies if it is new, and returns its
// index.
func (m *mixedStates) add(b []float64, p float64) int { return m.addAt(0, b, p) }

// addWith does the same as add for a belief with a label. Beliefs are merged only if they
// have the same label.
func (m *mixedStates) addWith(label int32, b []float64, p float64) int {
	k := m.addAt(int64(label)*cells, b, p)
	if k == len(m.labels) {
		m.labels = append(m.labels, label)
	}
	return k
}

// addAt does the same as add for a belief whose cells are numbered from origin.
func (m *mixedStates) addAt(origin int64, b []float64, p float64) int {
	at := projection(b, m.scale) / cell
	floor := math.Floor(at)
	home := origin + int64(floor)
	const near = mergeDistance / cell
	k := m.find(home, b)
	if k < 0 && at-floor <= near {
		k = m.find(home-1, b)
	}
	if k < 0 && floor+1-at <= near {
		k = m.find(home+1, b)
	}
	if k >= 0 {
		m.prob[k] += p
		m.moved += float64(p * beliefDistance(m.belief(int(k)), b, m.scale))
		return int(k)
	}
	older, ok := m.index[home]
	if !ok {
		older = -1
	}
	m.index[home] = int32(m.size())
	m.older = append(m.older, older)
	m.prob = append(m.prob, p)
	m.beliefs = append(m.beliefs, b...)
	return m.size() - 1
}

// find returns the index of a belief that is in the cell and within mergeDistance of b,
// or −1.
func (m *mixedStates) find(cell int64, b []float64) int32 {
	k, ok := m.index[cell]
	if !ok {
		return -1
	}
	for k >= 0 && beliefDistance(m.belief(int(k)), b, m.scale) > mergeDistance {
		k = m.older[k]
	}
	return k
}

// projection maps a belief to a line. Beliefs within a beliefDistance of d are mapped
// to points within d, because the weights, multiples of the golden ratio modulo one,
// are divided by their number. No symmetry of a process is a symmetry of the weights.
func projection(b, scale []float64) float64 {
	const golden = 0.6180339887498949
	at, weight := 0.0, 0.0
	for i, p := range b {
		weight += golden
		weight -= math.Floor(weight)
		at += float64(weight * float64(p*scale[i]))
	}
	return at / float64(len(b))
}

// distance returns the largest difference between entries of a and b.
func distance(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// beliefDistance returns the largest difference between entries of two beliefs, times
// the scale of the state.
func beliefDistance(a, b, scale []float64) float64 {
	d := 0.0
	for i, s := range scale {
		d = max(d, math.Abs(a[i]-b[i])*s)
	}
	return d
}

// mostNumbers bounds the entries of all beliefs held at one position: 256 MiB.
const mostNumbers = 1 << 25

// mostBeliefs returns the smaller of budget and the number of beliefs of n entries for
// which mostNumbers has room.
func mostBeliefs(budget, n int) int { return min(budget, mostNumbers/n) }

// advance returns the mixed states one token later. It returns an error if there are more
// than budget beliefs, if they take more memory than mostNumbers allows, or if ctx ends.
func (h *HMM) advance(ctx context.Context, m *mixedStates, budget int) (*mixedStates, error) {
	budget = mostBeliefs(budget, m.n)
	next := newMixedStates(m.scale)
	next.moved = m.moved
	next.beliefs = make([]float64, 0, len(m.beliefs)) // the number of beliefs often stays the same
	b := make([]float64, m.n)
	for k, p := range m.prob {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for z := range h.matrices {
			if q := h.update(b, m.belief(k), z); q > 0 {
				next.add(b, p*q)
			}
		}
		if next.size() > budget {
			return nil, fmt.Errorf("%s: more than %d distinct beliefs", h.name, budget)
		}
	}
	return next, nil
}

// work returns the number of products that advance takes.
func (h *HMM) work(m *mixedStates) int64 {
	entries := int64(0)
	for _, p := range m.beliefs {
		if p != 0 {
			entries++
		}
	}
	return entries * int64(m.n*h.Alphabet())
}

// nextEntropy returns Σ_k prob_k·H(next token | belief k) in nats.
func (h *HMM) nextEntropy(ctx context.Context, m *mixedStates) (float64, error) {
	q := make([]float64, h.Alphabet())
	return m.mean(ctx, func(k int) float64 { return portable.Entropy(h.nextInto(q, m.belief(k))) })
}

// meanOf computes a mean over mixed states. It returns an error if ctx ends.
type meanOf func(ctx context.Context, m *mixedStates) (float64, error)

// mean returns Σ_k prob_k·f(k), where f takes the index of a belief. The sum is
// compensated, so millions of terms lose no digit. mean returns an error if ctx ends.
func (m *mixedStates) mean(ctx context.Context, f func(k int) float64) (float64, error) {
	sum, lost := 0.0, 0.0
	for k, p := range m.prob {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		term := float64(p*f(k)) - lost
		next := sum + term
		lost = (next - sum) - term
		sum = next
	}
	return sum, nil
}
