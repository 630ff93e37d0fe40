package induction

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
	"foretell/process"
)

// transitionMeans computes the expectations of Claim 1 of D'Angelo et al. 2025,
//
//	E[ P[X_{i−r}][X_i] / Σ_l P[X_{i−l}][X_i] ]   for each lag r,
//
// over sequences of a known lag k under Algorithm 1, without sampling. Tokens whose
// positions agree modulo k form a Markov chain. Different chains are independent, and
// so are tokens among the first k̂ on which no later token depends. With 1/Σ = ∫
// e^{−tΣ} dt, the contribution of X_i = s to the expectation is therefore an integral
// over t of a product over chains of products of matrices, P^{gap}·diag(e^{−tP[·][s]}):
// O(K A³) for each t.
//
// The integral is computed as a sum over about sixty points t by the trapezoidal rule in
// ln t. Its relative error is 2|Γ(1−2πi/h)| = 1.2e-13 for each term of the expectation,
// whatever P, and the part beyond the last t is less than e^{−36} times the term. Towards
// t = 0 the rule has infinitely many points; where t is so small that e^{−tΣ} is nearly a
// polynomial, twenty points replace them. A transitionMeans is not safe for concurrent
// use.
type transitionMeans struct {
	p      [][]float64 // the transition matrix
	pi     []float64   // its stationary distribution
	lags   []int
	points []float64         // the values of t
	weight []float64         // [point]: its weight in the sum
	used   []int             // [s]: the number of points used for X_i = s
	decay  [][]float64       // [s]: (A, used[s]), e^{−tP[x][s]} for each x and t
	powers map[int][]float64 // [gap]: P^gap, row-major

	forward, backward [][]float64 // [lag]: (A, points): products of a chain's factors up to the token, and after it
	// chains holds for each chain its expectation at each point, then the product of the
	// expectations of all other chains at each point.
	chains [][]float64
}

// Parameters of the trapezoidal rule in ln t. meansPoints is the number of points that
// replace the rule's points below its first t.
const (
	meansStep   = 0.3
	meansPoints = 20
	meansReach  = 6  // the rule's first t is this divided by the number of lags
	meansTail   = 36 // the rule ends where the integrand has fallen to e^−36
)

// newTransitionMeans prepares the computation of the expectations.
func newTransitionMeans(c *process.Interleaved) *transitionMeans {
	m := &transitionMeans{p: c.P(), pi: c.Stationary(), lags: c.Lags()}
	m.powers = map[int][]float64{1: slices.Concat(m.p...)}
	first := meansReach / float64(len(m.lags))
	m.points, m.weight = belowFirst(first)
	for s := range m.pi {
		points := math.Log(meansTail/(m.leastSum(s)*first)) / meansStep
		m.used = append(m.used, meansPoints+1+max(0, int(math.Ceil(points))))
	}
	for j := 0; len(m.points) < slices.Max(m.used); j++ {
		t := first * portable.Exp(meansStep*float64(j))
		m.points = append(m.points, t)
		m.weight = append(m.weight, meansStep*t)
	}
	for s := range m.pi {
		decay := make([]float64, 0, len(m.pi)*m.used[s])
		for x := range m.pi {
			for _, t := range m.points[:m.used[s]] {
				decay = append(decay, portable.Exp(-t*m.p[x][s]))
			}
		}
		m.decay = append(m.decay, decay)
	}
	for range m.lags {
		m.forward = append(m.forward, make([]float64, len(m.pi)*len(m.points)))
		m.backward = append(m.backward, make([]float64, len(m.pi)*len(m.points)))
		m.chains = append(m.chains, make([]float64, 2*len(m.points)))
	}
	return m
}

// leastSum returns a positive lower bound of Σ_l P[x_l][s] over all contexts that s can
// follow, or 1 if s can follow none.
func (m *transitionMeans) leastSum(s int) float64 {
	least, positive := 1.0, 1.0
	for _, row := range m.p {
		least = min(least, row[s])
		if row[s] > 0 {
			positive = min(positive, row[s])
		}
	}
	return max(positive, least*float64(len(m.lags)))
}

// belowFirst returns points in (0, first) and their weights. They replace the infinitely
// many points t = first·e^{−hj}, j = 1, 2, …, of the trapezoidal rule: both sums are
// equal for a function that is nearly a polynomial there. The points are Chebyshev
// points. Their weights result from applying the rule to the Lagrange interpolation
// between them.
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

// positions returns, in ascending order, the positions i > k̂ at which the expectations
// can differ, for sequences whose true lag is the given one. The last position represents
// all later ones, because from there on the tokens at the lags are distributed as in the
// stationary chain. positions returns an error if the lag is not in the set.
func (m *transitionMeans) positions(lag int) ([]int, error) {
	if !slices.Contains(m.lags, lag) {
		return nil, m.badLag(lag)
	}
	longest := m.longest()
	positions := []int{longest + 1}
	for _, l := range m.lags {
		if l > lag {
			positions = append(positions, longest+l-lag+1)
		}
	}
	return slices.CompactFunc(positions, func(i, j int) bool { // keeps the first of equal positions
		return sameLinks(m.links(lag, i), m.links(lag, j))
	}), nil
}

