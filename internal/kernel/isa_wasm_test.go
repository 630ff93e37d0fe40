//go:build js && wasmkernel

package kernel

import (
	"math"
	"testing"
)

// The host of this test has both sets of kernels, unless its machine has no fused
// multiply-add.
func TestSetsOfKernels(t *testing.T) {
	if last := isas[len(isas)-2]; last != wasmExact {
		t.Errorf("the sets are %v, want one of exact kernels", isas)
	}
	for _, s := range isas[:len(isas)-1] {
		if !s.roundsOnce() {
			t.Errorf("%v is in use and rounds some triples of the table twice", s)
		}
	}
	if flops, ok := peakFast(3); !ok || flops != 3*2*4*12 {
		t.Errorf("a peak of three rounds has %d operations, %v", flops, ok)
	}
}

// Each way in which a machine could round otherwise changes a result of the table.
func TestTableOfTriplesTells(t *testing.T) {
	flush := func(x float32) float32 {
		if math.Abs(float64(x)) < 0x1p-126 {
			return 0
		}
		return x
	}
	for name, wrong := range map[string]func(a, b, c float32) float32{
		"the product is rounded":         func(a, b, c float32) float32 { return float32(a*b) + c },
		"the sum is rounded to float64":  func(a, b, c float32) float32 { return float32(float64(a)*float64(b) + float64(c)) },
		"subnormal results are flushed":  func(a, b, c float32) float32 { return flush(fma32(a, b, c)) },
		"subnormal operands are flushed": func(a, b, c float32) float32 { return fma32(flush(a), flush(b), flush(c)) },
	} {
		told := false
		for _, x := range triples {
			told = told || math.Float32bits(wrong(x[0], x[1], x[2])) != math.Float32bits(fma32(x[0], x[1], x[2]))
		}
		if !told {
			t.Errorf("no triple tells that %s", name)
		}
	}
}

// Multiply-adds of every set are fma32's: of random bits, of sums that nearly are ties,
// of subnormal results and of special values.
func TestMultiplyAddIsFMA32(t *testing.T) {
	const n = 1 << 16
	r := newRand(13)
	random := func() float32 { return math.Float32frombits(r.Uint32()) }
	power := func(least, most int) float32 { return float32(math.Ldexp(1, least+r.IntN(most-least))) }
	bits12 := func() float32 { return 1 + float32(r.IntN(1<<12))*0x1p-12 }
	kinds := []func() (a, b, c float32){
		func() (a, b, c float32) { return random(), random(), random() },
		func() (a, b, c float32) { // a tie but for a crumb
			return bits12(), bits12() + 0x1p-23, (random() - random()) * power(-140, 1)
		},
		func() (a, b, c float32) { // half a unit of a subnormal number, and a crumb
			half, scale := float32(2*r.IntN(1<<11)+1)*power(-24, -4), power(-149, 0)
			return half, scale, bits12() * power(-149, -20) * scale
		},
		func() (a, b, c float32) { a, b = bits12(), random(); return a, b, -a * b }, // what remains of a product
		func() (a, b, c float32) {
			return specials[r.IntN(len(specials))], specials[r.IntN(len(specials))], specials[r.IntN(len(specials))]
		},
	}
	y, a, b, c := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for _, s := range isas[:len(isas)-1] {
		for k, kind := range kinds {
			for i := range y {
				a[i], b[i], c[i] = kind()
			}
			multiplyAddWasm(s.number(), &y[0], &a[0], &b[0], &c[0], n)
			for i, got := range y {
				want := fma32(a[i], b[i], c[i])
				if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
					t.Fatalf("%v, kind %d: fma(%x, %x, %x) = %x, want %x", s, k, a[i], b[i], c[i], got, want)
				}
			}
		}
	}
}
