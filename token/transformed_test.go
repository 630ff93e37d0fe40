package token

import (
	"math"
	"slices"
	"testing"
)

// correlated returns samples of x[n+1] = 0.9·x[n] + noise, of variance 1.
func correlated(n int, seed uint64) []float64 {
	x := gaussian(n, 0, 1, seed)
	for i := 1; i < n; i++ {
		x[i] = 0.9*x[i-1] + math.Sqrt(1-0.81)*x[i]
	}
	return x
}

// With 2 bits a sample of a correlated source, each transform has less distortion than
// the best scalar quantiser, the DCT most of all, and none is below Shannon's bound. The
// low frequencies of the DCT have the bits.
func TestTransformsUseWhatSamplesShare(t *testing.T) {
	x, held := correlated(1<<15, 1), correlated(1<<14, 2)
	variances := make([]float64, 512)
	for k := range variances {
		variances[k] = 0.19 / (1.81 - 1.8*math.Cos(math.Pi*(float64(k)+0.5)/512))
	}
	bound := 0.0
	for _, d := range ReverseWaterFilling(variances, 2*512) {
		bound += d / 512
	}
	scalar, err := FitLloydMax(x, 4, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := Distortion(scalar, held)
	best := plain
	for _, name := range TransformNames() {
		q, err := FitTransformed(x, name, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Distortion(q, held)
		if err != nil {
			t.Fatal(err)
		}
		if d > plain/2 || d < bound {
			t.Errorf("%s: distortion %g, scalar %g, bound %g", name, d, plain, bound)
		}
		best = min(best, d)
		if name == "dct" {
			if d != best {
				t.Errorf("the DCT has %g, another transform %g", d, best)
			}
			if b := q.Bits(); b[0] < 4 || b[15] > 1 || !slices.IsSortedFunc(b, func(a, b int) int { return b - a }) {
				t.Errorf("the DCT's bits are %v", b)
			}
		}
	}
	t.Logf("scalar %.4f, DCT %.4f, bound %.4f", plain, best, bound)
}

// The distortion of a block is that of its coefficients.
func TestTransformedDistortionIsThatOfCoefficients(t *testing.T) {
	x := correlated(1<<14, 1)
	for _, name := range TransformNames() {
		c, err := FitCoefficients(x, name, 8)
		if err != nil {
			t.Fatal(err)
		}
		q, err := c.Share(12)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for k, b := range q.Bits() {
			want += c.distortions[k][b] / 8
		}
		if got, err := Distortion(q, x); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: distortion %v (%v), of its coefficients %v", name, got, err, want)
		}
	}
}

// A coefficient that does not change, but for rounding, has no bits. A signal of equal
// blocks is refused.
func TestConstantCoefficientsHaveNoBits(t *testing.T) {
	x := make([]float64, 1<<12)
	for i := range x {
		x[i] = 5 + math.Sin(2*math.Pi*float64(i)/16)*math.Sin(float64(i/16))
	}
	q, err := FitTransformed(x, "dft", 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	for k, b := range q.Bits() {
		if (k == 2) != (b > 0) { // the sine of frequency 1
			t.Errorf("coefficient %d has %d bits", k, b)
		}
	}
	if d, err := Distortion(q, x); err != nil || d > 1e-3 {
		t.Errorf("distortion %v, %v", d, err)
	}
	for i := range x {
		x[i] = math.Sin(2 * math.Pi * float64(i%16) / 16)
	}
	for want, call := range map[string]func() (*Transformed, error){
		"dct: every block of 16 samples is the same, up to rounding: want another block length": func() (*Transformed, error) {
			return FitTransformed(x, "dct", 16, 32)
		},
		"dct: bits = 129 is outside [1, 128] for a block of 16": func() (*Transformed, error) {
			return FitTransformed(correlated(1<<10, 1), "dct", 16, 129)
		},
		"dct: 100 samples are 6 blocks of 16: want at least 16 blocks to fit a quantiser": func() (*Transformed, error) {
			return FitTransformed(correlated(100, 1), "dct", 16, 32)
		},
	} {
		if q, err := call(); err == nil || err.Error() != want || q != nil {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A level far above what changes costs no bits: a signal of deviation 1 about 10⁹ is
// coded as it is about 0.
func TestTransformedFarFromZero(t *testing.T) {
	x := correlated(1<<12, 1)
	far := make([]float64, len(x))
	for i, v := range x {
		far[i] = 1e9 + v
	}
	for _, name := range TransformNames() {
		q, err := FitTransformed(far, name, 16, 24)
		if err != nil {
			t.Fatal(err)
		}
		near, err := FitTransformed(x, name, 16, 24)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Distortion(q, far)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Distortion(near, x)
		if err != nil || math.Abs(got-want) > 1e-2*want {
			t.Errorf("%s: distortion %g about 1e9, %g about 0, %v", name, got, want, err)
		}
		reencodes(t, q, far)
	}
}

// reencodes fails unless what tokens of x stand for has these tokens again.
func reencodes(t *testing.T, q Quantizer, x []float64) {
	t.Helper()
	tokens, err := q.Encode(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := q.Decode(nil, tokens)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := q.Encode(nil, decoded); err != nil || !slices.Equal(again, tokens) {
		t.Errorf("%T: decoded samples have other tokens, %v", q, err)
	}
}

// Samples may be as large as Encode takes them.
func TestFittedOnHugeSamples(t *testing.T) {
	x := gaussian(1<<11, 0, 2e149, 1)
	for _, name := range []string{"lloyd_max", "high_rate", "dct", "daubechies4"} {
		q, err := Fit(name, nil, x)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		reencodes(t, q, x)
	}
}
