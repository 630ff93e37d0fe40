package process

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

// TransitionMeans computes the expectations of Claim 1 of D'Angelo et al. 2025,
//
//	E[ P[X_{i−r}][X_i] / Σ_l P[X_{i−l}][X_i] ]   for each lag r,
//
// of sequences of a known lag k under Algorithm 1, without sampling. Tokens whose
// positions agree modulo k are one Markov chain and others are independent of them, as
// are those among the first k̂ from which no later one descends. With 1/Σ = ∫ e^{−tΣ} dt
// the expectation over X_i = s is therefore an integral over t of a product over chains
// of products of matrices, P^{gap}·diag(e^{−tP[·][s]}): O(K A³) for each t.
//
// The integral is a sum over some sixty points t, the trapezoid rule in ln t: its
// relative error is 2|Γ(1−2πi/h)| = 1.2e-13 for each term of the expectation, whatever P,
// and what is left out beyond the last t is below e^{−36} of it. Where t is so small that
// e^{−tΣ} is nearly a polynomial, the rule's points, which have no end there, are
// replaced by twenty. It is not safe for concurrent use.
type TransitionMeans struct {
	c      *Interleaved
	points []float64         // t
	weight []float64         // of each point
	used   []int             // [s]: how many points X_i = s takes
	decay  [][]float64       // [s]: (A, used[s]), e^{−tP[x][s]}
	powers map[int][]float64 // P^gap, flat by rows

	forward, backward [][]float64 // [lag]: (A, points)
	chains            [][]float64 // [chain]: its expectation at each point, then that of all others
}

// The trapezoid rule in ln t, and the points that stand for those below its first.
const (
	meansStep   = 0.3
	meansPoints = 20
	meansReach  = 6  // the first t of the rule is this over the number of lags
	meansTail   = 36 // where the integrand has fallen to e^−36
)

// TransitionMeans prepares the expectations.
func (c *Interleaved) TransitionMeans() *TransitionMeans {
	m := &TransitionMeans{c: c, powers: map[int][]float64{1: slices.Concat(c.p...)}}
	first := meansReach / float64(len(c.lags))
	m.points, m.weight = belowFirst(first)
	for s := range c.pi {
		m.used = append(m.used, meansPoints+1+max(0, int(math.Ceil(math.Log(meansTail/(c.leastSum(s)*first))/meansStep))))
	}
	for j := 0; len(m.points) < slices.Max(m.used); j++ {
		t := first * portable.Exp(meansStep*float64(j))
		m.points, m.weight = append(m.points, t), append(m.weight, meansStep*t)
	}
	for s := range c.pi {
		decay := make([]float64, 0, len(c.pi)*m.used[s])
		for x := range c.pi {
			for _, t := range m.points[:m.used[s]] {
				decay = append(decay, portable.Exp(-t*c.p[x][s]))
			}
		}
		m.decay = append(m.decay, decay)
	}
	for range c.lags {
		m.forward = append(m.forward, make([]float64, len(c.pi)*len(m.points)))
		m.backward = append(m.backward, make([]float64, len(c.pi)*len(m.points)))
		m.chains = append(m.chains, make([]float64, 2*len(m.points)))
	}
	return m
}

// leastSum is a positive number that Σ_l P[x_l][s] is not below where s can follow the
// true lag; 1 where it never follows.
func (c *Interleaved) leastSum(s int) float64 {
	least, positive := 1.0, 1.0
	for _, row := range c.p {
		least = min(least, row[s])
		if row[s] > 0 {
			positive = min(positive, row[s])
		}
	}
	return max(positive, least*float64(len(c.lags)))
}

