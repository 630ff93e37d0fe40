package theory

import (
	"math"
	"slices"
	"testing"

	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestHeadsOfTheZoo(t *testing.T) {
	for _, c := range []struct {
		make func() (*process.HMM, error)
		want Heads
	}{
		{func() (*process.HMM, error) { return process.Mess3(0.15, 0.6) }, Heads{1, 1, 1, 1}},
		{func() (*process.HMM, error) { return process.Mess3(1./3, 0.6) }, Heads{}}, // ζ = 0: the last token alone tells of the state
		{func() (*process.HMM, error) { return process.Mess3(0.5, 0.6) }, Heads{2, 2, 2, 2}},
		{func() (*process.HMM, error) { return process.Mess3(0.15, 1./3) }, Heads{}},   // tokens that tell nothing
		{func() (*process.HMM, error) { return process.Z1R(0.5) }, Heads{3, 3, 3, 3}},  // a pair on the unit circle
		{func() (*process.HMM, error) { return process.Even(0.5) }, Heads{2, 2, 2, 2}}, // −1/2
		{func() (*process.HMM, error) { return process.GoldenMean(0.5) }, Heads{2, 2, 2, 2}},
		{func() (*process.HMM, error) { return process.IID(3) }, Heads{}},
	} {
		h, err := c.make()
		if err != nil {
			t.Fatal(err)
		}
		s := mustSpectrum(t, h)
		if got := s.Heads(); got != c.want {
			t.Errorf("%s %v: %+v, want %+v: %s", h.Name(), h.Params(), got, c.want, describe(s))
		}
	}
}

// A state split in two with the same futures adds a mode that tokens excite and
// no future sees.
func TestModeThatNoFutureSees(t *testing.T) {
	// The even process with B split: B₁ and B₂ both emit 1 and go to A. From A
	// token 1 leads to B₁, from A token 2 to B₂, both as likely.
	h, err := process.New("split", []string{"0", "1", "2"}, []string{"A", "B1", "B2", "C"}, [][][]float64{
		{{0.5, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}, {1, 0, 0, 0}},
		{{0, 0.25, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},
		{{0, 0, 0.25, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := mustSpectrum(t, h)
	last := s.Modes[len(s.Modes)-1]
	if last.Eigenvalue != 0 || last.Excited != 1 || last.Future != 0 || last.Next != 0 {
		t.Error(describe(s))
	}
}

// The heads of a set of eigenvalues, each with its index, of which all is seen.
func TestFewestHeads(t *testing.T) {
	mode := func(v complex128, reached int) Mode { return Mode{Eigenvalue: v, Excited: reached} }
	for _, c := range []struct {
		modes []Mode
		want  int
	}{
		{[]Mode{mode(0.5, 1), mode(0.2, 1)}, 2},
		{[]Mode{mode(0.5, 2)}, 2},
		{[]Mode{mode(-0.5, 1)}, 2},
		{[]Mode{mode(-0.5, 2)}, 3},
		{[]Mode{mode(-0.5, 1), mode(-0.2, 1)}, 3},    // they share what is positive
		{[]Mode{mode(0.5, 1), mode(-0.3, 1)}, 2},     // it rides on the positive one
		{[]Mode{mode(0.5, 1), mode(-0.5, 1)}, 2},     // just so
		{[]Mode{mode(0.5, 1), mode(-0.5, 2)}, 4},     // n·(−½)ⁿ outgrows ½ⁿ
		{[]Mode{mode(0.3, 1), mode(-0.5, 1)}, 3},     // it is outlasted
		{[]Mode{mode(0.3+0.3i, 1)}, 3},               // three phases
		{[]Mode{mode(0.5, 1), mode(0.3+0.3i, 1)}, 3}, //
		{[]Mode{mode(0.3+0.3i, 2)}, 5},               //
		{[]Mode{mode(0, 1)}, 0},                      // lag 0: the embedding's
		{[]Mode{mode(0, 3)}, 2},                      // lags 1 and 2
		{[]Mode{mode(0, 3), mode(-0.5, 1)}, 4},       //
		{[]Mode{mode(0.5, 0), mode(-0.3, 1)}, 2},     // what is not excited cannot help
		{[]Mode{mode(1, 1), mode(-1, 1), mode(1i, 1)}, 4},
	} {
		if got := fewest(c.modes, excited); got != c.want {
			t.Errorf("%v: %d heads, want %d", c.modes, got, c.want)
		}
	}
}

// The space of profiles has as many dimensions as the matrix of what each token
// adds at each lag has rank.
func TestProfilesSpanWhatTokensAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]func(*rapid.T) *process.HMM{reversibleHMM, anyHMM}).Draw(t, "kind")(t)
		s := mustSpectrum(t, h)
		n := h.NumStates()
		basis := profiles(s.Modes, excited)
		lags := 2 * n // more than V can have dimensions
		added := mat.NewDense(lags, n*h.Alphabet(), nil)
		for z, source := range Of(h).sources {
			if source == nil {
				continue
			}
			var term mat.Dense
			net := mat.NewDense(n, n, h.NetTransition())
			term.Sub(mat.NewDense(1, n, source), mat.NewDense(1, n, h.Stationary()))
			for lag := range lags {
				term.Mul(&term, net) // lag + 1 steps
				for j := range n {
					added.Set(lag, z*n+j, term.At(0, j))
				}
			}
		}
		var svd mat.SVD
		svd.Factorize(added, mat.SVDNone)
		values := svd.Values(nil)
		// Small eigenvalues fade below any threshold; count only where the gap is clear.
		for _, v := range values {
			if v > 1e-12 && v < 1e-7 {
				return // a rank that depends on the threshold
			}
		}
		rank := 0
		for _, v := range values {
			if v > 1e-9 {
				rank++
			}
		}
		if rank != len(basis) {
			t.Fatalf("rank %d, %d profiles: %s", rank, len(basis), describe(s))
		}
	})
}

// One head more than profiles is asked for exactly when no profile in their span
// dominates them all, which a perceptron decides by itself over many lags.
func TestOneHeadMoreWhenNothingDominates(t *testing.T) {
	more, enough := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		// Moduli far apart, so that 40 lags tell.
		moduli := []float64{0.8, 0.5, 0.3}
		var modes []Mode
		for _, r := range moduli {
			switch rapid.IntRange(0, 3).Draw(t, "sort") {
			case 0:
				modes = append(modes, Mode{Eigenvalue: complex(r, 0), Excited: 1})
			case 1:
				modes = append(modes, Mode{Eigenvalue: complex(-r, 0), Excited: 1})
			case 2:
				phase := rapid.Float64Range(0.5, 2.6).Draw(t, "phase")
				modes = append(modes, Mode{Eigenvalue: complex(r*math.Cos(phase), r*math.Sin(phase)), Excited: 1})
			}
		}
		if rapid.Bool().Draw(t, "with a slow mode that is not excited") {
			modes = append(modes, Mode{Eigenvalue: 0.95})
		}
		basis := profiles(modes, excited)
		if len(basis) == 0 {
			return
		}
		// Each row is a lag, relative to the largest |λ|ⁿ.
		rows := make([][]float64, 40)
		for n := range rows {
			rows[n] = make([]float64, len(basis))
			for i, p := range basis {
				rows[n][i] = p.at(n+1) / math.Pow(modes[0].Modulus(), float64(n+1))
			}
		}
		dominated := separable(rows)
		changes := false
		for _, p := range basis {
			changes = changes || p.changesSign()
		}
		want := len(basis)
		if changes && !dominated {
			want++
			more++
		} else if changes {
			enough++
		}
		if got := fewest(modes, excited); got != want {
			t.Fatalf("%v: %d heads, by the perceptron %d", modes, got, want)
		}
	})
	if more == 0 || enough == 0 {
		t.Errorf("%d times one head more, %d times not", more, enough)
	}
}

// separable says whether some combination x of columns is at least 0.1·|x| in every
// row. By the perceptron with a margin: where an x of margin 1 exists, as a dominating
// profile is, few corrections are enough; moduli far apart leave 1e-8 otherwise.
func separable(rows [][]float64) bool {
	x := make([]float64, len(rows[0]))
	for range 1000 {
		mistake := slices.IndexFunc(rows, func(row []float64) bool { return floats.Dot(row, x) <= 0.1*floats.Norm(x, 2) })
		if mistake < 0 {
			return true
		}
		floats.Add(x, rows[mistake])
	}
	return false
}
