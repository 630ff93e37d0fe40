package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/panics"
)

// The known answers are those of the Random123 distribution (kat_vectors,
// philox4x64, 10 rounds).
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = math.MaxUint64
	for _, test := range []struct {
		counter [4]uint64
		key     [2]uint64
		want    [4]uint64
	}{
		{
			want: [4]uint64{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b},
		},
		{
			counter: [4]uint64{ones, ones, ones, ones},
			key:     [2]uint64{ones, ones},
			want:    [4]uint64{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0},
		},
		{
			counter: [4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
			key:     [2]uint64{0x452821e638d01377, 0xbe5466cf34e90c6c},
			want:    [4]uint64{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6},
		},
	} {
		if got := philox(test.counter, test.key); got != test.want {
			t.Errorf("philox(%x, %x) = %x, want %x", test.counter, test.key, got, test.want)
		}
	}
}

func TestStreamsDependOnTheirNameAlone(t *testing.T) {
	names := []func() *Stream{
		func() *Stream { return New(1, "batch") },
		func() *Stream { return New(2, "batch") },
		func() *Stream { return New(1, "init") },
		func() *Stream { return New(1, "batch", 1) },
		func() *Stream { return New(1, "batch", 0, 1) },
		func() *Stream { return New(1, "batch", 0, 0, 1) },
	}
	seen := map[uint64]int{}
	for i, stream := range names {
		a, b := stream(), stream()
		for range 100 {
			x := a.Uint64()
			if y := b.Uint64(); x != y {
				t.Fatalf("stream %d gives %x and then %x under the same name", i, x, y)
			}
			if j, ok := seen[x]; ok {
				t.Fatalf("streams %d and %d share the number %x", i, j, x)
			}
			seen[x] = i
		}
	}
}

// A missing index is index 0, so that New(s, p) and New(s, p, 0) agree.
func TestMissingIndexIsZero(t *testing.T) {
	if New(1, "p").Uint64() != New(1, "p", 0, 0, 0).Uint64() {
		t.Error("New(1, p) differs from New(1, p, 0, 0, 0)")
	}
}

// Moments over 200,000 numbers, each within five standard errors.
func TestMoments(t *testing.T) {
	const n = 200_000
	s := New(7, "moments")
	moments := func(draw func() float64) (m1, m2, m3, m4 float64) {
		for range n {
			x := draw()
			m1 += x / n
			m2 += x * x / n
			m3 += x * x * x / n
			m4 += x * x * x * x / n
		}
		return
	}
	within := func(name string, got, want, variance float64) {
		t.Helper()
		if limit := 5 * math.Sqrt(variance/n); math.Abs(got-want) > limit {
			t.Errorf("%s = %v, want %v ± %v", name, got, want, limit)
		}
	}
	m1, m2, m3, m4 := moments(s.Normal)
	within("normal mean", m1, 0, 1)
	within("normal second moment", m2, 1, 2)
	within("normal third moment", m3, 0, 15)
	within("normal fourth moment", m4, 3, 96)
	u1, u2, _, _ := moments(s.Float64)
	within("uniform mean", u1, 1./2, 1./12)
	within("uniform second moment", u2, 1./3, 4./45)
}

// A Gamma number has its shape as mean and as variance.
func TestGammaMoments(t *testing.T) {
	const n = 200_000
	for _, a := range []float64{1, 1.5, 12} {
		stream, mean, square := New(1, "gamma"), 0.0, 0.0
		for range n {
			d, cube := stream.Gamma(a)
			mean += d * cube / n
			square += (d*cube - a) * (d*cube - a) / n
		}
		if most := 5 * math.Sqrt(a/n); math.Abs(mean-a) > most {
			t.Errorf("shape %g: mean %g, want it within %g", a, mean, most)
		}
		if most := 5 * math.Sqrt((2*a*a+6*a)/n); math.Abs(square-a) > most {
			t.Errorf("shape %g: variance %g, want it within %g", a, square, most)
		}
	}
}

// The tail of the normal: P(|x| > 3) = 0.0026998, within five standard errors.
func TestNormalTail(t *testing.T) {
	const n, p = 400_000, 0.0026997960632602
	s, beyond := New(3, "tail"), 0
	for range n {
		if math.Abs(s.Normal()) > 3 {
			beyond++
		}
	}
	if d := math.Abs(float64(beyond) - n*p); d > 5*math.Sqrt(n*p) {
		t.Errorf("%d of %d beyond three sigma, want about %.0f", beyond, n, n*p)
	}
}

func TestIntNAndShuffleAreUniform(t *testing.T) {
	const n, trials = 4, 24_000 // 24 permutations, 1000 each expected
	s := New(5, "shuffle")
	counts := map[[n]int]int{}
	for range trials {
		p := [n]int{0, 1, 2, 3}
		s.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
		counts[p]++
	}
	chi2 := 0.0
	for _, c := range counts {
		d := float64(c) - 1000
		chi2 += d * d / 1000
	}
	if len(counts) != 24 || chi2 > 49.7 { // the 99.9 % quantile at 23 degrees of freedom
		t.Errorf("%d permutations, chi-square %.1f", len(counts), chi2)
	}
}

// A stream is the words of Philox for the counters 0, 1, 2 … in their order.
func TestUint64IsPhiloxInOrder(t *testing.T) {
	s, again := New(9, "p", 4, 5), New(9, "p", 4, 5)
	key := again.key
	for block := range uint64(5) {
		for i, want := range philox([4]uint64{block, 4, 5, 0}, key) {
			if got := s.Uint64(); got != want {
				t.Fatalf("word %d of block %d is %x, want %x", i, block, got, want)
			}
		}
	}
}

// Normal is v/u of the first pair in Leva's region v² ≤ −4u² ln u, whatever quick tests
// decide before its logarithm.
func TestNormalIsTheRatioOfUniforms(t *testing.T) {
	s, pairs := New(3, "normal"), New(3, "normal")
	for range 20_000 {
		want := math.NaN()
		for math.IsNaN(want) {
			u := 1 - pairs.Float64()
			if v := 1.7156 * (pairs.Float64() - 0.5); v*v <= -4*u*u*math.Log(u) {
				want = v / u
			}
		}
		if got := s.Normal(); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	if New(1, "p").IntN(1) != 0 {
		t.Error("the only number below 1 is 0")
	}
	for name, f := range map[string]func(){
		"IntN":    func() { New(1, "p").IntN(0) },
		"below 0": func() { New(1, "p").IntN(-1) },
		"indices": func() { New(1, "p", 1, 2, 3, 4) },
	} {
		if text := panics.Text(f); !strings.HasPrefix(text, "random: ") {
			t.Errorf("%s does not panic with what is wrong", name)
		}
	}
}

func ExampleStream() {
	// The batch of step 7 is the same whoever asks for it, and when.
	a := New(1, "train/batch", 7)
	b := New(1, "train/batch", 7)
	fmt.Println(a.IntN(1000) == b.IntN(1000), a.IntN(1000) == b.IntN(1000))

	// A stream is a source for math/rand/v2, too.
	r := rand.New(New(1, "demo"))
	fmt.Println(r.IntN(10) < 10)
	// Output:
	// true true
	// true
}
