package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/panics"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// eachHMM calls f with every hidden Markov model of the zoo.
func eachHMM(t *testing.T, f func(t *testing.T, h *process.HMM)) {
	for _, row := range zoo {
		t.Run(fmt.Sprint(row.Name, row.Params), func(t *testing.T) {
			p, err := process.Build(row.Name, row.Params)
			if err != nil {
				t.Fatal(err)
			}
			if h, ok := p.(*process.HMM); ok {
				f(t, h)
			}
		})
	}
}

// ensemble is every word of one length that can occur, with its probability, its
// one-hot tokens, centred, and its belief: what second moments are checked against.
type ensemble struct {
	words  [][]int32
	prob   []float64
	tokens *mat.Dense // (words, length·A): √Pr(w)·(Y_s − p)
	belief *mat.Dense // (words, n): √Pr(w)·(η − π)
}

func everyWord(t interface{ Fatal(...any) }, h *process.HMM, length int) ensemble {
	n, a := h.NumStates(), h.Alphabet()
	var e ensemble
	eachWord(h, length, func(word []int32, prob float64, _ []float64) {
		e.words, e.prob = append(e.words, word), append(e.prob, prob)
	})
	p := h.Next(h.Stationary())
	e.tokens = mat.NewDense(len(e.words), length*a, nil)
	e.belief = mat.NewDense(len(e.words), n, nil)
	for i, word := range e.words {
		belief, err := h.Belief(word)
		if err != nil {
			t.Fatal(err)
		}
		root := math.Sqrt(e.prob[i])
		for j, q := range h.Stationary() {
			e.belief.Set(i, j, root*(belief[j]-q))
		}
		for s, z := range word {
			for y, q := range p {
				e.tokens.Set(i, s*a+y, -root*q)
			}
			e.tokens.Set(i, s*a+int(z), root*(1-p[z]))
		}
	}
	return e
}

// leastSquares returns the projection of each column of target on the columns of design,
// by a singular value decomposition: an orthonormal basis of what is there, and no
// equation of the filter.
func leastSquares(design, target *mat.Dense) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(design, mat.SVDThinU) {
		panic("no singular value decomposition")
	}
	values := svd.Values(nil)
	rank := 0
	for _, v := range values {
		if v > 1e-7*values[0] {
			rank++
		}
	}
	rows, columns := target.Dims()
	if rank == 0 {
		return mat.NewDense(rows, columns, nil)
	}
	var u, inside, projection mat.Dense
	svd.UTo(&u)
	basis := u.Slice(0, rows, 0, rank)
	inside.Mul(basis.T(), target)
	projection.Mul(basis, &inside)
	return &projection
}

// centred is a table of what words lead to, times the roots of their probabilities, less
// the same of π.
func (e ensemble) centred(t interface{ Fatal(...any) }, h *process.HMM, of func(word []int32) ([]float64, error)) *mat.Dense {
	table := mat.NewDense(len(e.words), h.NumStates(), nil)
	for i, word := range e.words {
		row, err := of(word)
		if err != nil {
			t.Fatal(err)
		}
		for j, q := range h.Stationary() {
			table.Set(i, j, math.Sqrt(e.prob[i])*(row[j]-q))
		}
	}
	return table
}

// wordsWithin is the greatest length, up to five, of which there are at most so many
// words.
func wordsWithin(alphabet, most int) int {
	length := 1
	for length < 5 && math.Pow(float64(alphabet), float64(length+1)) <= float64(most) {
		length++
	}
	return length
}

func filterIsLeastSquares(t interface {
	inContext
	Errorf(string, ...any)
}, h *process.HMM, most int,
) {
	for length := 1; length <= wordsWithin(h.Alphabet(), most); length++ {
		e := everyWord(t, h, length)
		linear := func(word []int32) ([]float64, error) { return Of(h).Linear(t.Context(), word) }
		got, want := e.centred(t, h, linear), leastSquares(e.tokens, e.belief)
		var difference mat.Dense
		difference.Sub(got, want)
		if d := mat.Norm(&difference, 2); d > 1e-9 {
			t.Errorf("%v %d tokens: the filter and least squares over words differ by %g in the root mean square",
				h.Params(), length, d)
		}
		var square mat.Dense
		square.Mul(want.T(), want)
		covariance := Of(h).LinearFilter().Covariance(length)
		if d := floats.Distance(covariance, square.RawMatrix().Data, math.Inf(1)); d > 1e-9 {
			t.Errorf("%v %d tokens: the covariances of the filter and of least squares differ by %g", h.Params(), length, d)
		}
	}
}

// The linear filter is weighted least squares of the belief on one-hot tokens, over
// every word.
func TestLinearFilterIsLeastSquares(t *testing.T) {
	eachHMM(t, func(t *testing.T, h *process.HMM) { filterIsLeastSquares(t, h, 300) })
}

