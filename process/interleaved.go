package process

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"foretell/internal/portable"
	"foretell/internal/text"
)

var interleavedEntry = Entry{
	Name: "interleaved",
	Kind: "interleaved",
	Params: []Param{
		{
			"P",
			[][]float64{{0.7, 0.2, 0.1}, {0.1, 0.7, 0.2}, {0.2, 0.1, 0.7}},
			"rows that sum to 1, with one stationary distribution",
			"probabilities of a token, given the token one lag earlier",
		},
		{
			"lags",
			[]float64{1, 2, 3},
			"1 to 64 different whole numbers in [1, 1024]",
			"possible lags, in tokens; a sequence has only one of them",
		},
	},
	Summary: "a Markov chain with a lag drawn for each sequence, to be inferred from its tokens",
	New: func(p Params) (Sampler, error) {
		lags, err := p.Wholes("interleaved", "lags", 1, longestLag)
		if err != nil {
			return nil, err
		}
		return asSampler(NewInterleaved(p.Matrix("P"), lags))
	},
}

const (
	longestLag = 1024
	mostLags   = 64
)

// Interleaved is an interleaved Markov chain of unknown lag (D'Angelo et al. 2025, Sec. 3
// and Algorithm 1). For each sequence a lag k is drawn uniformly from a set. The first k̂
// tokens, where k̂ is the largest lag of the set, are drawn independently from the
// stationary distribution π of P, and every later token x_t from row x_{t−k} of P. The
// sequence thus consists of k chains with the same matrix, whose tokens take turns, and
// its lag must be inferred from its tokens. (As a hidden Markov model it would need a
// state for each lag and each sequence of k̂ tokens, and would not start from its
// stationary distribution.)
//
// It is not stationary, unless the set has one lag or the rows of P are equal, although
// each token has the distribution π. With lags {1, 2} and P = [[0.9, 0.1], [0.1, 0.9]]
// tokens 1 and 2 are equal with probability ½, tokens 2 and 3 with 0.7. A sequence of lag
// k is stationary from position k̂−k+1 on: the k tokens from there to k̂ are independent,
// as k consecutive tokens are in the stationary chain. The floors can therefore rise:
// with lags {1, 2} and P = [[0.1, 0.9], [0.9, 0.1]], the floor is 0.509 nats at position
// 3 and 0.527 nats at position 4.
//
// Where the paper's text and Algorithm 1 differ, this process follows the algorithm:
//
//   - The likelihood in Sec. 3 has factors Pr(X_j | X_{j−k+1}), so with lag 1 a token
//     would depend on itself. Algorithm 1 and the first display of Sec. 3 have X_{j−k}.
//   - Eq. 1 draws k from 1 … k̂. For the lags {1, 3} that includes 2, which Algorithm 1
//     never draws.
//   - Lemma 2 assumes a stationary chain. Its proof needs only that each token has the
//     distribution π, which Algorithm 1 ensures.
//   - The posterior is said to concentrate on one lag. Under lag k the evidence against
//     lag r grows on average, per token, by the divergence of row x_{t−r} from row
//     x_{t−k}. This is positive if P is irreducible and aperiodic, as Sec. 3 requires,
//     and its rows are not all equal, which Sec. 3 does not require. If all rows are
//     equal, the posterior never changes. With a periodic P it need not concentrate
//     either: if P changes the token with certainty, lag 1 and lag 3 both continue 0 1
//     0 as 0 1 0 1 ….
//   - Eq. 2 does not say which lag to choose if several have the largest likelihood, as
//     all lags have after k̂ tokens; see ML.
type Interleaved struct {
	name string
	p    [][]float64 // [i][j]: P, with rows divided by their sums
	logs [][]float64 // [i][j]: ln P[i][j]
	pi   []float64
	lags []int // in ascending order

	start aliasTable
	rows  []aliasTable
}

var _ Process = (*Interleaved)(nil)

// NewInterleaved makes the process from a matrix P and a set of lags. P is square, its
// rows sum to one, and it has one stationary distribution. There are 1 to 64 different
// lags in [1, 1024], in any order. Rows that sum to one within 1e-9 are divided by their
// sum. The paper requires an irreducible and aperiodic P. Here P may also have tokens to
// which it never returns; these never occur.
func NewInterleaved(P [][]float64, lags []int) (*Interleaved, error) {
	c := &Interleaved{name: "interleaved", lags: slices.Sorted(slices.Values(lags))}
	if err := checkLags(lags); err != nil {
		return nil, err
	}
	if err := checkLagMatrix(P); err != nil {
		return nil, err
	}
	n := len(P)
	for _, row := range P {
		total := 0.0
		for _, q := range row {
			total += q
		}
		scaled, logs := make([]float64, n), make([]float64, n)
		for j, q := range row {
			scaled[j] = q / total
			logs[j] = portable.Log(scaled[j])
		}
		c.p = append(c.p, scaled)
		c.logs = append(c.logs, logs)
		c.rows = append(c.rows, newAliasTable(scaled))
	}
	flat := slices.Concat(c.p...)
	if classes := recurrentClasses(flat, n); len(classes) > 1 {
		return nil, fmt.Errorf("interleaved: P never leaves the sets of tokens %s, "+
			"so each has its own stationary distribution: want exactly one such set",
			table{states: c.Tokens()}.describe(classes))
	}
	pi, ok := stationary(flat, n)
	if !ok {
		return nil, fmt.Errorf("interleaved: the stationary distribution of P %s", beyondFloat64)
	}
	c.pi, c.start = pi, newAliasTable(pi)
	return c, nil
}

