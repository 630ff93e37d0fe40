package theory

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"foretell/internal/processtest"
	"foretell/process"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Eq. 5 and Eq. 7 agree, with either source term, for random reversible chains.
func TestSpectralFormAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := reversibleHMM(t)
		spectralFormAgrees(t, h, mustSpectrum(t, h), drawWord(t, h, 12), 1e-12)
	})
}

// The same for any HMM, complex and defective T included.
func TestSpectralFormOfAnyHMM(t *testing.T) {
	defective, pairs := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]func(*rapid.T) *process.HMM{anyHMM, jordanHMM}).Draw(t, "kind")(t)
		s := mustSpectrum(t, h)
		for _, m := range s.Modes {
			if m.Index > 1 {
				defective++
			}
			if m.Pair() {
				pairs++
			}
		}
		spectralFormAgrees(t, h, s, drawWord(t, h, 12), 1e-10)
	})
	if defective == 0 || pairs == 0 {
		t.Errorf("%d defective modes and %d pairs", defective, pairs)
	}
}

func mustSpectrum(t inContext, h *process.HMM) *Spectrum {
	s, err := Of(h).Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func spectralFormAgrees(t *rapid.T, h *process.HMM, s *Spectrum, word []int32, tolerance float64) {
	direct, err := h.Constrained(word)
	if err != nil {
		t.Fatal(err)
	}
	spectral, err := s.Constrained(word)
	if err != nil {
		t.Fatal(err)
	}
	if d := distance(direct, spectral); d > tolerance {
		t.Fatalf("%v: Eq. 26 gives %v, its modes %v", word, direct, spectral)
	}
	direct, errDirect := h.ConstrainedEq5(word)
	spectral, errSpectral := s.ConstrainedEq5(word)
	if errDirect != nil || errSpectral != nil {
		if errDirect == nil || errSpectral == nil {
			t.Fatalf("%v: Eq. 5 says %v, Eq. 7 %v", word, errDirect, errSpectral)
		}
		return
	}
	if d := distance(direct, spectral); d > tolerance {
		t.Fatalf("%v: Eq. 5 gives %v, Eq. 7 %v", word, direct, spectral)
	}
}

// Eigenvalues, multiplicities and indices are those that T was made of.
func TestJordanFormIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, blocks := jordanChain(t)
		type facts struct{ multiplicity, index int }
		want := map[complex128]facts{}
		for _, b := range blocks {
			v := complex(b.re, b.im)
			f := want[v]
			want[v] = facts{f.multiplicity + b.size, max(f.index, b.size)}
		}
		s := mustSpectrum(t, h)
		if len(s.Modes) != len(want)+1 || s.Modes[0].Eigenvalue != 1 || s.Modes[0].Multiplicity != 1 {
			t.Fatalf("%s for the blocks %v", describe(s), blocks)
		}
		for _, m := range s.Modes[1:] {
			found := false
			for v, f := range want {
				if cmplx.Abs(v-m.Eigenvalue) < 1e-8 {
					found = f == facts{m.Multiplicity, m.Index}
				}
			}
			if !found {
				t.Fatalf("%s for the blocks %v", describe(s), blocks)
			}
		}
	})
}

// describe prints what a spectrum holds.
func describe(s *Spectrum) string {
	var list []string
	for _, m := range s.Modes {
		list = append(list, fmt.Sprintf("%.3g ×%d index %d reach %d %d %d", m.Eigenvalue, m.Multiplicity, m.Index, m.Excited, m.Future, m.Next))
	}
	return strings.Join(list, "; ")
}

