package process

import (
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/processtest"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// sumOfCorrections is Piotrowski et al. 2025, Eq. 26 or Eq. 5, as printed: each token's
// source times a power of T, made by repeated multiplication.
func sumOfCorrections(h *HMM, word []int32, source func(z int) []float64) []float64 {
	n := h.NumStates()
	net := mat.NewDense(n, n, h.NetTransition())
	r := h.Stationary()
	for s, z := range word {
		var power, term mat.Dense
		power.Pow(net, len(word)-1-s)
		term.Mul(mat.NewDense(1, n, source(int(z))), &power)
		for j, p := range h.Stationary() {
			r[j] += term.At(0, j) - p
		}
	}
	return r
}

// eq26Source is πT^(z)/(πT^(z)·1).
func eq26Source(h *HMM, z int) []float64 {
	n := h.NumStates()
	var v mat.Dense
	v.Mul(mat.NewDense(1, n, h.Stationary()), mat.NewDense(n, n, h.Transition(z)))
	v.Scale(1/mat.Sum(&v), &v)
	return v.RawRowView(0)
}

// eq5Source is πT^{|z}, with T^{|z} made here of T^(z).
func eq5Source(h *HMM, z int) []float64 {
	n := h.NumStates()
	m := mat.NewDense(n, n, h.Transition(z))
	for i := range n {
		row := m.RawRowView(i)
		total := 0.0
		for _, p := range row {
			total += p
		}
		for j := range row {
			row[j] /= total
		}
	}
	var v mat.Dense
	v.Mul(mat.NewDense(1, n, h.Stationary()), m)
	return v.RawRowView(0)
}

func TestConstrainedIsEq26(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		word := drawWord(t, h, 12)
		got, err := h.Constrained(word)
		if err != nil {
			t.Fatal(err)
		}
		want := sumOfCorrections(h, word, func(z int) []float64 { return eq26Source(h, z) })
		if d := distance(got, want); d > 1e-12 {
			t.Fatalf("%v: %v and %v by Eq. 26", word, got, want)
		}
	})
}

func TestConstrainedEq5IsEq5(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := reversibleHMM(t)
		word := drawWord(t, h, 12)
		got, err := h.ConstrainedEq5(word)
		if err != nil {
			t.Fatal(err)
		}
		want := sumOfCorrections(h, word, func(z int) []float64 { return eq5Source(h, z) })
		if d := distance(got, want); d > 1e-12 {
			t.Fatalf("%v: %v and %v by Eq. 5", word, got, want)
		}
	})
}

// The source term of Eq. 26 is the Pr(S_d | Z_d) of Eq. 6, counted over paths of
// states; that of Eq. 5 is not.
func TestEq26IsBayesAndEq5IsNot(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	sums := sumPaths(h, 1)
	for z := range 3 {
		prob, joint := sums.prob(1, z)
		bayes := make([]float64, 3)
		for j := range bayes {
			bayes[j] = joint[j] / prob
		}
		eq26, err := h.Constrained([]int32{int32(z)})
		if err != nil {
			t.Fatal(err)
		}
		if d := distance(eq26, bayes); d > 1e-15 {
			t.Errorf("token %d: Eq. 26 gives %v, Bayes %v", z, eq26, bayes)
		}
	}
	// T^(0) = [0.42 0.03 0.03; 0.09 0.14 0.03; 0.09 0.03 0.14] has the row sums
	// 0.48, 0.26, 0.26, so T^{|0} is [7/8 1/16 1/16; 9/26 14/26 3/26; 9/26 3/26 14/26]
	// and the mean of its rows is (163/312, 149/624, 149/624).
	eq5, err := h.ConstrainedEq5([]int32{0})
	if err != nil {
		t.Fatal(err)
	}
	if d := distance(eq5, []float64{163. / 312, 149. / 624, 149. / 624}); d > 1e-15 {
		t.Errorf("Eq. 5 gives %v", eq5)
	}
	eq26, err := h.Constrained([]int32{0})
	if err != nil {
		t.Fatal(err)
	}
	if d := distance(eq26, []float64{0.6, 0.2, 0.2}); d > 1e-15 {
		t.Errorf("Eq. 26 gives %v", eq26)
	}
}

// For Mess3 the symmetry of the three states leaves a single factor between the two
// constrained geometries, for every word:
//
//	(r₅ − π) = c·(r₂₆ − π),  c = (a(1−2x)/σ + 2ax/τ − 1)/(3a − 1)
//
// with the row sums σ = a(1−2x) + (1−a)x and τ = ax + (1−a)(1−x)/2 of T^(z).
func TestEq5OfMess3IsEq26Scaled(t *testing.T) {
	for _, p := range [][2]float64{{0.15, 0.6}, {0.5, 0.6}, {0.15, 0.2}, {0.5, 0.2}} {
		x, a := p[0], p[1]
		h := mustMess3(t, x, a)
		sigma, tau := a*(1-2*x)+(1-a)*x, a*x+(1-a)*(1-x)/2
		c := (a*(1-2*x)/sigma + 2*a*x/tau - 1) / (3*a - 1)
		if !(c < 0.95) {
			t.Errorf("x = %g, a = %g: the factor is %g, too near 1 to tell the two apart", x, a, c)
		}
		for word := range 243 {
			tokens := digits(word, 3, 5)
			eq26, err26 := h.Constrained(tokens)
			eq5, err5 := h.ConstrainedEq5(tokens)
			if err26 != nil || err5 != nil {
				t.Fatal(err26, err5)
			}
			for j, p := range h.Stationary() {
				if got, want := eq5[j]-p, c*(eq26[j]-p); math.Abs(got-want) > 1e-14 {
					t.Fatalf("x = %g, a = %g, %v: Eq. 5 is %g from π, %g times Eq. 26 is %g", x, a, tokens, got, c, want)
				}
			}
		}
	}
}

