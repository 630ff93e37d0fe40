package theory

import (
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/panics"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// The layer is one of attention, has as many heads as counted, and its formula
// gives the constrained belief after every prefix.
func TestAttentionBuildsConstrainedBeliefs(t *testing.T) {
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]func(*rapid.T) *process.HMM{anyHMM, jordanHMM, reversibleHMM}).Draw(t, "kind")(t)
		s := mustSpectrum(t, h)
		positions := rapid.IntRange(1, 12).Draw(t, "positions")
		a := s.Attention(positions)
		if len(a.Heads) != s.Heads().Belief {
			t.Fatalf("%d heads, counted %d: %s", len(a.Heads), s.Heads().Belief, describe(s))
		}
		if len(a.Heads) > 2 {
			shared++
		}
		isAttention(t, a)
		buildsConstrained(t, h, a, drawWord(t, h, positions), 1e-9)
	})
	if shared == 0 {
		t.Error("no layer of three heads")
	}
}

// For Mess3 the same, to rounding.
func TestAttentionOfMess3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, err := process.Mess3(rapid.Float64Range(0.01, 0.5).Draw(t, "x"), rapid.Float64Range(0, 1).Draw(t, "a"))
		if err != nil {
			t.Fatal(err)
		}
		a := mustSpectrum(t, h).Attention(12)
		isAttention(t, a)
		buildsConstrained(t, h, a, drawWord(t, h, 12), 1e-12)
	})
}

func isAttention(t *rapid.T, a *Attention) {
	for k, head := range a.Heads {
		for d := range a.Positions {
			row := head.Pattern[d*a.Positions : (d+1)*a.Positions]
			if floats.Min(row) < 0 || math.Abs(floats.Sum(row)-1) > 1e-12 || floats.Norm(row[d+1:], 1) != 0 {
				t.Fatalf("head %d, destination %d: %v", k, d+1, row)
			}
		}
	}
}

func buildsConstrained(t *rapid.T, h *process.HMM, a *Attention, word []int32, tolerance float64) {
	for d := range len(word) + 1 {
		got, err := a.Residual(word[:d])
		if err != nil {
			t.Fatal(err)
		}
		want, err := h.Constrained(word[:d])
		if err != nil {
			t.Fatal(err)
		}
		if e := distance(got, want); e > tolerance {
			t.Fatalf("%v: attention builds %v, Eq. 26 is %v", word[:d], got, want)
		}
	}
}

// correction returns b(z) − π.
func correction(h *process.HMM, z int) []float64 {
	return floats.SubTo(make([]float64, h.NumStates()), Of(h).sources[z], h.Stationary())
}

// One head for x < 1/3 is Piotrowski et al. 2025, Eq. 13, 14 and 15, and the first
// position is a sink: A(2, 1) = A(m+1, m)/(1−ζ), and embeddings vanish.
func TestOneHeadIsEq13To15(t *testing.T) {
	const positions = 8
	h := mustMess3(t, 0.15, 0.6)
	zeta := 0.55
	a := mustSpectrum(t, h).Attention(positions)
	if len(a.Heads) != 1 {
		t.Fatalf("%d heads", len(a.Heads))
	}
	head := a.Heads[0]
	at := func(d, s int) float64 { return head.Pattern[(d-1)*positions+s-1] } // positions from 1
	for s := 1; s < positions; s++ {
		for d := s + 1; d+1 <= positions; d++ {
			if got, want := at(d+1, s), zeta*at(d, s); math.Abs(got-want) > 1e-15 {
				t.Errorf("Eq. 13: A(%d, %d) is %g, ζA(%d, %d) is %g", d+1, s, got, d, s, want)
			}
		}
		for z := range 3 {
			c := correction(h, z)
			v, x := a.vector(head.OV, s-1, z), a.vector(a.Embeddings, s-1, z)
			for j := range c {
				if want := zeta / at(s+1, s) * c[j]; math.Abs(v[j]-want) > 1e-14 {
					t.Errorf("Eq. 14: v(%d, %d) is %v", s, z, v)
				}
				if want := (1 - zeta*at(s, s)/at(s+1, s)) * c[j]; math.Abs(x[j]-want) > 1e-14 || math.Abs(x[j]) > 1e-14 {
					t.Errorf("Eq. 15: the embedding of (%d, %d) is %v", s, z, x)
				}
			}
		}
		if want := (1 - zeta) * at(2, 1); s > 1 && math.Abs(at(s+1, s)-want) > 1e-15 {
			t.Errorf("A(%d, %d) is %g, want %g", s+1, s, at(s+1, s), want)
		}
	}
}

