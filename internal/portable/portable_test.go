package portable_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/portable"
)

func Example() {
	sin, cos := portable.Sincos(math.Pi / 6)
	fmt.Printf("%.3f %.3f %.3f\n", portable.Exp(portable.Log(5)), sin, cos)
	fmt.Printf("%.4f nats\n", portable.Entropy([]float64{0.5, 0.5, 0}))
	// Output:
	// 5.000 0.500 0.866
	// 0.6931 nats
}

// near fails unless got is within a relative error, or an absolute one, of want.
func near(t *testing.T, what string, got, want, relative, absolute float64) {
	t.Helper()
	if math.Abs(got-want) > max(absolute, relative*math.Abs(want)) || got != got != (want != want) || math.IsInf(got, 0) != math.IsInf(want, 0) {
		t.Fatalf("%s = %v, want %v", what, got, want)
	}
}

// The standard library's functions may fuse operations and err by up to 1 ulp,
// as these do; as of Go 1.26 its amd64 assembly is wrong for Log of denormal
// numbers and for Exp above 709.4, which overflows too early.
func TestAgreesWithMath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	log := func(x float64) { near(t, fmt.Sprintf("Log(%g)", x), portable.Log(x), math.Log(x), 0x1p-52, 0) }
	exp := func(x float64) {
		near(t, fmt.Sprintf("Exp(%g)", x), portable.Exp(x), math.Exp(x), 0x1p-51, math.SmallestNonzeroFloat64)
	}
	for _, x := range []float64{0, -1, 1, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1022, math.MaxFloat64} {
		log(x)
		exp(x)
	}
	near(t, "Log of the least number", portable.Log(math.SmallestNonzeroFloat64), -744.4400719213812, 0, 0)
	near(t, "Exp(709.78)", portable.Exp(709.78), 1.792822794394515e308, 1e-15, 0)
	for _, x := range []float64{709, 710, -708.4, -744, -745.2, 1e-300, -1e-20} {
		exp(x)
	}
	for range 100000 {
		log(max(0x1p-1022, math.Float64frombits(r.Uint64()>>1)))
		log(1 + r.NormFloat64()/64)
		exp(100 * r.NormFloat64())
		exp(r.NormFloat64())
		x := r.NormFloat64() * math.Ldexp(1, r.IntN(20))
		sin, cos := portable.Sincos(x)
		near(t, fmt.Sprintf("sin(%v)", x), sin, math.Sin(x), 0x1p-52, 0x1p-52)
		near(t, fmt.Sprintf("cos(%v)", x), cos, math.Cos(x), 0x1p-52, 0x1p-52)
		base, n := 0.5+r.Float64()/2, r.IntN(300)
		near(t, fmt.Sprintf("Power(%v, %d)", base, n), portable.Power(base, n), math.Pow(base, float64(n)), 0x1p-45, 0)
	}
}

func TestSincosOfQuarters(t *testing.T) {
	want := []float64{0, 1, 0, -1}
	for k := -9; k <= 9; k++ {
		sin, cos := portable.Sincos(float64(k) * math.Pi / 2)
		near(t, fmt.Sprintf("sin(%d·π/2)", k), sin, want[k&3], 0, 1e-14)
		near(t, fmt.Sprintf("cos(%d·π/2)", k), cos, want[(k+1)&3], 0, 1e-14)
	}
}

func TestEntropy(t *testing.T) {
	near(t, "entropy of a certainty", portable.Entropy([]float64{0, 1}), 0, 0, 0)
	near(t, "entropy of eight", portable.Entropy([]float64{.125, .125, .125, .125, .125, .125, .125, .125}), 3*math.Ln2, 1e-15, 0)
}

// TestBitsAreTheseEverywhere holds the results to one hash on every architecture.
func TestBitsAreTheseEverywhere(t *testing.T) {
	const want = "c1f12412d0fef0c96c76414a26691925ec314e55604490776800d4155b717aa3"
	h, r := sha256.New(), rand.New(rand.NewPCG(2, 0))
	for range 100000 {
		x := float64(int64(r.Uint64())) * math.Ldexp(1, r.IntN(24)-70)
		sin, cos := portable.Sincos(x)
		p := r.Float64()
		for _, y := range []float64{
			portable.Log(math.Abs(x)), portable.Exp(x), sin, cos,
			portable.Power(p, r.IntN(100)), portable.Entropy([]float64{p, 1 - p}),
		} {
			_ = binary.Write(h, binary.LittleEndian, y)
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("the hash of all results is %s, want %s", got, want)
	}
}

// Exp is the least number above 0 at the last argument before it underflows, and 0 after
// it; at the last before it overflows it is finite.
func TestExpAtItsEnds(t *testing.T) {
	const last, first = -7.45133219101941108420e+02, 7.09782712893383973096e+02
	for x, want := range map[float64]float64{
		last: math.SmallestNonzeroFloat64, math.Nextafter(last, -800): 0, math.Nextafter(first, 800): math.Inf(1),
	} {
		if got := portable.Exp(x); got != want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := portable.Exp(first); math.IsInf(got, 1) {
		t.Errorf("exp(%v) = %v", first, got)
	}
}
