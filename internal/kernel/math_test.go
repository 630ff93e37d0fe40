package kernel

import (
	"math"
	"testing"

	"foretell/internal/needs"
)

// ulps is the distance of got from want in units of the last place of a
// float32 as large as want.
func ulps(got float32, want float64) float64 {
	if want == float64(got) || (want != want && got != got) {
		return 0
	}
	if math.Abs(want) >= 0x1.ffffffp127 { // rounds to infinity
		if math.IsInf(float64(got), int(want)) {
			return 0
		}
		want = math.Copysign(0x1p128, want)
	}
	if math.IsInf(float64(got), 0) {
		got = float32(math.Copysign(math.MaxFloat32, float64(got)))
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

// TestElementaryFunctions holds exp, erf and log to the error bounds that their
// comments state, on every 4099th float32, or on each of them where
// FORETELL_EXHAUSTIVE is set.
func TestElementaryFunctions(t *testing.T) {
	step := uint64(4099)
	if needs.Exhaustive() {
		step = 1
	}
	for _, f := range []struct {
		name  string
		f     func(float32) float32
		exact func(float64) float64
		worst float32 // where the error is greatest, of all float32
		bound float64
	}{
		{"exp", exp32, math.Exp, 5.2016387, 0.9},
		{"erf", erf32, math.Erf, 3.819723, 5.9},
		{"log", log[float32], math.Log, 3.079322e-20, 0.51},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			where := f.worst
			worst := ulps(f.f(where), f.exact(float64(where)))
			for b := uint64(0); b < 1<<32; b += step {
				x := math.Float32frombits(uint32(b))
				got, want := f.f(x), f.exact(float64(x))
				if (got != got) != (want != want) {
					t.Fatalf("%s(%g) = %g, want %g", f.name, x, got, want)
				}
				if e := ulps(got, want); e > worst {
					worst, where = e, x
				}
			}
			t.Logf("%s: greatest error %.4f ulp, at %g", f.name, worst, where)
			if worst > f.bound {
				t.Errorf("%s errs by %.4f ulp at %g, more than the %.4f it promises", f.name, worst, where, f.bound)
			}
		})
	}
}

func TestErfIsBoundedAndOdd(t *testing.T) {
	for i := range 1 << 16 {
		x := float32(i) / (1 << 13)
		if y := erf32(x); y > 1 || -y != erf32(-x) {
			t.Fatalf("erf(%g) = %g, erf(−x) = %g", x, y, erf32(-x))
		}
	}
}