// belowFirst returns points in (0, first), and weights with which functions there that
// are nearly polynomials have the sum of the trapezoid rule over all of its points
// t = first·e^{−hj}, j = 1, 2, …: that of their Lagrange interpolation at Chebyshev's
// points.
func belowFirst(first float64) (points, weights []float64) {
	const n = meansPoints
	barycentric := make([]float64, n)
	for m := range n {
		sin, cos := portable.Sincos(float64(2*m+1) * math.Pi / (2 * n))
		points = append(points, first/2*(1+cos))
		barycentric[m] = sin * float64(1-2*(m%2))
	}
	weights = make([]float64, n)
	for j := 1; ; j++ {
		t := first * portable.Exp(-meansStep*float64(j))
		if t < 1e-20*first {
			return points, weights
		}
		total := 0.0
		for m, at := range points {
			total += barycentric[m] / (t - at)
		}
		for m, at := range points {
			weights[m] += meansStep * t * barycentric[m] / (t - at) / total
		}
	}
}

// Positions returns the positions i > k̂ of sequences of a lag at which the expectations
// can differ, ascending. The last one stands for all after it, where the tokens at the
// lags are as in the stationary chain. It is an error when the lag is not of the set.
func (m *TransitionMeans) Positions(lag int) ([]int, error) {
	if !slices.Contains(m.c.lags, lag) {
		return nil, m.badLag(lag)
	}
	longest := m.c.longest()
	positions := []int{longest + 1}
	for _, l := range m.c.lags {
		if l > lag {
			positions = append(positions, longest+l-lag+1)
		}
	}
	return slices.CompactFunc(positions, func(i, j int) bool { // the first of those that are alike
		return sameLinks(m.links(lag, i), m.links(lag, j))
	}), nil
}

// At returns the expectation for each lag, in the order of Lags, at a position of
// sequences of a lag. They sum to one. It is an error when the lag is not of the set or
// the position is not above k̂.
func (m *TransitionMeans) At(lag, position int) ([]float64, error) {
	k := slices.Index(m.c.lags, lag)
	if k < 0 {
		return nil, m.badLag(lag)
	}
	if position <= m.c.longest() {
		return nil, fmt.Errorf("interleaved: position %d has no token at lag %d before it, want one above %d",
			position, m.c.longest(), m.c.longest())
	}
	links, means := m.links(lag, position), make([]float64, len(m.c.lags))
	for s := range m.c.pi {
		m.addToken(means, s, k, links)
	}
	return means, nil
}

func (m *TransitionMeans) badLag(lag int) error {
	return fmt.Errorf("interleaved: lag %d is none of %v", lag, m.c.lags)
}

// link says how the token at a lag hangs on an earlier one.
type link struct {
	from  int // the index of the lag of the token before it in its chain; −1 for its first one
	steps int // of the chain, between the two
}

func sameLinks(a, b []link) bool { return slices.Equal(a, b) }

// links says of each lag on what its token hangs, at a position of sequences of a lag.
// Those of the first k̂ tokens from which none descends are the first of their chain.
func (m *TransitionMeans) links(lag, position int) []link {
	lags, links := m.c.lags, make([]link, len(m.c.lags))
	last := map[int]int{} // [position modulo lag]: the index of the last lag of the chain
	for r := len(lags) - 1; r >= 0; r-- {
		links[r] = link{from: -1}
		at := position - lags[r]
		if at <= m.c.longest()-lag {
			continue
		}
		if before, ok := last[at%lag]; ok {
			links[r] = link{before, (lags[before] - lags[r]) / lag}
		}
		last[at%lag] = r
	}
	return links
}

// addToken adds what X_i = s has in the means, k being the index of the true lag.
func (m *TransitionMeans) addToken(means []float64, s, k int, links []link) {
	heads := m.pass(s, k, links)
	m.multiplyOthers(m.used[s], len(slices.Compact(slices.Sorted(slices.Values(heads)))))
	n := m.used[s]
	for r := range means {
		f, b, others := m.forward[r], m.backward[r], m.chains[heads[r]][n:2*n]
		for x := range m.c.pi {
			sum := 0.0
			for q := range n {
				sum += m.weight[q] * others[q] * f[x*n+q] * b[x*n+q]
			}
			means[r] += sum * m.c.p[x][s]
		}
	}
}

