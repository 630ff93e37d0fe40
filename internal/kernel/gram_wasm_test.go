//go:build js && wasmkernel

package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each way in which a machine could round otherwise changes a result of the table.
func TestTableOfTriplesTellsInFloat64(t *testing.T) {
	flush := func(x float64) float64 {
		if math.Abs(x) < 0x1p-1022 {
			return 0
		}
		return x
	}
	twice := func(a, b, c float64) float64 { // the product's error is added last
		product := a * b
		return product + (c + math.FMA(a, b, -product))
	}
	for name, wrong := range map[string]func(a, b, c float64) float64{
		"the product is rounded":         func(a, b, c float64) float64 { return float64(a*b) + c },
		"the sum is rounded twice":       twice,
		"subnormal results are flushed":  func(a, b, c float64) float64 { return flush(math.FMA(a, b, c)) },
		"subnormal operands are flushed": func(a, b, c float64) float64 { return math.FMA(flush(a), flush(b), flush(c)) },
	} {
		if !slices.ContainsFunc(gramTriples[:], func(x [3]float64) bool {
			return math.Float64bits(wrong(x[0], x[1], x[2])) != math.Float64bits(math.FMA(x[0], x[1], x[2]))
		}) {
			t.Errorf("no triple tells that %s", name)
		}
	}
}

// Where the relaxed multiply-add of float64 rounds twice, exact kernels compute Gram;
// where none rounds once, the loop does.
func TestSetsOfKernelsForGram(t *testing.T) {
	all := []instructionSet{wasm, wasmExact, generic}
	for _, x := range []struct {
		sets, once     []instructionSet
		relaxed, exact instructionSet
	}{
		{all, all, wasm, wasmExact},
		{all, []instructionSet{wasmExact}, wasmExact, wasmExact},
		{all, []instructionSet{wasm}, wasm, generic},
		{all, nil, generic, generic},
		{[]instructionSet{wasmExact, generic}, all, generic, wasmExact},
	} {
		got := gramSetsOf(x.sets, func(s instructionSet) bool { return slices.Contains(x.once, s) })
		if got[wasm] != x.relaxed || got[wasmExact] != x.exact || got[generic] != generic {
			t.Errorf("of %v, %v round once: %v", x.sets, x.once, got)
		}
	}
	if last := isas[len(isas)-2]; gramSets[last] != last {
		t.Errorf("exact kernels do not compute Gram: %v", gramSets)
	}
}

// gramKinds are numbers in the ranges of exact kernels: factors, and an addend that fits
// two of them.
var gramKinds = []struct {
	name   string
	factor func(r *rand.Rand) float64
	addend func(r *rand.Rand, a, b float64) float64
}{
	{
		"any size",
		func(r *rand.Rand) float64 { return scaled(r, -480, 480) },
		func(r *rand.Rand, a, b float64) float64 { return scaled(r, -1000, 1000) },
	},
	{
		"the size of the product",
		func(r *rand.Rand) float64 { return scaled(r, -300, 300) },
		func(r *rand.Rand, a, b float64) float64 { return a * b * scaled(r, -110, 110) },
	},
	{
		"a tie but for a crumb",
		func(r *rand.Rand) float64 { return 1 + float64(r.IntN(1<<10))*0x1p-27 },
		func(r *rand.Rand, a, b float64) float64 { return plusZero(float64(r.IntN(2)) * scaled(r, -300, -60)) },
	},
	{
		"what remains of a product",
		func(r *rand.Rand) float64 { return scaled(r, -300, 300) },
		func(r *rand.Rand, a, b float64) float64 { return -a * b * (1 + float64(r.IntN(5)-2)*0x1p-52) },
	},
	{
		"zeros",
		func(r *rand.Rand) float64 { return float64(r.IntN(3)-1) * scaled(r, -3, 3) },
		func(r *rand.Rand, a, b float64) float64 { return plusZero(float64(r.IntN(3)-1) * scaled(r, -3, 3)) },
	},
}

// plusZero is x, or +0 if x is −0.
func plusZero(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x
}

// scaled is a number with random bits and sign, between two powers of two.
func scaled(r *rand.Rand, least, most int) float64 {
	x := math.Ldexp(1+float64(r.Uint64()>>12)*0x1p-52, least+r.IntN(most-least))
	return math.Copysign(x, r.Float64()-0.5)
}

// Multiply-adds of every set are math.FMA's, and exact kernels compute them without the
// loop.
func TestGramMultiplyAddIsFMA(t *testing.T) {
	var a, b [panelWidth]float64
	var c, want [panelWidth * panelWidth]float64
	for _, s := range isas[:len(isas)-1] {
		if gramSets[s] != s {
			continue // another set computes Gram
		}
		for _, kind := range gramKinds {
			r := newRand(13)
			for range 1 << 11 {
				for i := range a {
					a[i], b[i] = kind.factor(r), kind.factor(r)
				}
				for i := range c {
					c[i] = kind.addend(r, a[i/panelWidth], b[i%panelWidth])
					want[i] = math.FMA(a[i/panelWidth], b[i%panelWidth], c[i])
				}
				before := c
				if gramWasm(s.number(), 1, 1, &a[0], &b[0], panelWidth, &c[0], panelWidth) != 1 {
					t.Fatalf("%v, %s: %x times %x plus %x is left to the loop", s, kind.name, a, b, c)
				}
				for i, got := range c {
					if math.Float64bits(got) != math.Float64bits(want[i]) {
						t.Fatalf("%v, %s: fma(%x, %x, %x) = %x, want %x",
							s, kind.name, a[i/panelWidth], b[i%panelWidth], before[i], got, want[i])
					}
				}
			}
		}
	}
}

// Exact kernels change nothing if an operand, in any place, is outside its range.
func TestGramMultiplyAddRange(t *testing.T) {
	const panels, rows = 2, 3
	var a [panelWidth * rows]float64
	var b [panels * panelWidth * rows]float64
	var c [panelWidth * panelWidth * panels]float64
	run := func() int32 {
		return gramWasm(wasmExact.number(), panels, rows, &a[0], &b[0], panelWidth*rows, &c[0], panelWidth*panels)
	}
	above := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	below := func(x float64) float64 { return math.Nextafter(x, 0) }
	nan, inf, minusZero := math.NaN(), math.Inf(-1), math.Copysign(0, -1)
	for _, x := range []struct {
		name            string
		values          []float64
		inside, outside []float64
	}{
		{"a", a[:], []float64{minusZero, -0x1p480, 0x1p-480}, []float64{nan, inf, above(0x1p480), below(0x1p-480), 5e-324}},
		{"b", b[:], []float64{minusZero, -0x1p480, 0x1p-480}, []float64{nan, inf, above(0x1p480), below(0x1p-480), 5e-324}},
		{"c", c[:], []float64{0x1p1000, -0x1p-1000}, []float64{nan, inf, minusZero, above(0x1p1000), below(0x1p-1000)}},
	} {
		for i := range x.values {
			for _, v := range x.inside {
				if x.values[i] = v; run() != 1 {
					t.Errorf("%s[%d] = %x is left to the loop", x.name, i, v)
				}
				clear(c[:])
			}
			for _, v := range x.outside {
				x.values[i] = v
				before := c
				if run() != 0 {
					t.Errorf("%s[%d] = %x is computed", x.name, i, v)
				}
				if !slices.Equal(words(c[:]), words(before[:])) {
					t.Errorf("%s[%d] = %x: C has changed", x.name, i, v)
				}
			}
			x.values[i] = 0
		}
	}
}
