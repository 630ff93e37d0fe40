package fit

import (
	"math"
	"slices"

	"foretell/internal/linalg"
	"foretell/internal/portable"
	"foretell/internal/random"
)

// model is an HMM during a fit. Its states are padded to at least four, so that one loop
// serves small models: states from k on have probability 0.
type model struct {
	k, n, a int
	p       []float64 // the matrices, then the start
	t       []float64 // [(x·n + i)·n + j]: T^x[i,j]
	start   []float64 // [i]: the probability of starting in state i
}

func newModel(k, a int) *model {
	n := max(k, 4)
	m := &model{k: k, n: n, a: a, p: make([]float64, (a*n+1)*n)}
	m.t, m.start = m.p[:a*n*n], m.p[a*n*n:]
	return m
}

// from returns m with another start.
func (m *model) from(start []float64) *model {
	next := newModel(m.k, m.a)
	copy(next.t, m.t)
	copy(next.start, start)
	return next
}

// matrices returns T^x as matrices[x][i][j], without padding.
func (m *model) matrices() [][][]float64 {
	all := make([][][]float64, m.a)
	for x := range all {
		for i := range m.k {
			all[x] = append(all[x], slices.Clone(m.row(x, i)[:m.k]))
		}
	}
	return all
}

// row returns row i of T^x, with padding.
func (m *model) row(x, i int) []float64 { return m.t[(x*m.n+i)*m.n:][:m.n] }

// net returns T = Σ_x T^x, k×k.
func (m *model) net() []float64 {
	net := make([]float64, m.k*m.k)
	for x := range m.a {
		for i := range m.k {
			for j, p := range m.row(x, i)[:m.k] {
				net[i*m.k+j] += p
			}
		}
	}
	return net
}

// emission returns Pr(x | state i) as [i·a + x].
func (m *model) emission() []float64 {
	b := make([]float64, m.k*m.a)
	for x := range m.a {
		for i := range m.k {
			for _, p := range m.row(x, i) {
				b[i*m.a+x] += p
			}
		}
	}
	return b
}

// kind is the set of models among which a fit searches.
type kind struct {
	emission Emission
	start    Start
}

// nearest replaces weights w, which have the layout of a model's numbers, by a model:
// each state's weights are divided by their sum. Where the state emits, only their sums
// over tokens and over next states count. A state without weights keeps its row of old.
func (of kind) nearest(w, old *model) {
	net, b := w.net(), w.emission()
	for i := range w.k {
		total := 0.0
		for _, p := range b[i*w.a : (i+1)*w.a] {
			total += p
		}
		for x := range w.a {
			row := w.row(x, i)
			for j := range row[:w.k] {
				switch {
				case total == 0:
					row[j] = old.row(x, i)[j]
				case of.emission == States:
					row[j] = float64(b[i*w.a+x]/total) * float64(net[i*w.k+j]/total)
				default:
					row[j] /= total
				}
			}
		}
	}
	if of.start == Stationary {
		w.leak()
		copy(w.start, w.stationary())
		return
	}
	total := 0.0
	for _, p := range w.start {
		total += p
	}
	for i := range w.start {
		w.start[i] /= total
	}
}

// leak is the probability with which a state moves to any state, where a model must have
// exactly one stationary distribution.
const leak = 1e-12

// leak lets each state move to any other, emitting as before.
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

// stationary returns the stationary distribution of a model that leaks.
func (m *model) stationary() []float64 {
	pi, ok := linalg.Stationary(m.net(), m.k)
	if !ok {
		panic("fit: a chain with positive entries has no stationary distribution")
	}
	return pi
}

// random returns a model whose rows are drawn from the flat Dirichlet distribution.
func (of kind) random(k, a int, src *random.Stream) *model {
	m := newModel(k, a)
	weight := func() float64 { return 1e-6 - portable.Log(1-src.Float64()) }
	for i := range k {
		leave, emit := make([]float64, k), make([]float64, a)
		for j := range leave {
			leave[j] = weight()
		}
		for x := range emit {
			emit[x] = weight()
		}
		for x := range a {
			for j := range leave {
				if of.emission == States {
					m.row(x, i)[j] = leave[j] * emit[x]
				} else {
					m.row(x, i)[j] = weight()
				}
			}
		}
		m.start[i] = weight()
	}
	of.nearest(m, m)
	return m
}