func checkLags(lags []int) error {
	if len(lags) < 1 || len(lags) > mostLags {
		return fmt.Errorf("interleaved: %d lags, want 1 to %d", len(lags), mostLags)
	}
	for i, lag := range lags {
		if _, err := whole("interleaved", fmt.Sprintf("lags[%d]", i), float64(lag), 1, longestLag); err != nil {
			return err
		}
		if first := slices.Index(lags, lag); first < i {
			return fmt.Errorf("interleaved: lags[%d] and lags[%d] are both %d: want each lag once", first, i, lag)
		}
	}
	return nil
}

func checkLagMatrix(P [][]float64) error {
	if len(P) < 1 || len(P) > maxStates {
		return fmt.Errorf("interleaved: P has %d rows, want 1 to %d, one for each token", len(P), maxStates)
	}
	for i, row := range P {
		if len(row) != len(P) {
			return fmt.Errorf("interleaved: row %d of P has %d entries, want one for each of %d rows",
				i, len(row), len(P))
		}
		total := 0.0
		for j, q := range row {
			if !(q >= 0 && q <= 1+rowSumTolerance) {
				return fmt.Errorf("interleaved: P[%d][%d] = %g is outside [0, 1]", i, j, q)
			}
			total += q
		}
		if math.Abs(total-1) > rowSumTolerance {
			return fmt.Errorf("interleaved: row %d of P sums to %.10g, want 1", i, total)
		}
	}
	return nil
}

// Name returns the name of the process in the catalogue: "interleaved", or
// "random_chains" if P was drawn at random.
func (c *Interleaved) Name() string { return c.name }

// Alphabet returns the number A of tokens, which is also the number of rows of P.
func (c *Interleaved) Alphabet() int { return len(c.p) }

// Tokens returns the tokens' names, which are their numbers.
func (c *Interleaved) Tokens() []string { return numbers(c.Alphabet()) }

// P returns a copy of the matrix, A×A by rows: P[i][j] is the probability of token j
// one lag after token i.
func (c *Interleaved) P() [][]float64 {
	rows := make([][]float64, len(c.p))
	for i, row := range c.p {
		rows[i] = slices.Clone(row)
	}
	return rows
}

// Lags returns a copy of the lags in ascending order, which is the order of a
// posterior's entries.
func (c *Interleaved) Lags() []int { return slices.Clone(c.lags) }

// Stationary returns a copy of the stationary distribution π of P, of length A. It is
// the distribution of the token at every position.
func (c *Interleaved) Stationary() []float64 { return slices.Clone(c.pi) }

// Reach returns k̂, the largest lag.
func (c *Interleaved) Reach() int { return c.longest() }

// longest returns k̂, the largest lag.
func (c *Interleaved) longest() int { return c.lags[len(c.lags)-1] }

// Sample fills dst with one sequence of Algorithm 1. It takes len(dst)+1 values from
// src: one for the lag and one per token.
func (c *Interleaved) Sample(dst []int32, src rand.Source) { c.SampleLag(dst, src) }

// SampleLag does the same as Sample, and also returns the lag that was drawn.
func (c *Interleaved) SampleLag(dst []int32, src rand.Source) (lag int) {
	drawn, _ := bits.Mul64(src.Uint64(), uint64(len(c.lags)))
	lag = c.lags[drawn]
	for t := range dst {
		from := &c.start
		if t >= c.longest() {
			from = &c.rows[dst[t-lag]]
		}
		dst[t] = int32(from.draw(src.Uint64()))
	}
	return lag
}

// EntropyRate returns h = Σ_i π_i H(P_i), where P_i is row i of P, and a bound on its
// rounding error.
//
// Proof that the floors converge to h. Every token has the distribution π: the first k̂
// tokens by Algorithm 1, the later ones because πP = π. For a predictor that knows the
// lag, the entropy at each position t > k̂ is therefore H(X_t | X_1 … X_{t−1}, k) =
// H(X_t | X_{t−k}, k) = h, whatever the lag. A predictor that does not know it loses
// I(k; X_t | X_1 … X_{t−1}) ≥ 0 more. By the chain rule these terms sum to I(k; X_1 X_2
// …) ≤ ln K, where K is the number of lags, so they tend to 0. The proof needs neither
// irreducibility nor aperiodicity.
//
// Hence the floors above the rate sum to k̂(H(π) − h) + I(k; X_1 X_2 …), where the
// second term is ln K if a long sequence reveals the lag.
func (c *Interleaved) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	for i, weight := range c.pi {
		rate += float64(weight * portable.Entropy(c.p[i]))
	}
	return rate, 1e-12, nil
}

// Limits returns the entropy rate, and the reason why there is no excess entropy. With
// one lag the excess entropy exists but is not computed: its half-width is +Inf.
func (c *Interleaved) Limits(ctx context.Context) (l Limits, err error) {
	if l.EntropyRate, l.EntropyRateError, err = c.EntropyRate(ctx); err != nil {
		return Limits{}, err
	}
	if len(c.lags) == 1 {
		l.ExcessEntropyError = math.Inf(1)
	} else {
		l.NoExcessEntropy = "not defined: the process is not stationary"
	}
	return l, nil
}

// Presentation returns an error: the posterior over the lags takes infinitely many
// values.
func (c *Interleaved) Presentation(context.Context) (*Presentation, error) {
	return nil, fmt.Errorf("interleaved: no hidden states; the observer keeps a posterior over %s and the last %s",
		text.Count(len(c.lags), "lag"), text.Count(c.longest(), "token"))
}
