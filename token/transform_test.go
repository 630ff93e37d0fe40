package token

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"pgregory.net/rapid"
)

// lengths are blocks of which the wavelets have no, one and several levels.
var lengths = map[string][]int{
	"dft":         {1, 2, 3, 4, 7, 8, 16, 30},
	"dct":         {1, 2, 3, 4, 7, 8, 16, 30},
	"haar":        {1, 2, 4, 6, 16, 24, 64},
	"daubechies4": {1, 4, 6, 8, 12, 16, 64},
}

func squares(x []float64) (sum float64) {
	for _, v := range x {
		sum += square(v)
	}
	return sum
}

func newTransform(t *testing.T, name string, n int) *Transform {
	t.Helper()
	tr, err := NewTransform(name, n)
	if err != nil {
		t.Fatal(err)
	}
	if tr.Name() != name || tr.Len() != n {
		t.Errorf("%s of %d calls itself %s of %d", name, n, tr.Name(), tr.Len())
	}
	return tr
}

// near says whether two vectors agree to rounding.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

func TestTransformsKeepSquaresAndInvert(t *testing.T) {
	for _, name := range TransformNames() {
		for _, n := range lengths[name] {
			tr, x := newTransform(t, name, n), gaussian(3*n, 0, 1, 1)
			c, back := make([]float64, 3*n), make([]float64, 3*n)
			tr.Forward(c, x)
			tr.Inverse(back, c)
			if !near(back, x) {
				t.Errorf("%s of %d: the inverse is off: %v of %v", name, n, back, x)
			}
			for b := range 3 {
				if want, got := squares(x[b*n:(b+1)*n]), squares(c[b*n:(b+1)*n]); math.Abs(got-want) > 1e-12*want {
					t.Errorf("%s of %d: squares of samples %g, of coefficients %g", name, n, want, got)
				}
			}
		}
	}
}

// The matrix of a transform times its transpose is one: rows are orthonormal, too.
func TestTransformsAreOrthonormal(t *testing.T) {
	for _, name := range TransformNames() {
		for _, n := range lengths[name] {
			tr, unit := newTransform(t, name, n), make([]float64, n*n)
			for i := range n {
				unit[i*n+i] = 1
			}
			matrix, product := make([]float64, n*n), make([]float64, n*n)
			tr.Inverse(matrix, unit)
			tr.Forward(product, matrix)
			if !near(product, unit) {
				t.Errorf("%s of %d is not orthonormal", name, n)
			}
		}
	}
}

// The DFT and the DCT-II are those of another library, scaled to norm 1.
func TestTransformsAgreeWithGonum(t *testing.T) {
	for _, n := range []int{2, 3, 8, 15, 30} {
		x, got := gaussian(n, 0, 1, 1), make([]float64, n)
		newTransform(t, "dft", n).Forward(got, x)
		var want []float64
		for k, c := range fourier.NewFFT(n).Coefficients(nil, x) {
			scale := math.Sqrt(2 / float64(n))
			switch {
			case k == 0 || 2*k == n:
				want = append(want, real(c)/math.Sqrt(float64(n)))
			default:
				want = append(want, real(c)*scale, -imag(c)*scale)
			}
		}
		if !near(got, want) {
			t.Errorf("DFT of %d samples: %v, gonum has %v", n, got, want)
		}
		newTransform(t, "dct", n).Forward(got, x)
		want = fourier.NewQuarterWaveFFT(n).CosSequence(nil, x)
		for k := range want {
			want[k] *= math.Sqrt(2/float64(n)) / 4
		}
		want[0] /= math.Sqrt2
		if !near(got, want) {
			t.Errorf("DCT of %d samples: %v, gonum has %v", n, got, want)
		}
	}
}

// coefficients counts those of a signal that are not 0, all and in the second half.
func coefficients(t *testing.T, name string, x []float64) (all, finest int) {
	c := make([]float64, len(x))
	newTransform(t, name, len(x)).Forward(c, x)
	for k, v := range c {
		if math.Abs(v) > 1e-12 {
			all++
			if k >= len(x)/2 {
				finest++
			}
		}
	}
	return all, finest
}

// A constant is one coefficient of each (of Daubechies's wavelet two, which goes down to
// a length of 2), a step in the middle two of Haar's wavelet, and of a straight line
// Daubechies's has a finest detail at the seam alone.
func TestWaveletsVanishWhereTheyShould(t *testing.T) {
	const n = 32
	constant, line, step := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		constant[i], line[i], step[i] = 1, float64(i), float64(i/(n/2))
	}
	for name, want := range map[string]int{"dft": 1, "dct": 1, "haar": 1, "daubechies4": 2} {
		if got, _ := coefficients(t, name, constant); got != want {
			t.Errorf("%s: a constant has %d coefficients, want %d", name, got, want)
		}
	}
	if got, _ := coefficients(t, "haar", step); got != 2 {
		t.Errorf("haar: a step has %d coefficients, want 2", got)
	}
	if _, got := coefficients(t, "daubechies4", line); got != 1 {
		t.Errorf("daubechies4: a straight line has %d finest details, want 1", got)
	}
	if _, got := coefficients(t, "haar", line); got != n/2 {
		t.Errorf("haar: a straight line has %d finest details, want all %d", got, n/2)
	}
}

