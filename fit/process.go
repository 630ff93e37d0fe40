package fit

import (
	"cmp"
	"math"
	"slices"

	"foretell/process"
)

// unused is the expected number of uses below which an entry of a process is 0.
const unused = 1e-6

// process makes a process of the model that a climb reached, and returns that model with
// the process's numbers. With a free start, entries that the sequence does not use become
// 0. Where several sets of states are then never left, each state leaks to all others.
func (c *climb) process(name string, names []string) (*model, *process.HMM, error) {
	m := c.at.from(c.at.start)
	if c.of.start == Free {
		m = c.used()
	}
	leaky := m.from(m.start)
	leaky.leak()
	order := leaky.order()
	m = m.ordered(order)
	m.exact()
	h, err := process.New(name, names, numbered(m.k), m.matrices())
	if err != nil {
		m = leaky.ordered(order)
		m.exact()
		h, err = process.New(name, names, numbered(m.k), m.matrices())
	}
	if err == nil && c.of.start == Stationary {
		copy(m.start, h.Stationary())
	}
	return m, h, err
}

// used returns the model without what the sequence does not use: edges, or moves and
// emissions where the states emit.
func (c *climb) used() *model {
	m, uses := c.at.from(c.at.start), c.e.counts
	moves, emissions := uses.net(), uses.emission()
	for i := range m.k {
		if uses.start[i] < unused {
			m.start[i] = 0
		}
		for x := range m.a {
			for j, edge := range uses.row(x, i)[:m.k] {
				if c.of.emission == States {
					edge = min(moves[i*m.k+j], emissions[i*m.a+x])
				}
				if edge < unused {
					m.row(x, i)[j] = 0
				}
			}
		}
	}
	c.of.nearest(m, c.at)
	return m
}

// order returns the states in the order of their stationary probabilities, the largest
// first.
func (m *model) order() []int {
	order, pi := make([]int, m.k), m.stationary()
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(pi[j], pi[i]) })
	return order
}

// ordered returns m with its states in another order.
func (m *model) ordered(order []int) *model {
	next := newModel(m.k, m.a)
	for i, from := range order {
		next.start[i] = m.start[from]
		for x := range m.a {
			for j, to := range order {
				next.row(x, i)[j] = m.row(x, from)[to]
			}
		}
	}
	return next
}

// exact rounds all entries to multiples of 2⁻⁵³, the largest of each state so that its
// entries sum to 1. Such sums are exact in any order, so process.New divides by 1, and a
// file of the process reads back to the same bits.
func (m *model) exact() {
	const unit = 0x1p-53
	for i := range m.k {
		rest, largest := 1.0, &m.row(0, i)[0]
		for x := range m.a {
			row := m.row(x, i)
			for j, p := range row[:m.k] {
				if p > *largest {
					largest = &row[j]
				}
				row[j] = float64(math.Round(p/unit) * unit)
				rest -= row[j]
			}
		}
		*largest += rest
	}
}