// Beyond Mess3 the two forms do not even point the same way from π.
func TestEq5AndEq26DifferInDirection(t *testing.T) {
	h, err := New("pair", []string{"a", "b"}, processtest.Numbered(3), [][][]float64{
		{{0.6, 0.1, 0.1}, {0.05, 0.05, 0.2}, {0.1, 0.1, 0.1}},
		{{0.1, 0.05, 0.05}, {0.5, 0.1, 0.1}, {0.1, 0.1, 0.5}},
	})
	if err != nil {
		t.Fatal(err)
	}
	eq26, err26 := h.Constrained([]int32{0})
	eq5, err5 := h.ConstrainedEq5([]int32{0})
	if err26 != nil || err5 != nil {
		t.Fatal(err26, err5)
	}
	// Both lie in the plane Σ = 0 around π, where two entries fix a direction.
	pi := h.Stationary()
	cross := (eq26[0]-pi[0])*(eq5[1]-pi[1]) - (eq26[1]-pi[1])*(eq5[0]-pi[0])
	lengths := math.Hypot(eq26[0]-pi[0], eq26[1]-pi[1]) * math.Hypot(eq5[0]-pi[0], eq5[1]-pi[1])
	if sine := math.Abs(cross) / lengths; sine < 0.01 {
		t.Errorf("the sine of the angle between Eq. 5 and Eq. 26 is %g", sine)
	}
}

// The two forms agree where a token says nothing of the state that was left (all
// rows of T^(z) have one sum), and where it alone says which state follows (all
// rows have one direction).
func TestWhereEq5IsEq26(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "states")
		a := rapid.IntRange(2, 3).Draw(t, "tokens")
		positive := rapid.Float64Range(0.05, 1)
		distribution := func(k int) []float64 {
			p, total := make([]float64, k), 0.0
			for i := range p {
				p[i] = positive.Draw(t, "p")
				total += p[i]
			}
			for i := range p {
				p[i] /= total
			}
			return p
		}
		oneSum := rapid.Bool().Draw(t, "rows of one sum, not of one direction")
		weights := make([][][]float64, n)
		tokens := distribution(a)
		targets := make([][]float64, a)
		for z := range targets {
			targets[z] = distribution(n)
		}
		for i := range weights {
			if !oneSum {
				tokens = distribution(a)
			}
			weights[i] = make([][]float64, a)
			for z := range weights[i] {
				to := targets[z]
				if oneSum {
					to = distribution(n)
				}
				weights[i][z] = make([]float64, n)
				for j := range to {
					weights[i][z][j] = tokens[z] * to[j]
				}
			}
		}
		h := fromWeights(t, weights)
		word := drawWord(t, h, 6)
		eq26, err26 := h.Constrained(word)
		eq5, err5 := h.ConstrainedEq5(word)
		if err26 != nil || err5 != nil {
			t.Fatal(err26, err5)
		}
		if d := distance(eq26, eq5); d > 1e-12 {
			t.Fatalf("%v: %v and %v", word, eq26, eq5)
		}
	})
}

// The literal Eq. 5 has no meaning where a state never emits a token; Eq. 26 has.
func TestConstrainedWithZeroRows(t *testing.T) {
	even, err := Even(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := even.Constrained([]int32{0}); err != nil || !slices.Equal(got, []float64{1, 0}) {
		t.Errorf("Eq. 26 after a zero: %v, %v", got, err)
	}
	want := "even: T^|0 is not defined: state B never emits token 0; use Constrained, which does not need it"
	if _, err := even.ConstrainedEq5([]int32{1, 0}); err == nil || err.Error() != want {
		t.Errorf("Eq. 5 after a zero: %v\nwant %s", err, want)
	}
}

func TestConstrainedErrors(t *testing.T) {
	never, err := Even(0) // the token 1 never occurs
	if err != nil {
		t.Fatal(err)
	}
	for want, word := range map[string][]int32{
		"even: token 1 at position 2 never occurs":                  {0, 1},
		"even: token 2 at position 1 is outside the alphabet 0 … 1": {2},
	} {
		if _, err := never.Constrained(word); err == nil || err.Error() != want {
			t.Errorf("%v: %v\nwant %s", word, err, want)
		}
	}
	if _, err := never.ConstrainedEq5([]int32{7}); err == nil || !strings.Contains(err.Error(), "outside the alphabet") {
		t.Errorf("Eq. 5: %v", err)
	}
}
