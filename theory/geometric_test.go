package theory

import (
	"fmt"
	"math"
	"testing"

	"foretell/process"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func mustSums(t testing.TB, h *process.HMM, length, degree int) *GeometricSums {
	t.Helper()
	g, err := Of(h).GeometricSums(t.Context(), length, degree)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// R² of a reading is that of least squares on every product of up to three entries of the
// sum, made here from the words.
func TestGeometricR2IsLeastSquares(t *testing.T) {
	eachHMM(t, func(t *testing.T, h *process.HMM) {
		const degree = 3
		length := wordsWithin(h.Alphabet(), 300)
		a := h.Alphabet()
		if monomials(a-1, degree) > 100 {
			return
		}
		g, e := mustSums(t, h, length, degree), everyWord(t, h, length)
		for _, at := range [][2]float64{{0, 1}, {0.4, 1}, {0.9, 0.3}} {
			// One-hot entries of all tokens, so there are more columns than needed.
			var columns []float64
			for i, word := range e.words {
				u := make([]float64, a)
				for s, z := range word {
					weight := math.Pow(at[0], float64(length-1-s))
					if s == length-1 {
						weight = at[1]
					}
					u[z] += weight
				}
				root := math.Sqrt(e.prob[i])
				u = append(u, 1)
				for x := range u {
					for y := range x + 1 {
						for z := range y + 1 {
							columns = append(columns, root*u[x]*u[y]*u[z])
						}
					}
				}
			}
			design := mat.NewDense(len(e.words), len(columns)/len(e.words), columns)
			want := 1.0
			if total := mat.Norm(e.belief, 2); total > 1e-12 {
				want = math.Pow(mat.Norm(leastSquares(design, e.belief), 2)/total, 2)
			}
			if got := g.R2(at[0], at[1]); math.Abs(got-want) > 1e-6 {
				t.Errorf("λ, c = %v: R² %.9f, by least squares %.9f", at, got, want)
			}
		}
	})
}

// Read linearly, the best decay of Mess3 is ρ, and no reading is better than the filter.
func TestBestLinearDecayIsTheFilters(t *testing.T) {
	for _, a := range []float64{0.6, 0.8, 0.95} {
		h := mustMess3(t, 0.15, a)
		steady, err := Of(h).LinearFilter().Steady(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found, err := Of(h).LinearFilter().R2(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		best := must(mustSums(t, h, 7, 1).Best(t.Context()))
		if rho := real(steady.Decays[0]); math.Abs(best.Decay-rho) > 2e-3 {
			t.Errorf("a = %g: the best decay is %.4f, ρ is %.4f", a, best.Decay, rho)
		}
		if linear := found[6].Linear; best.R2 > linear+1e-12 || best.R2 < linear-1e-3 {
			t.Errorf("a = %g: R² %.6f, of the filter %.6f", a, best.R2, linear)
		}
	}
}

// The best decay is the best on a finer grid, moves little with the degree from the third
// on, and little with the length of words.
func TestBestDecay(t *testing.T) {
	for _, a := range []float64{0.6, 0.9} {
		h := mustMess3(t, 0.15, a)
		third := mustSums(t, h, 6, 3)
		best := must(third.Best(t.Context()))
		for decay := 0.0; decay < 1; decay += 0.01 {
			if r2 := third.R2(decay, 1); r2 > best.R2+1e-9 {
				t.Errorf("a = %g: R² is %.9f at λ = %g and %+v", a, r2, decay, best)
			}
		}
		for _, c := range [][2]int{{6, 4}, {6, 5}, {7, 3}} {
			if other := must(mustSums(t, h, c[0], c[1]).Best(t.Context())); math.Abs(other.Decay-best.Decay) > 0.02 {
				t.Errorf("a = %g: λ* is %.4f, %.4f for %d tokens and degree %d", a, best.Decay, other.Decay, c[0], c[1])
			}
		}
		if one := must(mustSums(t, h, 1, 3).Best(t.Context())); one.Decay != 0 {
			t.Errorf("a = %g: λ* is %g for one token, where every decay gives the same sum; want 0", a, one.Decay)
		}
		if own := must(mustSums(t, h, 5, 3).BestOwn(t.Context())); own.R2 < mustSums(t, h, 5, 3).R2(best.Decay, 1) || own.Own < 0 {
			t.Errorf("a = %g: with the last token's weight free %+v, else %+v", a, own, best)
		}
	}
}

// The best decay is no worse than any on a grid of 0.02, whatever is decoded: R² of sums
// of signs with any weights has several peaks, of which the highest is found.
func TestBestDecayIsTheHighestPeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const length = 4
		weights := rapid.SliceOfN(rapid.IntRange(-9, 9), length, length).Draw(t, "weights")
		g := &GeometricSums{degree: 1, width: 1, beliefs: mat.NewDense(1<<length, 1, nil)}
		for i := range 1 << length {
			word, belief := make([]int32, length), 0.0
			for n := range word {
				word[length-1-n] = int32(i >> n & 1)
				belief += float64(weights[n] * (2*(i>>n&1) - 1))
			}
			g.tokens, g.prob = append(g.tokens, word), append(g.prob, 1.0/(1<<length))
			g.beliefs.Set(i, 0, belief)
			g.total += belief * belief / (1 << length)
		}
		best := must(g.Best(t.Context()))
		for decay := 0.0; decay < 0.99; decay += 0.02 {
			if r2 := g.R2(decay, 1); r2 > best.R2+1e-9 {
				t.Fatalf("R² is %.9f at λ = %g and %+v", r2, decay, best)
			}
		}
	})
}

// A polynomial may have 128 monomials, and no more.
func TestMostMonomials(t *testing.T) {
	h, err := process.Even(0.5)
	if err != nil {
		t.Fatal(err)
	}
	mustSums(t, h, 1, mostMonomials-1)
	if _, err := Of(h).GeometricSums(t.Context(), 1, mostMonomials); err == nil {
		t.Errorf("there is a polynomial of %g monomials", monomials(1, mostMonomials))
	}
}

func TestGeometricSumsErrors(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	for want, c := range map[string][2]int{
		"mess3: geometric sums of 0 tokens, a polynomial of degree 3: want at least 1 for both":           {0, 3},
		"mess3: there are more than 65536 sequences of 11 tokens to sum; want a shorter length":           {11, 3},
		"mess3: a polynomial of degree 20 over 3 tokens has more than 128 monomials; want a lower degree": {3, 20},
	} {
		if _, err := Of(h).GeometricSums(t.Context(), c[0], c[1]); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	iid, err := process.IID(2)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(mustSums(t, iid, 3, 3).Best(t.Context())); got != (GeometricReading{Own: 1, R2: 1}) {
		t.Errorf("of independent tokens: %+v", got)
	}
}

func TestMonomialsAreCounted(t *testing.T) {
	for width := range 5 {
		for degree := range 5 {
			list := appendMonomials(nil, make([]float64, width), degree, 1)
			if want := monomials(width, degree); float64(len(list)) != want {
				t.Errorf("%d entries, degree %d: %d products, want %g", width, degree, len(list), want)
			}
		}
	}
	if got := fmt.Sprint(appendMonomials(nil, []float64{2, 3}, 2, 1)); got != "[1 2 4 6 3 9]" {
		t.Error(got)
	}
}

// The last token's weight is at most 3, also where a larger one would read more.
func TestOwnWeightIsBounded(t *testing.T) {
	eachHMM(t, func(t *testing.T, h *process.HMM) {
		if h.Alphabet() > 4 {
			return
		}
		best := must(mustSums(t, h, wordsWithin(h.Alphabet(), 150), 1).BestOwn(t.Context()))
		if best.Own < 0 || best.Own > 3 {
			t.Errorf("the last token has weight %v", best.Own)
		}
	})
}
