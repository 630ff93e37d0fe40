package fit

import (
	"cmp"
	"slices"

	"foretell/process"
)

// unused is the expected number of uses below which an entry of a process is 0.
const unused = 1e-9

// process makes a process of the model that a climb reached, and returns that model with
// the process's numbers. Entries that the sequence does not use become 0. Where several
// sets of states are then never left, each state leaks to all others.
func (c *climb) process(name string, names []string) (*model, *process.HMM, error) {
	m := newModel(c.at.k, c.at.a)
	for i, p := range c.at.p {
		if c.e.counts.p[i] >= unused {
			m.p[i] = p
		}
	}
	kind{Edges, Free}.nearest(m, c.at)
	m = m.ordered(stationary(m.net(), m.k))
	m.exact()
	h, err := process.New(name, names, numbered(m.k), m.matrices())
	if err != nil {
		m.leak()
		m.exact()
		h, err = process.New(name, names, numbered(m.k), m.matrices())
	}
	return m, h, err
}

// ordered returns m with its states in the order of pi, the largest first.
func (m *model) ordered(pi []float64) *model {
	order := make([]int, m.k)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(pi[j], pi[i]) })
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

// leak moves each state to any other with the probability leak, emitting as before.
func (m *model) leak() {
	b := m.emission()
	for x := range m.a {
		for i := range m.k {
			row := m.row(x, i)
			for j := range row[:m.k] {
				row[j] = float64(row[j]*(1-leak)) + float64(b[i*m.a+x]*(leak/float64(m.k)))
			}
		}
	}
}

// exact changes the last digits of each state's largest entry until all its entries, in
// the order in which process.New adds them, sum to exactly 1. New then divides by 1, and a
// file of the process reads back to the same bits.
func (m *model) exact() {
	for i := range m.k {
		for range 20 {
			total, largest := 0.0, &m.row(0, i)[0]
			for x := range m.a {
				row := m.row(x, i)[:m.k]
				for j, p := range row {
					total += p
					if p > *largest {
						largest = &row[j]
					}
				}
			}
			if total == 1 {
				break
			}
			*largest += 1 - total
		}
	}
}