// Two heads for x > 1/3 are Eq. 18–20: even and odd lags, opposed OV vectors.
func TestTwoHeadsAreEq18To20(t *testing.T) {
	const positions, zeta = 9, -0.5
	h := mustMess3(t, 0.5, 0.6)
	a := mustSpectrum(t, h).Attention(positions)
	if len(a.Heads) != 2 {
		t.Fatalf("%d heads", len(a.Heads))
	}
	for k, sign := range []float64{1, -1} { // even lags, then odd ones
		head := a.Heads[k]
		for s := range positions {
			for d := s + 1; d < positions; d++ {
				weight := head.Pattern[d*positions+s]
				for z := range 3 {
					v := a.vector(head.OV, s, z)
					for j, c := range correction(h, z) {
						want := sign * math.Pow(math.Abs(zeta), float64(d-s)) * c
						if ((d-s)%2 == 0) != (sign > 0) {
							want = 0
						}
						if math.Abs(weight*v[j]-want) > 1e-14 {
							t.Errorf("Eq. %d: A(%d, %d)·v is %g, want %g", 18+k, d+1, s+1, weight*v[j], want)
						}
					}
				}
				if d+2 < positions {
					if got, want := head.Pattern[(d+2)*positions+s], zeta*zeta*weight; math.Abs(got-want) > 1e-15 {
						t.Errorf("Eq. 20: A(%d, %d) is %g, want %g", d+3, s+1, got, want)
					}
				}
			}
		}
	}
}

// Where λⁿ and ρⁿ are too small for a float64, profiles are still rows of attention.
func TestAttentionAtLongLags(t *testing.T) {
	for _, h := range []*process.HMM{
		mustMess3(t, 0.336, 0.6), // −0.008, two heads
		noisyChain(t, [][]float64{{0.32, 0.35, 0.33}, {0.33, 0.32, 0.35}, {0.35, 0.33, 0.32}}), // a pair, three heads
	} {
		const positions = 300
		s := mustSpectrum(t, h)
		a := s.Attention(positions)
		if len(a.Heads) < 2 {
			t.Fatalf("%d heads: %s", len(a.Heads), describe(s))
		}
		for k, head := range a.Heads {
			for _, list := range [][]float64{head.Pattern, head.OV, a.Embeddings} {
				if floats.HasNaN(list) || math.IsInf(floats.Norm(list, math.Inf(1)), 0) {
					t.Fatalf("%s: head %d holds numbers that are not finite", h.Name(), k)
				}
			}
		}
		word := make([]int32, positions)
		for i := range word {
			word[i] = int32(i * i % 3)
		}
		got, errBuilt := a.Residual(word)
		want, err := h.Constrained(word)
		if errBuilt != nil || err != nil || distance(got, want) > 1e-12 {
			t.Errorf("attention builds %v, Eq. 26 is %v; %v, %v", got, want, errBuilt, err)
		}
	}
}

// Eigenvalues around 0 that count as one have a mean of −4e-5 and an index of 8: what
// happens once, at lag 7, is no multiple of λ⁷.
func TestAttentionOfNearlyNilpotentModes(t *testing.T) {
	h, err := process.TeddyBear(0.00026, 8e-8)
	if err != nil {
		t.Fatal(err)
	}
	s := mustSpectrum(t, h)
	if m := s.Modes[1]; m.Index < 6 || real(m.Eigenvalue) >= 0 || real(m.Eigenvalue) < -1e-3 {
		t.Fatal(describe(s))
	}
	a := s.Attention(8)
	rapid.Check(t, func(t *rapid.T) {
		isAttention(t, a)
		buildsConstrained(t, h, a, drawWord(t, h, 8), 1e-9)
	})
}

// Two signs alternate, and the second also follows the first: λ has an index of 2, and
// its second profile, nλⁿ⁻¹, is larger than 1.
func TestAttentionOfALargeJordanBlock(t *testing.T) {
	const decay, pull = -0.8, 0.2
	sign := []float64{1, -1}
	var net [][]float64
	for _, i := range sign {
		for _, j := range sign {
			var row []float64
			for _, toI := range sign {
				for _, toJ := range sign {
					row = append(row, (1+toI*decay*i)/2*(1+toJ*(decay*j+pull*i))/2)
				}
			}
			net = append(net, row)
		}
	}
	h := noisyChain(t, net)
	s := mustSpectrum(t, h)
	if m := s.Modes[1]; m.Index != 2 || math.Abs(real(m.Eigenvalue)-decay) > 1e-6 {
		t.Fatal(describe(s))
	}
	a := s.Attention(8)
	rapid.Check(t, func(t *rapid.T) {
		isAttention(t, a)
		buildsConstrained(t, h, a, drawWord(t, h, 8), 1e-9)
	})
}