// Projectors are idempotent, annihilate each other, sum to the identity, and have
// the multiplicity as their trace; powers of nilpotents are what their name says,
// modes are in order, and all together rebuild every power of T.
func TestModes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]func(*rapid.T) *process.HMM{anyHMM, jordanHMM, reversibleHMM}).Draw(t, "kind")(t)
		s := mustSpectrum(t, h)
		if s.Modes[0].Eigenvalue != 1 || !slices.IsSortedFunc(s.Modes, compareModes) {
			t.Fatal(describe(s))
		}
		n := h.NumStates()
		net := complexMatrix(h.NetTransition())
		var all []Mode // pairs as two
		for _, m := range s.Modes {
			if imag(m.Eigenvalue) < 0 || m.Index > m.Multiplicity || len(m.Powers) != m.Index || m.Future > m.Excited || m.Next > m.Future {
				t.Fatal(describe(s))
			}
			all = append(all, m)
			if m.Pair() {
				conjugate := m
				conjugate.Eigenvalue, conjugate.Powers = cmplx.Conj(m.Eigenvalue), nil
				for _, p := range m.Powers {
					q := slices.Clone(p)
					for i := range q {
						q[i] = cmplx.Conj(q[i])
					}
					conjugate.Powers = append(conjugate.Powers, q)
				}
				all = append(all, conjugate)
			}
		}
		const tolerance = 1e-10
		identity := make([]complex128, n*n)
		for a, m := range all {
			trace := complex128(0)
			for i := range n {
				trace += m.Powers[0][i*n+i]
			}
			if cmplx.Abs(trace-complex(float64(m.Multiplicity), 0)) > tolerance {
				t.Fatalf("the trace of projector %d is %v: %s", a, trace, describe(s))
			}
			cmplxs.Add(identity, m.Powers[0])
			for b, other := range all {
				want := make([]complex128, n*n)
				if a == b {
					want = m.Powers[0]
				}
				if d := cmplxs.Distance(complexProduct(m.Powers[0], other.Powers[0], n), want, math.Inf(1)); d > tolerance {
					t.Fatalf("projectors %d and %d: off by %g: %s", a, b, d, describe(s))
				}
			}
			for k, power := range m.Powers {
				next := complexProduct(net, power, n)
				cmplxs.AddScaled(next, -m.Eigenvalue, power)
				want := make([]complex128, n*n)
				if k+1 < m.Index {
					want = m.Powers[k+1]
				}
				if d := cmplxs.Distance(next, want, math.Inf(1)); d > tolerance {
					t.Fatalf("(T−λ)N^%d of mode %d: off by %g: %s", k, a, d, describe(s))
				}
			}
		}
		power := make([]complex128, n*n)
		for i := range n {
			power[i*n+i] = 1
		}
		if d := cmplxs.Distance(identity, power, math.Inf(1)); d > tolerance {
			t.Fatalf("the projectors sum to the identity but for %g: %s", d, describe(s))
		}
		for lag := range 9 {
			sum := make([]complex128, n*n)
			for _, m := range all {
				for k, p := range m.Powers {
					cmplxs.AddScaled(sum, m.Profile(lag, k), p)
				}
			}
			if d := cmplxs.Distance(sum, power, math.Inf(1)); d > tolerance {
				t.Fatalf("T^%d: off by %g: %s", lag, d, describe(s))
			}
			power = complexProduct(power, net, n)
		}
	})
}

func complexMatrix(a []float64) []complex128 {
	c := make([]complex128, len(a))
	for i, x := range a {
		c[i] = complex(x, 0)
	}
	return c
}