func TestLinearFilterOfAnyHMM(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]func(*rapid.T) *process.HMM{reversibleHMM, anyHMM}).Draw(t, "kind")(t)
		filterIsLeastSquares(t, h, 81)
	})
}

// The scalar form of Mess3. With the unit of the variance of a state, the state is
// s_d = ζs_{d−1} + w and the token y_d = gs_d + v, so that the variance M of the
// prediction's error solves the Riccati equation
//
//	g²M² + (1−ζ²)(1−2g²)M − (1−ζ²)(1−g²) = 0,   K = gM/(g²M + 1 − g²),   ρ = ζ(1 − Kg)
func TestSteadyFilterOfMess3(t *testing.T) {
	for _, p := range [][2]float64{{0.15, 0.6}, {0.15, 0.2}, {0.05, 0.85}, {0.5, 0.6}, {0.25, 0.95}, {0.15, 0.34}} {
		zeta, g := 1-3*p[0], (3*p[1]-1)/2
		a, b, c := g*g, (1-zeta*zeta)*(1-2*g*g), -(1-zeta*zeta)*(1-g*g)
		m := 2 * -c / (b + math.Sqrt(b*b-4*a*c)) // the positive root
		gain := g * m / (g*g*m + 1 - g*g)
		rho := zeta * (1 - gain*g)
		s, err := Of(mustMess3(t, p[0], p[1])).LinearFilter().Steady(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Decays) != 1 || math.Abs(real(s.Decays[0])-rho) > 1e-11 || imag(s.Decays[0]) != 0 {
			t.Errorf("x, a = %v: decays %v, want %g", p, s.Decays, rho)
		}
		// y_d is Y_d − p of length 1 where s_d is S_d − π of length 1.
		for z := range 3 {
			for j := range 3 {
				want := -gain / 3
				if j == z {
					want = gain * 2 / 3
				}
				if got := s.Gain[z*3+j]; math.Abs(got-want) > 1e-11 {
					t.Errorf("x, a = %v: gain %v, want %g at %d, %d", p, s.Gain, want, z, j)
				}
			}
		}
		if !(math.Abs(rho) < math.Abs(zeta)) {
			t.Errorf("x, a = %v: ρ = %g is not within ζ = %g", p, rho, zeta)
		}
	}
}

// ρ at (0.15, 0.6) is 0.4666, by moments and by least squares over all words: there by
// how the weights of the last position's sources fall, far from the start.
func TestDecayOfMess3(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	s, err := Of(h).LinearFilter().Steady(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rho := real(s.Decays[0]); math.Abs(rho-0.4666) > 5e-5 {
		t.Errorf("ρ = %.6f by moments, want 0.4666", rho)
	}
	const length = 8
	e := everyWord(t, h, length)
	var weights mat.Dense
	if err := weights.Solve(withoutLastToken(e.tokens, length, 3), e.belief); err != nil {
		t.Fatal(err)
	}
	// What token 0 adds to state 0 beyond what token 2, which is left out, does.
	at := func(lag int) float64 { return weights.At(2*(length-1-lag), 0) }
	for lag := range 3 {
		if rho := at(lag+1) / at(lag); math.Abs(rho-0.4666) > 1e-3 {
			t.Errorf("from lag %d to %d the weight falls by %.6f over all words, want 0.4666", lag, lag+1, rho)
		}
	}
}

// withoutLastToken leaves out the columns of each position's last token, which the others
// determine.
func withoutLastToken(tokens *mat.Dense, length, a int) *mat.Dense {
	rows, _ := tokens.Dims()
	kept := mat.NewDense(rows, length*(a-1), nil)
	for i := range rows {
		for s := range length {
			for z := range a - 1 {
				kept.Set(i, s*(a-1)+z, tokens.At(i, s*a+z))
			}
		}
	}
	return kept
}

// The weights of tokens add up to the linear belief.
func TestLinearWeightsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		word := drawWord(t, h, 6)
		got, err := Of(h).Linear(t.Context(), word)
		if err != nil {
			t.Fatal(err)
		}
		f, p, want := Of(h).LinearFilter(), h.Next(h.Stationary()), h.Stationary()
		n := h.NumStates()
		for at, token := range word {
			weights := f.Weights(len(word), at+1)
			for z, q := range p {
				factor := -q
				if z == int(token) {
					factor++
				}
				floats.AddScaled(want, factor, weights[z*n:(z+1)*n])
			}
		}
		if d := distance(got, want); d > 1e-12 {
			t.Fatalf("%v: %v, by weights %v", word, got, want)
		}
	})
}

