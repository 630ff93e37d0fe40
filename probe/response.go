package probe

import (
	"context"
	"fmt"
	"math"

	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Response is the contribution of each token of a prefix to features, by its lag: the
// token's distance from the end of the prefix. Among all sums of functions of (lag,
// token), it is the one that is nearest to the features x in mean square, separately for
// the prefixes of each length d:
//
//	x ≈ E[x] + Σ_{n=0…d−1} R_d(n, z_{d−n}),   E[R_d(n, Z_{d−n})] = 0.
//
// It is the projection of x on token indicators. For the constrained beliefs it gives
// their corrections, (Pr(S|z) − π)Tⁿ for states S, token z, stationary distribution π and
// transition matrix T (Piotrowski et al. 2025, Eq. 6 and 26). For the beliefs it gives
// the corrections of the linear filter ([theory.LinearFilter]). For a stage of a model
// it gives the model's own version of these corrections, which a fit maps to the space of
// the beliefs ([Response.Through]).
//
// If tokens determine each other exactly, their contributions are not unique: the
// response is then the one with the least mean square.
type Response struct {
	Length, Alphabet, Width int // T (length of the longest prefixes), A (number of tokens), and number of features

	// R2 is the share of the features' variance that the sum explains, for prefixes of 1, 2,
	// …, T tokens; NaN if the features do not vary.
	R2 []float64

	change []Table     // [length − 1]: contributions, (lags·A, width)
	prob   [][]float64 // [length − 1]: probabilities of the tokens at each lag, (lags·A)
}

// At returns the contribution of a token at the given lag to the features of prefixes of
// the given length. The result, (width), shares memory with the response. The last token
// has lag 0. The contribution is zero for a token that cannot occur there. At panics if
// the length, lag or token is out of range.
func (r *Response) At(length, lag, token int) []float64 {
	if length < 1 || length > r.Length || lag < 0 || lag >= length || token < 0 || token >= r.Alphabet {
		panic(fmt.Sprintf("probe: there is no response to token %d at lag %d in prefixes of %d tokens",
			token, lag, length))
	}
	return r.change[length-1].Row(lag*r.Alphabet + token)
}

// Through returns the response of a fit's predictions in place of the features: the fit's
// coefficients map each contribution to the k columns of the prediction.
func (r *Response) Through(fit Fit) *Response {
	if fit.Coef.Rows() != r.Width {
		panic(fmt.Sprintf("probe: the fit predicts from %d features, but the response has %d columns",
			fit.Coef.Rows(), r.Width))
	}
	read := &Response{Length: r.Length, Alphabet: r.Alphabet, Width: fit.Coef.Width, prob: r.prob}
	for _, change := range r.change {
		t := Table{Data: make([]float64, change.Rows()*read.Width), Width: read.Width}
		for i := range change.Rows() {
			for a, x := range change.Row(i) {
				floats.AddScaled(t.Row(i), x, fit.Coef.Row(a))
			}
		}
		read.change = append(read.change, t)
	}
	return read
}

// Sizes returns, for each lag, the root-mean-square norm of the contributions to prefixes
// of the given length. The mean is over tokens, weighted by their probability.
func (r *Response) Sizes(length int) []float64 {
	sizes := make([]float64, length)
	for lag := range sizes {
		square := 0.0
		r.eachToken(length, lag, func(token int, share float64) {
			x := r.At(length, lag, token)
			square += share * floats.Dot(x, x)
		})
		sizes[lag] = math.Sqrt(square)
	}
	return sizes
}

// Profile returns one number c for each lag n: the number for which the vectors c·u_z are
// nearest to the contributions R(n, z) to prefixes of the given length, in mean square
// over the tokens z with probability p. It is c = Σ_z p·R(n, z)·u_z / Σ_z p·|u_z|². Row z
// of the given vectors is u_z (width). The profile describes a response completely if
// each contribution is a multiple of its token's vector. For the constrained beliefs of
// Mess3 and u_z = Pr(S|z) − π, the profile is λⁿ.
func (r *Response) Profile(length int, vectors Table) []float64 {
	if vectors.Width != r.Width || vectors.Rows() != r.Alphabet {
		panic(fmt.Sprintf("probe: the vectors of a profile have %d numbers in rows of %d, want %d rows of %d",
			len(vectors.Data), vectors.Width, r.Alphabet, r.Width))
	}
	profile := make([]float64, length)
	for lag := range profile {
		product, square := 0.0, 0.0
		r.eachToken(length, lag, func(token int, share float64) {
			u := vectors.Row(token)
			product += share * floats.Dot(u, r.At(length, lag, token))
			square += share * floats.Dot(u, u)
		})
		profile[lag] = product / square
	}
	return profile
}

// eachToken calls f with each token and its probability at the given lag.
func (r *Response) eachToken(length, lag int, f func(token int, share float64)) {
	for token, p := range r.prob[length-1][lag*r.Alphabet:][:r.Alphabet] {
		f(token, p)
	}
}

// Response returns the contributions of tokens to features, by lag, with the convention's
// weights. Unless Plan.Keep is set, it runs the model once more, and returns an error if
// ctx is done.
func (a *Analysis) Response(ctx context.Context, features int) (*Response, error) {
	x := a.features[features]
	total := newTokenMoments(a.Prefixes, x.width)
	if a.Plan.Keep {
		for length := 1; length <= a.Prefixes.Length; length++ {
			from, to := a.Prefixes.Range(length)
			for row := from; row < to; row++ {
				total.add(length, row, a.weights[row], x.kept.Row(row))
			}
		}
		return total.response(), ctx.Err()
	}
	err := a.forward(x.Stages).sweep(ctx, a.Plan.Workers, func() (func(*Pass), func()) {
		part, z := newTokenMoments(a.Prefixes, x.width), make([]float64, x.width)
		return func(pass *Pass) {
			write := x.writer(pass)
			for _, run := range pass.Runs {
				for i := range run.N {
					write(z, run, i)
					part.add(run.Length, run.Row+i, a.weights[run.Row+i], z)
				}
			}
		}, func() { total.merge(part) }
	})
	if err != nil {
		return nil, err
	}
	return total.response(), nil
}

// tokenMoments are Σw, Σw·y, Σw·x, Σw·yᵀy, Σw·yᵀx and Σw·|x|² for each length, over
// prefixes with weight w, token indicators y (lags·A) and features x.
type tokenMoments struct {
	prefixes *process.Prefixes
	width    int
	lengths  []tokenMoment
	at       []int // buffer: indices of the indicators that are 1 for a prefix
}

type tokenMoment struct {
	weight, square float64
	sum            []float64  // Σw·x, (width)
	tokens         []float64  // Σw·y, (lags·A)
	pairs          *mat.Dense // Σw·yᵀy, (lags·A, lags·A), upper triangle
	cross          Table      // Σw·yᵀx, (lags·A, width)
}

func newTokenMoments(p *process.Prefixes, width int) *tokenMoments {
	m := &tokenMoments{prefixes: p, width: width}
	for length := 1; length <= p.Length; length++ {
		n := length * p.Alphabet
		m.lengths = append(m.lengths, tokenMoment{
			sum: make([]float64, width), tokens: make([]float64, n), pairs: mat.NewDense(n, n, nil),
			cross: Table{Data: make([]float64, n*width), Width: width},
		})
	}
	return m
}

// add adds a prefix, given by its length, its row in the table, its weight and its
// features x.
func (m *tokenMoments) add(length, row int, weight float64, x []float64) {
	if weight == 0 {
		return
	}
	m.at = m.at[:0]
	for lag := range length {
		m.at = append(m.at, lag*m.prefixes.Alphabet+m.prefixes.LastToken(row))
		row = m.prefixes.Parent(row)
	}
	l := &m.lengths[length-1]
	l.weight += weight
	l.square += weight * floats.Dot(x, x)
	floats.AddScaled(l.sum, weight, x)
	for i, y := range m.at {
		l.tokens[y] += weight
		floats.AddScaled(l.cross.Row(y), weight, x)
		pairs := l.pairs.RawRowView(y)
		for _, other := range m.at[i:] {
			pairs[other] += weight
		}
	}
}

// merge adds the moments in o to m.
func (m *tokenMoments) merge(o *tokenMoments) {
	for i := range m.lengths {
		to, from := &m.lengths[i], o.lengths[i]
		to.weight += from.weight
		to.square += from.square
		floats.Add(to.sum, from.sum)
		floats.Add(to.tokens, from.tokens)
		to.pairs.Add(to.pairs, from.pairs)
		floats.Add(to.cross.Data, from.cross.Data)
	}
}

// response solves for the response to prefixes of each length.
func (m *tokenMoments) response() *Response {
	r := &Response{Length: m.prefixes.Length, Alphabet: m.prefixes.Alphabet, Width: m.width}
	for _, l := range m.lengths {
		if l.weight == 0 { // the convention ignores this length
			r.add(l.cross, l.tokens, math.NaN())
			continue
		}
		floats.Scale(1/l.weight, l.tokens)
		floats.Scale(1/l.weight, l.sum)
		change, explained := l.solve()
		variance := l.square/l.weight - floats.Dot(l.sum, l.sum)
		if variance <= negligible*l.square/l.weight {
			variance = math.NaN()
		}
		r.add(change, l.tokens, explained/variance)
	}
	return r
}

// add adds the response for prefixes of the next length.
func (r *Response) add(change Table, prob []float64, r2 float64) {
	r.change = append(r.change, change)
	r.prob = append(r.prob, prob)
	r.R2 = append(r.R2, r2)
}

// negligible defines when a variance counts as zero. For a direction in the space of
// token indicators, it is a share of the largest variance: the indicators of a lag sum to
// one, so some directions do not vary. (Each indicator is divided by the square root of
// its probability.) For features, it is a share of their mean square.
const negligible = 1e-10

// solve returns the response, (lags·A, width), and the variance that it explains;
// l.tokens and l.sum must already be means. If several responses are equally good, solve
// returns the smallest one, where each indicator is first divided by the square root of
// its probability. Its mean over the tokens of each lag is zero.
func (l tokenMoment) solve() (change Table, explained float64) {
	n, width := len(l.tokens), l.cross.Width
	covariance, cross := mat.NewSymDense(n, nil), mat.NewDense(n, width, nil)
	roots := make([]float64, n) // 1/√p, which scales rare tokens up to the size of others
	for i, p := range l.tokens {
		if p > 0 {
			roots[i] = 1 / math.Sqrt(p)
		}
	}
	for i, p := range l.tokens {
		for j := i; j < n; j++ {
			covariance.SetSym(i, j, (l.pairs.At(i, j)/l.weight-p*l.tokens[j])*roots[i]*roots[j])
		}
		row := cross.RawRowView(i)
		floats.AddScaledTo(row, row, roots[i]/l.weight, l.cross.Row(i))
		floats.AddScaled(row, -p*roots[i], l.sum)
	}
	solved := pseudoSolve(covariance, cross)
	for i := range n {
		explained += floats.Dot(solved.RawRowView(i), cross.RawRowView(i))
		floats.Scale(roots[i], solved.RawRowView(i))
	}
	return Table{Data: solved.RawMatrix().Data, Width: width}, explained
}

// pseudoSolve returns C⁺B, where C⁺ is the pseudo-inverse of a covariance C.
func pseudoSolve(c *mat.SymDense, b *mat.Dense) *mat.Dense {
	var decomposition mat.EigenSym
	if !decomposition.Factorize(c, true) {
		panic("probe: the eigenvalues of a covariance do not converge") // with finite numbers this has never happened
	}
	values := decomposition.Values(nil)
	var vectors, along, solved mat.Dense
	decomposition.VectorsTo(&vectors)
	along.Mul(vectors.T(), b)
	for i, value := range values {
		f := 0.0
		if value > negligible*values[len(values)-1] {
			f = 1 / value
		}
		floats.Scale(f, along.RawRowView(i))
	}
	solved.Mul(&vectors, &along)
	return &solved
}
