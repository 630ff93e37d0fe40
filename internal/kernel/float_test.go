package kernel

import (
	"math"
	"math/big"
	"testing"
)

// fmaExact is a·b + c in exact arithmetic, rounded once to float32.
func fmaExact(a, b, c float32) float32 {
	if p := float64(a)*float64(b) + float64(c); math.IsInf(p, 0) || math.IsNaN(p) {
		return float32(p)
	}
	x := new(big.Float).SetPrec(2000).SetFloat64(float64(a) * float64(b)) // exact
	x.Add(x, new(big.Float).SetFloat64(float64(c)))
	if x.Sign() == 0 { // big.Float has no sign of a sum of zeros; IEEE's is float64's
		return float32(float64(a)*float64(b) + float64(c))
	}
	y, _ := x.Float32()
	return y
}

// TestFMA32 tries the sums that two roundings get wrong: the product or the
// addend lies half a unit of float32 away from a float32 number, and the other
// is too small for float64 to see but for its side of the tie.
func TestFMA32(t *testing.T) {
	r := newRand(11)
	check := func(a, b, c float32) {
		t.Helper()
		got, want := fma32(a, b, c), fmaExact(a, b, c)
		if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
			t.Fatalf("fma32(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
	}
	// 1 + 2⁻²⁴ is halfway from 1 to its successor: (1+2⁻¹²)(1−2⁻¹²) = 1 − 2⁻²⁴ and friends.
	for e := -150; e < 100; e++ {
		tiny := float32(math.Ldexp(1, e))
		for _, sign := range []float32{1, -1} {
			check(0x1p-24, 1, 1+sign*tiny)
			check(sign*tiny, tiny, 0x1p-24)
			check(0x1.000002p0, 0x1.fffffep-25, sign)
			check(sign*tiny, 0x1p-75, 0x1.8p-149)
			check(1+0x1p-12, sign*(1+0x1p-12), sign*tiny)
		}
	}
	wrong := 0 // of the plain double rounding: shows that the cases are hard
	for range 300000 {
		a, b := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		check(a, b, math.Float32frombits(r.Uint32()))
		// A sum that nearly is a tie: c = −a·b + half a unit of some float32 + a crumb.
		a, b = 1+float32(r.IntN(1<<12))*0x1p-12, 1+float32(r.IntN(1<<12))*0x1p-12 // a·b has 24 bits
		b += 0x1p-23
		crumb := float32(math.Ldexp(float64(1+r.IntN(7)), -r.IntN(140)))
		if r.IntN(2) == 0 {
			crumb = -crumb
		}
		half := float32(math.Ldexp(float64(2*r.IntN(1<<11)+1), r.IntN(20)-24))
		scale := float32(math.Ldexp(1, -r.IntN(149)))
		for _, v := range [][3]float32{{a, b, crumb}, {half, scale, crumb * scale}, {crumb, scale, half}, {crumb, crumb, a * 0x1p-126}} {
			check(v[0], v[1], v[2])
			if w := fmaExact(v[0], v[1], v[2]); float32(float64(v[0])*float64(v[1])+float64(v[2])) != w {
				wrong++
			}
		}
	}
	if wrong == 0 {
		t.Error("no case where rounding twice is wrong: the test shows nothing")
	}
	t.Logf("rounding twice would be wrong in %d cases", wrong)
	for _, a := range specials {
		for _, b := range specials {
			for _, c := range specials {
				check(a, b, c)
			}
		}
	}
}

func FuzzFMA32(f *testing.F) {
	f.Add(uint32(0x3f800001), uint32(0x33ffffff), uint32(0x3f800000))
	f.Fuzz(func(t *testing.T, a, b, c uint32) {
		x, y, z := math.Float32frombits(a), math.Float32frombits(b), math.Float32frombits(c)
		if got, want := fma32(x, y, z), fmaExact(x, y, z); math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
			t.Fatalf("fma32(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	})
}