// pass goes through each chain forwards and backwards, and sets the expectation of the
// chain's factors. It returns the number of the chain of each lag.
func (m *TransitionMeans) pass(s, k int, links []link) (chain []int) {
	n, a, count := m.used[s], len(m.c.pi), 0
	chain = make([]int, len(links))
	follows := make([]int, len(links)) // the index of the lag of the next token of the chain
	for r := len(links) - 1; r >= 0; r-- {
		follows[r] = -1
		f := m.forward[r][:a*n]
		if from := links[r].from; from >= 0 {
			chain[r], follows[from] = chain[from], r
			mixRows(f, m.forward[from][:a*n], m.power(links[r].steps), a, n, 1, a)
		} else {
			chain[r] = count
			count++
			for x, q := range m.c.pi {
				fill(f[x*n:(x+1)*n], q)
			}
		}
		m.factor(f, s, r == k)
	}
	for r, next := range follows {
		b := m.backward[r][:a*n]
		if next < 0 {
			fill(b, 1)
			m.close(chain[r], m.forward[r], n)
			continue
		}
		ahead := slices.Clone(m.backward[next][:a*n])
		m.factor(ahead, s, next == k)
		mixRows(b, ahead, m.power(links[next].steps), a, n, a, 1)
	}
	return chain
}

// factor multiplies (A, n) by e^{−tP[x][s]}, and by P[x][s] at the true lag.
func (m *TransitionMeans) factor(v []float64, s int, isTrue bool) {
	n := m.used[s]
	for i, d := range m.decay[s] {
		v[i] *= d
	}
	if isTrue {
		for x := range m.c.pi {
			p := m.c.p[x][s]
			for q := range n {
				v[x*n+q] *= p
			}
		}
	}
}

// close sets the expectation of a chain's factors from its last token.
func (m *TransitionMeans) close(chain int, last []float64, n int) {
	sums := m.chains[chain][:n]
	clear(sums)
	for x := range m.c.pi {
		for q := range n {
			sums[q] += last[x*n+q]
		}
	}
}

// multiplyOthers sets for each chain the product of the expectations of the others.
func (m *TransitionMeans) multiplyOthers(n, chains int) {
	for i := range chains {
		product := m.chains[i][n : 2*n]
		fill(product, 1)
		for j := range chains {
			if j != i {
				for q, v := range m.chains[j][:n] {
					product[q] *= v
				}
			}
		}
	}
}

// power returns P^steps, flat by rows.
func (m *TransitionMeans) power(steps int) []float64 {
	if m.powers[steps] == nil {
		a := len(m.c.pi)
		next := make([]float64, a*a)
		mixRows(next, m.powers[1], m.power(steps-1), a, a, a, 1)
		m.powers[steps] = next
	}
	return m.powers[steps]
}

// mixRows sets dst (A, n) to products with a matrix p: row x is Σ_y p[x·byX + y·byY]
// times row y of src (A, n).
func mixRows(dst, src, p []float64, a, n, byX, byY int) {
	for x := range a {
		row := dst[x*n : (x+1)*n]
		clear(row)
		y := 0
		for ; y+3 < a; y += 4 {
			at := x*byX + y*byY
			p0, p1, p2, p3 := p[at], p[at+byY], p[at+2*byY], p[at+3*byY]
			s0, s1 := src[y*n:][:len(row)], src[(y+1)*n:][:len(row)]
			s2, s3 := src[(y+2)*n:][:len(row)], src[(y+3)*n:][:len(row)]
			for q := range row {
				row[q] += (p0*s0[q] + p1*s1[q]) + (p2*s2[q] + p3*s3[q])
			}
		}
		for ; y < a; y++ {
			weight := p[x*byX+y*byY]
			for q, v := range src[y*n:][:len(row)] {
				row[q] += weight * v
			}
		}
	}
}

func fill(v []float64, with float64) {
	for i := range v {
		v[i] = with
	}
}
