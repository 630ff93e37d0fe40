package series

import (
	"context"
	"fmt"
	"math"

	"foretell/contexttree"
	"foretell/internal/random"
)

// ContextTree forecasts the cell of the next value by the mixture of all context trees of
// up to Depth past cells ([contexttree.Tree]). It continues to learn from each value
// after it was forecast. After a missing value it begins a new context. Forecasts of more
// than one step are means over simulated continuations. It forecasts no more than 200
// steps.
type ContextTree struct {
	// Depth is the largest number of past cells; 0 for 5.
	Depth int
	// Seed is the seed of the continuations.
	Seed uint64
}

// Name returns "context tree".
func (ContextTree) Name() string { return "context tree" }

// Fit returns an error if the tree would not fit into memory.
func (f ContextTree) Fit(ctx context.Context, past Past) (Model, error) {
	if f.Depth == 0 {
		f.Depth = defaultDepth
	}
	tree, err := contexttree.New(contexttree.Options{Alphabet: past.Cells.Levels()[0], Depth: f.Depth})
	if err != nil {
		return nil, err
	}
	m := &branching{
		name: fmt.Sprintf("%s(%d)", f.Name(), f.Depth), tree: tree, cells: past.Cells, depth: f.Depth, seed: f.Seed,
	}
	for i, x := range past.Values {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := m.learn(x); err != nil {
			return nil, err
		}
	}
	return m, nil
}

const (
	defaultDepth  = 5   // of context trees
	continuations = 200 // simulated for forecasts of several steps
	farthest      = 200 // steps ahead; the simulation of more takes minutes
	longestPast   = 4096
)

// branching is a context tree on the cells of a series.
type branching struct {
	name  string
	tree  *contexttree.Tree
	cells *Cells
	depth int
	seed  uint64
	past  []int32 // the cells since the last missing value, or the last depth of them
	seen  uint64  // the number of values so far
	full  bool    // the tree takes no more nodes, and learns no more
}

func (m *branching) Name() string { return m.name }

// learn gives the tree the next value. It returns an error if the tree would exceed its
// budget of nodes; then it keeps what it has learned, and learns no more.
func (m *branching) learn(x float64) (err error) {
	m.seen++
	if math.IsNaN(x) {
		m.past = m.past[:0]
		m.tree.Restart()
		return nil
	}
	cell, _, _ := m.cells.cell(x)
	if !m.full {
		err = m.tree.Observe(cell)
		m.full = err != nil
	}
	if len(m.past) > m.depth+longestPast {
		m.past = append(m.past[:0], m.past[len(m.past)-m.depth:]...)
	}
	m.past = append(m.past, int32(cell))
	return err
}

// Observe gives the tree the next value.
func (m *branching) Observe(x float64) { _ = m.learn(x) }

// Forecast returns nothing while the context is incomplete.
func (m *branching) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	if len(m.past) < m.depth {
		return all
	}
	levels := m.cells.Levels()[0]
	next := make([]float64, levels)
	m.tree.After(next, m.past)
	all[0] = m.cells.Distribution(next)
	if h == 1 {
		return all
	}
	h = min(h, farthest)
	sums := make([][]float64, h)
	for k := range sums {
		sums[k] = make([]float64, levels)
	}
	stream := random.New(m.seed, "series/tree", m.seen)
	for range continuations {
		path := append(make([]int32, 0, m.depth+h), m.past[len(m.past)-m.depth:]...)
		for k := range h {
			m.tree.After(next, path)
			for z, p := range next {
				sums[k][z] += p / continuations
			}
			path = append(path, int32(symbolAt(next, stream.Float64())))
		}
	}
	for k := 1; k < h; k++ {
		all[k] = m.cells.Distribution(sums[k])
	}
	return all
}

// symbolAt returns the index at which the sum of probabilities passes u.
func symbolAt(probabilities []float64, u float64) int {
	for z, p := range probabilities {
		if u -= p; u < 0 {
			return z
		}
	}
	return len(probabilities) - 1
}