// at returns the expectation for each lag, in the order of the lags, at the given
// position in sequences whose true lag is the given one. The expectations sum to one. at
// returns an error if the lag is not in the set or the position is not above the largest
// lag.
func (m *transitionMeans) at(lag, position int) ([]float64, error) {
	k := slices.Index(m.lags, lag)
	if k < 0 {
		return nil, m.badLag(lag)
	}
	if position <= m.longest() {
		return nil, fmt.Errorf("position %d has no token at lag %d, want a position above %d",
			position, m.longest(), m.longest())
	}
	links, means := m.links(lag, position), make([]float64, len(m.lags))
	for s := range m.pi {
		m.addToken(means, s, k, links)
	}
	return means, nil
}

// longest returns k̂, the largest lag.
func (m *transitionMeans) longest() int { return slices.Max(m.lags) }

func (m *transitionMeans) badLag(lag int) error {
	return fmt.Errorf("lag %d is not one of %v", lag, m.lags)
}

// link describes how the token at one lag depends on the token at a larger lag.
type link struct {
	from  int // the index of the lag of the chain's previous token; −1 for its first token
	steps int // number of the chain's steps between the two tokens
}

func sameLinks(a, b []link) bool { return slices.Equal(a, b) }

// links returns, for each lag r, how the token at position − r depends on the tokens at
// larger lags, in sequences whose true lag is the given one. A token among the first k̂
// is a chain by itself if no token after the first k̂ depends on it.
func (m *transitionMeans) links(lag, position int) []link {
	lags, links := m.lags, make([]link, len(m.lags))
	last := map[int]int{} // [position modulo lag]: the index of the chain's latest lag so far
	for r := len(lags) - 1; r >= 0; r-- {
		links[r] = link{from: -1}
		at := position - lags[r]
		if at <= m.longest()-lag {
			continue
		}
		if before, ok := last[at%lag]; ok {
			links[r] = link{before, (lags[before] - lags[r]) / lag}
		}
		last[at%lag] = r
	}
	return links
}

// addToken adds the contribution of X_i = s to the means; k is the index of the true
// lag.
func (m *transitionMeans) addToken(means []float64, s, k int, links []link) {
	heads := m.pass(s, k, links)
	m.multiplyOthers(m.used[s], len(slices.Compact(slices.Sorted(slices.Values(heads)))))
	n := m.used[s]
	for r := range means {
		f, b, others := m.forward[r], m.backward[r], m.chains[heads[r]][n:2*n]
		for x := range m.pi {
			sum := 0.0
			for q := range n {
				sum += m.weight[q] * others[q] * f[x*n+q] * b[x*n+q]
			}
			means[r] += sum * m.p[x][s]
		}
	}
}

// pass traverses each chain forwards and backwards, and sets the expectation of the
// product of the factors of each chain. It returns, for each lag, the number of the chain
// that its token belongs to.
func (m *transitionMeans) pass(s, k int, links []link) (chain []int) {
	n, a, count := m.used[s], len(m.pi), 0
	chain = make([]int, len(links))
	follows := make([]int, len(links)) // the index of the lag of the chain's next token
	for r := len(links) - 1; r >= 0; r-- {
		follows[r] = -1
		f := m.forward[r][:a*n]
		if from := links[r].from; from >= 0 {
			chain[r], follows[from] = chain[from], r
			mixRows(f, m.forward[from][:a*n], m.power(links[r].steps), a, n, 1, a)
		} else {
			chain[r] = count
			count++
			for x, q := range m.pi {
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

// factor multiplies v, (A, n), by e^{−tP[x][s]}, and at the true lag also by P[x][s].
func (m *transitionMeans) factor(v []float64, s int, isTrue bool) {
	n := m.used[s]
	for i, d := range m.decay[s] {
		v[i] *= d
	}
	if isTrue {
		for x := range m.pi {
			p := m.p[x][s]
			for q := range n {
				v[x*n+q] *= p
			}
		}
	}
}

// close sets the expectation of the product of a chain's factors, given the values at its
// last token.
func (m *transitionMeans) close(chain int, last []float64, n int) {
	sums := m.chains[chain][:n]
	clear(sums)
	for x := range m.pi {
		for q := range n {
			sums[q] += last[x*n+q]
		}
	}
}

// multiplyOthers sets, for each chain, the product of the expectations of the other
// chains.
func (m *transitionMeans) multiplyOthers(n, chains int) {
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

// power returns P^steps, row-major.
func (m *transitionMeans) power(steps int) []float64 {
	if m.powers[steps] == nil {
		a := len(m.pi)
		next := make([]float64, a*a)
		mixRows(next, m.powers[1], m.power(steps-1), a, a, a, 1)
		m.powers[steps] = next
	}
	return m.powers[steps]
}

// mixRows sets dst, (A, n), to the product of a matrix p, or of its transpose, with src:
// row x is the sum over y of p[x·byX + y·byY] times row y of src, (A, n).
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
