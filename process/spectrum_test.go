package process

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Eq. 5 and Eq. 7 agree, with either source term, for random reversible chains.
func TestSpectralFormAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := reversibleHMM(t)
		s, err := h.Spectrum()
		if err != nil {
			t.Fatal(err)
		}
		spectralFormAgrees(t, h, s, drawWord(t, h, 12), 1e-12)
	})
}

// The same for any HMM whose T happens to be real and diagonalisable; when T is
// not, the error says so, and for the complex ones it is right.
func TestSpectralFormOfAnyHMM(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		s, err := h.Spectrum()
		if err == nil {
			found++
			// Up to 1e6 times 1e-16, the worst condition number accepted.
			spectralFormAgrees(t, h, s, drawWord(t, h, 12), 1e-10)
			return
		}
		n := h.NumStates()
		var eigen mat.Eigen
		eigen.Factorize(mat.NewDense(n, n, h.NetTransition()), mat.EigenNone)
		largest := 0.0
		for _, v := range eigen.Values(nil) {
			largest = max(largest, math.Abs(imag(v)))
		}
		if complex := strings.Contains(err.Error(), "complex eigenvalues"); complex != (largest > imaginaryPart) {
			t.Fatalf("imaginary parts up to %g: %v", largest, err)
		}
	})
	if found == 0 {
		t.Error("no HMM had a real diagonalisable T")
	}
}

func spectralFormAgrees(t *rapid.T, h *HMM, s *Spectrum, word []int, tolerance float64) {
	direct, err := h.Constrained(word)
	if err != nil {
		t.Fatal(err)
	}
	spectral, err := s.Constrained(word)
	if err != nil {
		t.Fatal(err)
	}
	if d := distance(direct, spectral); d > tolerance {
		t.Fatalf("%v: Eq. 26 gives %v, Eq. 7 %v", word, direct, spectral)
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

// Projectors are idempotent, annihilate each other, sum to the identity, have the
// multiplicity as their trace, and rebuild T.
func TestProjectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := reversibleHMM(t)
		s, err := h.Spectrum()
		if err != nil {
			t.Fatal(err)
		}
		n := h.NumStates()
		identity, net := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for k, p := range s.Projectors {
			projector := mat.NewDense(n, n, p)
			if trace := mat.Trace(projector); math.Abs(trace-float64(s.Multiplicities[k])) > 1e-12 {
				t.Fatalf("λ = %g: the projector's trace is %g, the multiplicity %d", s.Eigenvalues[k], trace, s.Multiplicities[k])
			}
			identity.Add(identity, projector)
			var scaled mat.Dense
			scaled.Scale(s.Eigenvalues[k], projector)
			net.Add(net, &scaled)
			for l, q := range s.Projectors {
				var product mat.Dense
				product.Mul(projector, mat.NewDense(n, n, q))
				want := mat.NewDense(n, n, nil)
				if k == l {
					want = projector
				}
				if !mat.EqualApprox(&product, want, 1e-12) {
					t.Fatalf("projectors %d and %d: %v", k, l, mat.Formatted(&product))
				}
			}
		}
		one := mat.NewDiagDense(n, nil)
		for i := range n {
			one.SetDiag(i, 1)
		}
		if !mat.EqualApprox(identity, one, 1e-12) {
			t.Fatalf("the projectors sum to %v", mat.Formatted(identity))
		}
		if !mat.EqualApprox(net, mat.NewDense(n, n, h.NetTransition()), 1e-12) {
			t.Fatalf("Σ λT_λ is %v", mat.Formatted(net))
		}
	})
}

// Mess3 has ζ = 1−3x twice, and T_ζ = 1 − 1π (seed 001, above Eq. 14); x = 1/3 gives
// ζ = 0, whose only power that counts is 0⁰ = 1.
func TestSpectrumOfMess3(t *testing.T) {
	for _, x := range []float64{0.05, 0.15, 1. / 3, 0.5} {
		h := mustMess3(t, x, 0.6)
		s, err := h.Spectrum()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Eigenvalues) != 2 || s.Eigenvalues[0] != 1 || math.Abs(s.Eigenvalues[1]-(1-3*x)) > 1e-15 ||
			s.Multiplicities[0] != 1 || s.Multiplicities[1] != 2 {
			t.Fatalf("x = %g: eigenvalues %v, multiplicities %v", x, s.Eigenvalues, s.Multiplicities)
		}
		for i := range 3 {
			for j := range 3 {
				want := -1. / 3
				if i == j {
					want = 2. / 3
				}
				if got := s.Projectors[1][i*3+j]; math.Abs(got-want) > 1e-15 {
					t.Errorf("x = %g: T_ζ[%d,%d] is %g", x, i, j, got)
				}
			}
		}
		word := []int{0, 1, 1, 2, 0}
		direct, errDirect := h.Constrained(word)
		spectral, errSpectral := s.Constrained(word)
		if errDirect != nil || errSpectral != nil || distance(direct, spectral) > 1e-14 {
			t.Errorf("x = %g: %v and %v; %v, %v", x, direct, spectral, errDirect, errSpectral)
		}
	}
}

// onlyT makes an HMM of one token and the given T.
func onlyT(t *testing.T, net [][]float64) *HMM {
	t.Helper()
	h, err := New("mess-like", []string{"z"}, numbered(len(net)), [][][]float64{net})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestSpectrumErrors(t *testing.T) {
	const e = 1e-12
	for name, c := range map[string]struct {
		net  [][]float64
		want string
	}{
		"a cycle": {
			[][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
			"mess-like: T has the complex eigenvalues -0.5±0.866i; the spectral form is for real diagonalisable T, use the form of Eq. 26",
		},
		// The last two states are left for the first; 1/2 has one eigenvector.
		"a Jordan block": {
			[][]float64{{1, 0, 0}, {0.25, 0.5, 0.25}, {0.5, 0, 0.5}},
			"mess-like: T is defective or nearly so; the spectral form is for real diagonalisable T, use the form of Eq. 26",
		},
		// The same with eigenvalues 1e-7 apart: eigenvectors with few digits.
		"all but a Jordan block": {
			[][]float64{{1, 0, 0}, {0.25, 0.5, 0.25}, {0.4999999, 0, 0.5000001}},
			"mess-like: T is defective or nearly so; the spectral form is for real diagonalisable T, use the form of Eq. 26",
		},
		// The last two of a sequence of fair bits: T² has equal rows, T has not.
		"a nilpotent part": {
			[][]float64{{0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}, {0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}},
			"mess-like: T is defective or nearly so; the spectral form is for real diagonalisable T, use the form of Eq. 26",
		},
		"two halves that hardly touch": {
			[][]float64{{0.5, 0.5 - e, e, 0}, {0.5, 0.5, 0, 0}, {e, 0, 0.5, 0.5 - e}, {0, 0, 0.5, 0.5}},
			"mess-like: T has 2 eigenvalues within 1e-10 of 1 and is all but non-ergodic; use the form of Eq. 26",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := onlyT(t, c.net).Spectrum()
			if err == nil || err.Error() != c.want {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}