// A table of words, sampled or not, has the linear beliefs of its words, and zeros for
// those that cannot occur; a process without states has none.
func TestPrefixesHaveLinearBeliefs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		p, n := must(h.Prefixes(t.Context(), rapid.IntRange(1, 4).Draw(t, "length"))), h.NumStates()
		if rapid.Bool().Draw(t, "sampled") {
			sequences := make([][]int32, 5)
			for i := range sequences {
				sequences[i] = make([]int32, 4)
				h.Sample(sequences[i], rand.NewPCG(1, uint64(i)))
			}
			var err error
			if p, err = h.PrefixesOf(t.Context(), sequences, 2); err != nil {
				t.Fatal(err)
			}
		}
		for row := range p.Rows() {
			want, err := Of(h).Linear(t.Context(), p.Tokens(row))
			if p.Prob[row] == 0 {
				want = make([]float64, n)
			} else if err != nil {
				t.Fatal(err)
			}
			if got := must(LinearPrefixes(t.Context(), p))[row*n : (row+1)*n]; !slices.Equal(got, want) {
				t.Fatalf("%v: %v, want %v", p.Tokens(row), got, want)
			}
		}
	})
	coin, err := process.Build("coin", nil)
	if err != nil {
		t.Fatal(err)
	}
	words, err := process.Words(t.Context(), coin, 3)
	if err != nil {
		t.Fatal(err)
	}
	if must(LinearPrefixes(t.Context(), words)) != nil {
		t.Error("a coin has linear beliefs")
	}
}

// A clock of which the phase has to be averaged out of noise never settles.
func TestFilterThatDoesNotSettle(t *testing.T) {
	h, err := process.Z1R(0.5)
	if err != nil {
		t.Fatal(err)
	}
	want := "z1r: the linear filter has not settled after 10000 positions"
	if _, err := Of(h).LinearFilter().Steady(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := Of(h).LinearFilter().SteadyR2(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestLinearErrors(t *testing.T) {
	never, err := process.Even(0) // the token 1 never occurs
	if err != nil {
		t.Fatal(err)
	}
	for want, word := range map[string][]int32{
		"even: token 1 at position 2 never occurs":                  {0, 1},
		"even: token 2 at position 1 is outside the alphabet 0 … 1": {2},
	} {
		if _, err := Of(never).Linear(t.Context(), word); err == nil || err.Error() != want {
			t.Errorf("%v: %v\nwant %s", word, err, want)
		}
	}
	if _, err := Of(never).LinearFilter().R2(t.Context(), 0); err == nil {
		t.Error("R² at no position")
	}
	for what, f := range map[string]func(){
		"position 0":                   func() { Of(never).LinearFilter().Gain(0) },
		"a source after a destination": func() { Of(never).LinearFilter().Weights(1, 2) },
	} {
		if !panics.Does(f) {
			t.Errorf("%s did not panic", what)
		}
	}
}

// The beliefs along a word are those of its beginnings, to the bit, however long it is.
func TestBeliefsAlongAreThoseOfBeginnings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		word := drawWord(t, h, 40)
		linear, constrained := must(Of(h).LinearAlong(t.Context(), word)), must(h.ConstrainedAlong(t.Context(), word))
		if len(linear) != len(word)+1 || len(constrained) != len(word)+1 {
			t.Fatalf("%d and %d rows of %d tokens", len(linear), len(constrained), len(word))
		}
		for n := range linear {
			if want := must(Of(h).Linear(t.Context(), word[:n])); !slices.Equal(linear[n], want) {
				t.Fatalf("the linear belief after %d tokens is %v, want %v", n, linear[n], want)
			}
			if want := must(h.Constrained(word[:n])); !slices.Equal(constrained[n], want) {
				t.Fatalf("the constrained belief after %d tokens is %v, want %v", n, constrained[n], want)
			}
		}
	})
}

// A filter that no longer changes is kept once, not for each position.
func TestAFixedFilterIsKeptOnce(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	f := Of(h).LinearFilter()
	far := f.Gain(20_000)
	if len(f.steps) > 1000 {
		t.Errorf("%d positions are kept", len(f.steps))
	}
	step := linearStep{covariance: mat.NewDense(3, 3, nil)}
	for range 20_000 {
		step = f.next(step.covariance)
	}
	if !slices.Equal(far, step.gain) {
		t.Error("the filter of a cycle is another than that of the recursion")
	}
}

// A filter takes at most as many steps as its products allow, and uses that allowance up
// to a step.
func TestSettlingLimit(t *testing.T) {
	for _, n := range []int{2, 30, 64, 200, 512} {
		f := &LinearFilter{layer: &Layer{n: n, a: 2}}
		for _, products := range []int{1, 4} {
			step := products * n * n * (n + 2)
			limit := f.settlingLimit(products)
			if limit > settlingSteps || limit < settlingSteps && (limit*step > settlingWork || (limit+1)*step <= settlingWork) && limit != 2 {
				t.Errorf("%d states: %d steps of %d products, want %d in all", n, limit, step, settlingWork)
			}
		}
	}
}

// A filter that never learns anything is steady from the second position on: the first at
// which two covariances can be compared.
func TestSteadyFromTheStart(t *testing.T) {
	h := must(process.IID(3))
	steady, err := Of(h).LinearFilter().Steady(t.Context())
	if err != nil || steady.Position != 2 {
		t.Errorf("steady from position %v (%v), want 2", steady, err)
	}
}