// noisyChain makes a Markov chain whose tokens name the state, with noise.
func noisyChain(t *testing.T, net [][]float64) *process.HMM {
	t.Helper()
	chain, err := process.Markov(net, 1)
	if err != nil {
		t.Fatal(err)
	}
	h, err := process.Noisy(chain, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Eq. 3 sums over s < d. The sum that Eq. 9 and 10 rest on, and that a causal
// softmax makes, includes s = d: without it the layer misses A(d, d)·v(d).
func TestEq3LeavesOutItsOwnPosition(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	a := mustSpectrum(t, h).Attention(4)
	word := []int32{0, 1, 1, 2}
	built, err := a.Residual(word)
	if err != nil {
		t.Fatal(err)
	}
	printed := slices.Clone(built)
	floats.AddScaled(printed, -a.Heads[0].Pattern[3*4+3], a.vector(a.Heads[0].OV, 3, 2))
	want, err := h.Constrained(word)
	if err != nil {
		t.Fatal(err)
	}
	if d := distance(built, want); d > 1e-14 {
		t.Errorf("summed over s ≤ d: %v, want %v", built, want)
	}
	// What is missing is b(2) − π itself, of which attention does all here.
	if d := distance(printed, want); math.Abs(d-0.4/1.5) > 1e-14 {
		t.Errorf("summed over s < d it is off by %g", d)
	}
}

// Eq. 11, 14 and 15 are said to follow from the layer's output. They follow up to
// a part that depends on position alone: with any such part in the OV vectors, undone
// by the embeddings, the output is the same, and OV vectors of a token are no longer
// parallel, to each other or to embeddings.
func TestEq14HoldsUpToPositions(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	a := mustSpectrum(t, h).Attention(6)
	pattern, ov := a.Heads[0].Pattern, a.Heads[0].OV
	want := slices.Clone(a.vector(ov, 2, 0))
	added := func(s int) []float64 { return []float64{0.3 + 0.1*float64(s), -0.5, 0.2 - 0.1*float64(s)} }
	for d := range 6 {
		for z := range 3 {
			for s := range d + 1 {
				floats.AddScaled(a.vector(a.Embeddings, d, z), -pattern[d*6+s], added(s))
			}
			floats.Add(a.vector(ov, d, z), added(d))
		}
	}
	rapid.Check(t, func(t *rapid.T) { buildsConstrained(t, h, a, drawWord(t, h, 6), 1e-13) })
	cosine := func(v, w []float64) float64 { return floats.Dot(v, w) / (floats.Norm(v, 2) * floats.Norm(w, 2)) }
	if c := cosine(a.vector(ov, 2, 0), want); c > 0.99 {
		t.Errorf("the OV vector has the cosine %g with Eq. 14", c)
	}
	if c := math.Abs(cosine(a.vector(ov, 2, 0), a.vector(a.Embeddings, 2, 0))); c > 0.99 {
		t.Errorf("the OV vector has the cosine %g with the embedding", c)
	}
	// Less the mean over tokens it is Eq. 14 again.
	for j := range want {
		mean := (a.vector(ov, 2, 0)[j] + a.vector(ov, 2, 1)[j] + a.vector(ov, 2, 2)[j]) / 3
		if got := a.vector(ov, 2, 0)[j] - mean; math.Abs(got-want[j]) > 1e-14 {
			t.Errorf("the part that depends on the token is %g, want %g", got, want[j])
		}
	}
}

func TestAttentionErrors(t *testing.T) {
	s := mustSpectrum(t, mustMess3(t, 0.15, 0.6))
	a := s.Attention(2)
	want := "mess3: token 3 at position 2 is outside the alphabet 0 … 2"
	if _, err := a.Residual([]int32{0, 3}); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	for name, call := range map[string]func(){
		"positions": func() { s.Attention(0) },
		"word":      func() { _, _ = a.Residual([]int32{0, 1, 2}) },
	} {
		t.Run(name, func(t *testing.T) {
			if text := panics.Text(call); !strings.HasPrefix(text, "theory: ") {
				t.Errorf("recovered %q", text)
			}
		})
	}
}

// The corners of a simplex: as long as each other, and Σ w = 0, Σ wwᵀ = (q+1)/q.
func TestSimplexCorners(t *testing.T) {
	for q := 1; q <= 6; q++ {
		corners := simplexCorners(q)
		if len(corners) != q+1 {
			t.Fatalf("%d corners in %d dimensions", len(corners), q)
		}
		for i := range q {
			sum := 0.0
			for _, w := range corners {
				sum += w[i]
			}
			if math.Abs(sum) > 1e-14 {
				t.Errorf("q = %d: the corners sum to %g in direction %d", q, sum, i)
			}
			for j := range q {
				square, want := 0.0, 0.0
				for _, w := range corners {
					square += w[i] * w[j]
				}
				if i == j {
					want = float64(q+1) / float64(q)
				}
				if math.Abs(square-want) > 1e-14 {
					t.Errorf("q = %d: Σ w_%d w_%d is %g", q, i, j, square)
				}
			}
		}
	}
}