func TestTransformsRefuseBlocks(t *testing.T) {
	for _, bad := range []struct {
		name string
		n    int
	}{{"dst", 8}, {"dct", 0}, {"dct", 1025}, {"haar", 3}, {"daubechies4", 2}, {"daubechies4", 9}} {
		if _, err := NewTransform(bad.name, bad.n); err == nil {
			t.Errorf("%s of %d is no error", bad.name, bad.n)
		} else {
			t.Log(err)
		}
	}
}

// bruteForce returns the least sum of distortions of all ways to share out bits.
func bruteForce(distortions [][]float64, total int) float64 {
	if len(distortions) == 0 {
		return 0
	}
	least := math.Inf(1)
	for own, d := range distortions[0] {
		if own <= total {
			least = min(least, d+bruteForce(distortions[1:], total-own))
		}
	}
	return least
}

func allocated(t rapid.TB, distortions [][]float64, total int) (sum float64, bits []int) {
	bits, err := AllocateBits(distortions, total)
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for i, b := range bits {
		sum, used = sum+distortions[i][b], used+b
	}
	if used > total {
		t.Fatalf("%v are more than %d bits", bits, total)
	}
	return sum, bits
}

func TestAllocationIsTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		distortions := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 5), 0, 4).Draw(t, "distortions")
		total := rapid.IntRange(0, 9).Draw(t, "bits")
		got, bits := allocated(t, distortions, total)
		if want := bruteForce(distortions, total); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%d bits as %v come to %g, the best to %g", total, bits, got, want)
		}
	})
}

// Of equal sums the fewest bits are given, and the earlier quantisers have them.
func TestAllocationOfEqualSums(t *testing.T) {
	for _, test := range []struct {
		distortions [][]float64
		total       int
		want        []int
	}{
		{[][]float64{{2, 1, 1}, {2, 1, 1}}, 1, []int{1, 0}},
		{[][]float64{{1, 1}, {1, 1}}, 2, []int{0, 0}},
		{[][]float64{{3, 2}, {0}, {2, 3, 0}, {3, 2}}, 2, []int{0, 0, 2, 0}}, // and not 1, 0, 0, 1
	} {
		if _, bits := allocated(t, test.distortions, test.total); !slices.Equal(bits, test.want) {
			t.Errorf("%d bits for %v: %v, want %v", test.total, test.distortions, bits, test.want)
		}
	}
}

// Where each distortion falls by 4 a bit, as at high rate, the allocation is the greedy
// one and keeps above Shannon's bound, less than a bit from what water-filling would be.
func TestAllocationBesideWaterFilling(t *testing.T) {
	variances := []float64{40, 9, 2, 0.5, 0}
	distortions := make([][]float64, len(variances))
	for i, v := range variances {
		for b := range 12 {
			distortions[i] = append(distortions[i], v*math.Pow(4, -float64(b)))
		}
	}
	for total := range 20 {
		got, bits := allocated(t, distortions, total)
		bound := 0.0
		for _, d := range ReverseWaterFilling(variances, float64(total)) {
			bound += d
		}
		greedy := make([]int, len(variances))
		for range total {
			best := 0
			for i := range greedy {
				if distortions[i][greedy[i]] > distortions[best][greedy[best]] {
					best = i
				}
			}
			greedy[best]++
		}
		if !slices.Equal(bits, greedy) || got < bound-1e-12 || got > 4*bound {
			t.Errorf("%d bits: %v (greedy: %v) with %g, the bound is %g", total, bits, greedy, got, bound)
		}
	}
}

func TestAllocationRefuses(t *testing.T) {
	for _, bad := range []struct {
		distortions [][]float64
		total       int
	}{{nil, -1}, {[][]float64{{}}, 1}, {[][]float64{{1}, {1, math.NaN()}}, 1}, {[][]float64{{math.Inf(1)}}, 1}} {
		if bits, err := AllocateBits(bad.distortions, bad.total); err == nil {
			t.Errorf("%v is no error: %v", bad, bits)
		} else {
			t.Log(err)
		}
	}
}

// The rate of what reverse water-filling returns is what was asked for, no source is
// above the level, and those below it are left out.
func TestReverseWaterFilling(t *testing.T) {
	if d := ReverseWaterFilling([]float64{3}, 2)[0]; math.Abs(d-3.0/16) > 1e-15 {
		t.Errorf("one source with 2 bits: %g, want σ²/16", d)
	}
	rapid.Check(t, func(t *rapid.T) {
		variances := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 8).Draw(t, "variances")
		bits := rapid.Float64Range(0, 30).Draw(t, "bits")
		if slices.Max(variances) < 1e-6 {
			return
		}
		d := ReverseWaterFilling(variances, bits)
		level, rate := slices.Max(d), 0.0
		for i, v := range variances {
			if d[i] < v {
				rate += math.Log2(v/d[i]) / 2
			}
			if d[i] > v || d[i] < v && d[i] != level {
				t.Fatalf("distortion %g of variance %g at the level %g", d[i], v, level)
			}
		}
		if math.Abs(rate-bits) > 1e-9 {
			t.Fatalf("rate %g, want %g", rate, bits)
		}
	})
}