// fresh is the share of even rows in a model that continues on other tokens.
const fresh = 1e-3

// freshened returns m with a share of even rows, so that tokens and words that it has not
// seen are possible.
func (of kind) freshened(m *model) *model {
	next := m.from(m.start)
	for i := range m.k {
		next.start[i] = float64(m.start[i]*(1-fresh)) + fresh/float64(m.k)
		for x := range m.a {
			row := next.row(x, i)
			for j, p := range row[:m.k] {
				row[j] = float64(p*(1-fresh)) + fresh/float64(m.a*m.k)
			}
		}
	}
	of.nearest(next, m)
	return next
}

// negligible is the expected number of uses below which a step sets an entry to 0. It
// would only slow the arithmetic.
const negligible = 1e-30

// maximise returns the model that the expected counts of m suggest, the M-step.
func (of kind) maximise(m *model, e *expected) *model {
	next := newModel(m.k, m.a)
	for i, c := range e.counts.p {
		if c > negligible {
			next.p[i] = c
		}
	}
	if of.start == Stationary {
		next.addStart(m, e.counts.start)
	}
	of.nearest(next, m)
	return next
}

// addStart adds to the counts c of the edges of m the effect that they have on the start,
// which is π. With the posterior γ of the start state, the gradient of the likelihood is
//
//	∂/∂T^x[i,j] (Σ_k γ_k ln π_k) = π_i·(Zw)_j,   w_k = γ_k/π_k,   Z = (1 − T + 1π)⁻¹
//
// up to a constant for each row (Z is the fundamental matrix of Kemeny and Snell), so
// where counts plus T·gradient repeat T, the likelihood is stationary. A count loses at
// most nine tenths.
func (c *model) addStart(m *model, posterior []float64) {
	k := m.k
	net := m.net()
	pi := m.stationary()
	system := make([]float64, (k+1)*(k+1)) // (1 − T + 1π | −w), and a row of zeros
	for i := range k {
		for j := range k {
			system[i*(k+1)+j] = pi[j] - net[i*k+j]
		}
		system[i*(k+1)+i]++
		system[i*(k+1)+k] = -posterior[i] / pi[i]
	}
	solution := linalg.NullVector(system, k+1)
	for i := range k {
		mean := 0.0
		for j := range k {
			mean += float64(net[i*k+j] * solution[j])
		}
		for x := range m.a {
			to, row := c.row(x, i), m.row(x, i)
			for j := range k {
				change := float64(row[j]*pi[i]) * (solution[j] - mean) / solution[k]
				to[j] = max(to[j]+change, to[j]/10)
			}
		}
	}
}

// extrapolate returns the point of scheme S3 of Varadhan and Roland (2008) beyond three
// models, each one EM step after the other, and its step length, 1 … most. Length 1 leads
// to m2. An entry falls to a tenth at most.
func (of kind) extrapolate(m0, m1, m2 *model, most float64) (beyond *model, length float64) {
	steps, turns := 0.0, 0.0
	for i, p := range m1.p {
		r := p - m0.p[i]
		v := m2.p[i] - p - r
		steps += float64(r * r)
		turns += float64(v * v)
	}
	length = 1
	if turns > 0 {
		length = max(1, min(most, math.Sqrt(steps/turns)))
	}
	beyond = newModel(m0.k, m0.a)
	for i, p := range m1.p {
		r := p - m0.p[i]
		v := m2.p[i] - p - r
		beyond.p[i] = max(m0.p[i]+float64(2*length*r)+float64(length*length*v), m2.p[i]/10)
	}
	of.nearest(beyond, m2)
	return beyond, length
}