func complexProduct(a, b []complex128, n int) []complex128 {
	c := make([]complex128, n*n)
	for i := range n {
		for k := range n {
			for j := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

// Mess3 has ζ = 1−3x twice, and T_ζ = 1 − 1π (Piotrowski et al. 2025, above Eq. 14);
// x = 1/3 gives ζ = 0, whose only power that counts is 0⁰ = 1.
func TestSpectrumOfMess3(t *testing.T) {
	for _, x := range []float64{0.05, 0.15, 1. / 3, 0.5} {
		h := mustMess3(t, x, 0.6)
		s := mustSpectrum(t, h)
		if len(s.Modes) != 2 || s.Modes[0].Eigenvalue != 1 || cmplx.Abs(s.Modes[1].Eigenvalue-complex(1-3*x, 0)) > 1e-15 ||
			s.Modes[0].Multiplicity != 1 || s.Modes[1].Multiplicity != 2 || s.Modes[1].Index != 1 {
			t.Fatalf("x = %g: %s", x, describe(s))
		}
		for i := range 3 {
			for j := range 3 {
				want := complex(-1./3, 0)
				if i == j {
					want = 2. / 3
				}
				if got := s.Modes[1].Powers[0][i*3+j]; cmplx.Abs(got-want) > 1e-15 {
					t.Errorf("x = %g: T_ζ[%d,%d] is %g", x, i, j, got)
				}
			}
		}
		word := []int32{0, 1, 1, 2, 0}
		direct, errDirect := h.Constrained(word)
		spectral, errSpectral := s.Constrained(word)
		if errDirect != nil || errSpectral != nil || distance(direct, spectral) > 1e-14 {
			t.Errorf("x = %g: %v and %v; %v, %v", x, direct, spectral, errDirect, errSpectral)
		}
	}
}

// onlyT makes an HMM of one token and the given T.
func onlyT(t *testing.T, net [][]float64) *process.HMM {
	t.Helper()
	h, err := process.New("mess-like", []string{"z"}, processtest.Numbered(len(net)), [][][]float64{net})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestSpectraOfEverySort(t *testing.T) {
	const e = 1e-12
	for name, c := range map[string]struct {
		net  [][]float64
		want string
	}{
		"one state": {[][]float64{{1}}, "(1+0i) ×1 index 1"},
		"a cycle": {
			[][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
			"(1+0i) ×1 index 1; (-0.5+0.866i) ×1 index 1",
		},
		// The last two states are left for the first; 1/2 has one eigenvector.
		"a Jordan block": {
			[][]float64{{1, 0, 0}, {0.25, 0.5, 0.25}, {0.5, 0, 0.5}},
			"(1+0i) ×1 index 1; (0.5+0i) ×2 index 2",
		},
		// The same with eigenvalues 1e-7 apart.
		"all but a Jordan block": {
			[][]float64{{1, 0, 0}, {0.25, 0.5, 0.25}, {0.4999999, 0, 0.5000001}},
			"(1+0i) ×1 index 1; (0.5+0i) ×2 index 2",
		},
		// The last two of a sequence of fair bits: T² has equal rows, T has not.
		"a nilpotent part": {
			[][]float64{{0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}, {0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}},
			"(1+0i) ×1 index 1; (0+0i) ×3 index 2",
		},
		"two halves that hardly touch": {
			[][]float64{{0.5, 0.5 - e, e, 0}, {0.5, 0.5, 0, 0}, {e, 0, 0.5, 0.5 - e}, {0, 0, 0.5, 0.5}},
			"(1+0i) ×2 index 1; (0+0i) ×2 index 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := onlyT(t, c.net)
			s := mustSpectrum(t, h)
			var list []string
			for _, m := range s.Modes {
				list = append(list, fmt.Sprintf("%.3g ×%d index %d", m.Eigenvalue+0, m.Multiplicity, m.Index))
			}
			if got := strings.Join(list, "; "); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// A long chain of states, each with another chance to stay: eigenvalues are far
// apart, but their eigenvectors are all but parallel. Taken as one, with as many
// powers as it needs, they still rebuild T.
func TestSpectrumOfParallelEigenvectors(t *testing.T) {
	const n = 14
	net := make([][]float64, n)
	for i := range net {
		net[i] = make([]float64, n)
		net[i][i] = 1
		if i > 0 {
			net[i][i] = 0.3 + 0.02*float64(i)
			net[i][i-1] = 1 - net[i][i]
		}
	}
	h := onlyT(t, net)
	s := mustSpectrum(t, h)
	if m := s.Modes[1]; m.Multiplicity != n-1 || m.Index <= n-1 {
		t.Error(describe(s))
	}
	power := mat.NewDense(n, n, nil)
	for lag := range 20 {
		power.Pow(mat.NewDense(n, n, h.NetTransition()), lag)
		sum := make([]complex128, n*n)
		for _, m := range s.Modes {
			for k, p := range m.Powers {
				cmplxs.AddScaled(sum, m.Profile(lag, k), p)
			}
		}
		if d := cmplxs.Distance(sum, complexMatrix(power.RawMatrix().Data), math.Inf(1)); d > 1e-10 {
			t.Errorf("T^%d is off by %g", lag, d)
		}
	}
}

// Eigenvalues whose differences do not die out are not one.
func TestUnlikeEigenvaluesAreNoMode(t *testing.T) {
	h := onlyT(t, [][]float64{{0, 1}, {1, 0}})
	if m, ok := Of(h).mode(cluster{values: []complex128{1, -1}, projector: []complex128{1, 0, 0, 1}}); ok {
		t.Errorf("1 and −1 became one mode of index %d", m.Index)
	}
}

// The spectrum has a bound of states.
func TestBoundOfStates(t *testing.T) {
	ring := func(n int) *process.HMM { return must(process.Periodic("b" + strings.Repeat("a", n-1))) }
	if _, err := Of(ring(process.MostSpectral)).Spectrum(t.Context()); err != nil {
		t.Error(err)
	}
	_, err := Of(ring(process.MostSpectral + 1)).Spectrum(t.Context())
	if want := "periodic: 129 states are too many for a spectrum, want at most 128; Constrained does not need it"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
