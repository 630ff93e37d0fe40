//go:build js && wasmkernel

package kernel

import (
	_ "embed"
	"math"
	"unsafe"
)

// A program for GOOS=js that is built with -tags wasmkernel contains two modules of
// kernels for WebAssembly, and asks its host to instantiate them with the program's
// memory. The host passes foretellKernel(…) of kernel.js to the program as the module
// "foretell" of its imports. Without the tag, a program needs no such host and runs the
// Go loops. In both cases the bits are the same.

var (
	//go:embed relaxed.wasm
	relaxedModule string
	//go:embed exact.wasm
	exactModule string
)

// detect returns the sets of kernels that the host can instantiate and that round a
// multiply-add once, best first.
func detect() (sets []instructionSet) {
	for _, s := range []struct {
		set    instructionSet
		module string
	}{{wasm, relaxedModule}, {wasmExact, exactModule}} {
		if loadKernels(s.set.number(), unsafe.StringData(s.module), int32(len(s.module))) == 1 && s.set.roundsOnce() {
			sets = append(sets, s.set)
		}
	}
	return sets
}

// number is the index of the set among the host's.
func (s instructionSet) number() int32 { return int32(s - wasm) }

// triples are multiply-adds a, b, c whose results differ if the product is rounded before
// it is added, if the sum is rounded to another precision first, or if subnormal numbers
// are flushed to 0.
var triples = [...][3]float32{
	{1 + 0x1p-12, 1 + 0x1p-12, -(1 + 0x1p-11)}, // 2⁻²⁴, all of which the product's rounding loses
	{1 + 0x1p-12, 1 - 0x1p-12, -1},
	{1 + 0x1p-23, 1 + 0x1p-23, -(1 + 0x1p-22)},
	{0x1.fffffep0, 0x1.fffffep0, -0x1.fffffcp1},
	{0x1p-24, 1, 1},                   // a tie to even
	{0x1p-24, 1, 1 + 0x1p-23},         // a tie to the other side
	{0x1.000002p0, 0x1.fffffep-25, 1}, // near a tie, below it in float64
	{0x1.000002p0, 0x1.fffffep-25, -1},
	{0x1p-75, 0x1p-75, 0x1.000002p0},     // too small to count
	{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-100}, // a tie but for the addend
	{1 + 0x1p-12, 1 + 0x1p-12, -0x1p-100},
	{0x1p-75, 0x1.8p-75, 0x1p-149}, // subnormal
	{0x1.000002p-63, 0x1.000002p-64, 0},
	{0x1.000002p-100, 0x1.fffffep-40, 0},
	{0x1.fffffep-64, 0x1.fffffep-64, 0},
	{0x1p-149, 0.5, 0x1p-149},
	{math.MaxFloat32, 2, -math.MaxFloat32}, // the product overflows, and the sum does not
	{math.MaxFloat32, 1, 0x1p103},          // a tie with infinity
	{0x1p-126, 0x1.fffffep-1, 0},           // rounds to a normal number, or just below it
	{-1, 1, 1},                             // +0
}

// roundsOnce reports whether a set of kernels computes all triples as fma32 does, in each
// of its four lanes.
func (s instructionSet) roundsOnce() bool {
	const width = 4
	var y, a, b, c [width * len(triples)]float32
	for i := range y {
		t := triples[i/width]
		a[i], b[i], c[i] = t[0], t[1], t[2]
	}
	multiplyAddWasm(s.number(), &y[0], &a[0], &b[0], &c[0], int32(len(y)))
	for i, v := range y {
		if math.Float32bits(v) != math.Float32bits(fma32(a[i], b[i], c[i])) {
			return false
		}
	}
	return true
}

// loadKernels instantiates a module as the set of that number, and returns 1, or 0 if the
// host cannot.
//
//go:wasmimport foretell load
//go:noescape
func loadKernels(set int32, module *byte, length int32) int32

// multiplyAddWasm is y[i] = fma32(a[i], b[i], c[i]) for n elements, a multiple of 4.
//
//go:wasmimport foretell multiplyAdd
//go:noescape
func multiplyAddWasm(set int32, y, a, b, c *float32, n int32)
