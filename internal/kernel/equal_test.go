package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"
)

// This file holds the law that every kernel with assembly obeys: on each instruction
// set it gives the bits of the Go loop, for every length, alignment and value,
// and touches nothing outside of its slices.

// arena hands out slices of random numbers that end, or begin, at a page which
// faults when touched. The same seed gives the same numbers.
type arena struct {
	r       *rand.Rand
	special bool // among the numbers are NaN, infinities, zeros, denormals and huge ones
	atEnd   bool // slices end at the guard page; else they begin at it
	regions [][]float32
	used    int
}

const regionLen = 1 << 17

func newArena(t testing.TB) *arena {
	a := &arena{}
	for range 16 {
		a.regions = append(a.regions, guarded(t, regionLen))
	}
	return a
}

func (a *arena) reset(seed uint64, special, atEnd bool) {
	a.r, a.special, a.atEnd, a.used = newRand(seed), special, atEnd, 0
}

// specials are the values that kernels most easily get wrong.
var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-39, -3e-40,
	math.MaxFloat32, -math.MaxFloat32, 1e30, -1e30, 1e-30, 88.7, -87.4, -103.9,
}

// floats is a slice of n numbers.
func (a *arena) floats(n int) []float32 {
	region := a.regions[a.used]
	a.used++
	x := region[:n:n]
	if a.atEnd {
		x = region[len(region)-n:]
	}
	for i := range x {
		x[i] = float32(int32(a.r.Uint32())) * 0x1p-30 // uniform in [−2, 2)
		if a.special && a.r.IntN(16) == 0 {
			x[i] = specials[a.r.IntN(len(specials))]
		}
	}
	return x
}

// doubles is a slice of n float64, the products of two of floats.
func (a *arena) doubles(n int) []float64 {
	x := a.floats(2 * n)
	if n == 0 {
		return nil
	}
	y := unsafe.Slice((*float64)(unsafe.Pointer(&x[0])), n)
	for i := range y {
		y[i] = float64(x[2*i]) * (1 + float64(x[2*i+1])*0x1p-20)
	}
	return y
}

// words are the bits of float64 for sameBits: four numbers below 2¹⁶ for each, and
// for every NaN the same.
func words(x []float64) (list []float32) {
	for _, v := range x {
		bits := math.Float64bits(v)
		if v != v {
			bits = math.Float64bits(math.NaN())
		}
		for shift := 0; shift < 64; shift += 16 {
			list = append(list, float32(uint16(bits>>shift)))
		}
	}
	return list
}

// positives is floats, made positive: a variance or a moment.
func (a *arena) positives(n int) []float32 {
	x := a.floats(n)
	for i, v := range x {
		x[i] = float32(math.Abs(float64(v)))
	}
	return x
}

// sameBits fails unless two outputs agree bit for bit; one NaN is as good as another.
func sameBits(t *testing.T, what string, got, want [][]float32) {
	t.Helper()
	for o := range want {
		for i, w := range want[o] {
			g := got[o][i]
			if math.Float32bits(g) != math.Float32bits(w) && (g == g || w == w) {
				t.Fatalf("%s: output %d, element %d of %d: %g (%08x), the Go loop gives %g (%08x)",
					what, o, i, len(want[o]), g, math.Float32bits(g), w, math.Float32bits(w))
			}
		}
	}
}

// checkKernel compares one kernel on each instruction set with the Go loop.
func checkKernel(t *testing.T, a *arena, k kernelRun, n int, seed uint64, special, atEnd bool) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func(s instructionSet) { isa = s }(isa)
	run := func(s instructionSet) [][]float32 {
		isa = s
		a.reset(seed, special, atEnd)
		var out [][]float32
		for _, x := range k.run(a, n) {
			out = append(out, append([]float32(nil), x...))
		}
		return out
	}
	want := run(generic)
	for _, s := range isas {
		what := fmt.Sprintf("%s on %v, n = %d, seed %d, special %v, at end %v", k.name, s, n, seed, special, atEnd)
		func() {
			defer func() {
				if e := recover(); e != nil {
					t.Fatalf("%s: %v", what, e)
				}
			}()
			sameBits(t, what, run(s), want)
		}()
	}
}

func TestSameBitsOnEveryISA(t *testing.T) {
	a := newArena(t)
	for _, k := range kernelRuns {
		t.Run(k.name, func(t *testing.T) {
			for n := range 131 {
				for mode := range uint64(4) {
					checkKernel(t, a, k, n, uint64(n)*4+mode, mode&1 != 0, mode&2 != 0)
				}
			}
		})
	}
}

func FuzzSameBitsOnEveryISA(f *testing.F) {
	for i := range kernelRuns {
		f.Add(uint8(i), uint8(17), uint64(i), true)
	}
	a := newArena(f)
	f.Fuzz(func(t *testing.T, kernel, n uint8, seed uint64, special bool) {
		checkKernel(t, a, kernelRuns[int(kernel)%len(kernelRuns)], int(n), seed, special, seed%2 == 0)
	})
}

// TestBitsAreTheseEverywhere holds the results to one hash, whatever the
// instruction set, the architecture and the version. A change of the order of
// operations changes it, and with it every trained model. A new kernel comes last in
// the table and brings a hash of all up to it, so that the earlier ones stay.
func TestBitsAreTheseEverywhere(t *testing.T) {
	wantUpTo := map[string]string{ // by the last kernel's name
		"AttentionRow by width":   "276c2462a032a66027bb01476a147da30a2ef1b6320ea883b79f8acfd4f0e4f5",
		"SoftCrossEntropy":        "61c5de9e0d598a4b4a22ca6083ffa35853010724c325c3780bc3acca5eeea4fc",
		"Gram":                    "38d429538c09c07b0f79be391afaed5f6bc6d7a3a66927c6e26922b42f296014",
		"AddTree":                 "b3c5781da50165122922a3764fcd9b1a8717e2a228e80eec5389a8cb0afff3f8",
		"GemmAdd by depth":        "4eecfe8b29367c4c3cf2c2c92f5ac4184b84019fce281187536bf8d8bc3db835",
		"AttentionHeads by width": "186349c7e921d4a4e838e88005ae47d07cb9fed0e58be1bfd17ff09468980f4b",
	}
	if last := kernelRuns[len(kernelRuns)-1].name; wantUpTo[last] == "" {
		t.Errorf("there is no hash up to %s, the last kernel", last)
	}
	defer func(s instructionSet) { isa = s }(isa)
	a := newArena(t)
	for _, s := range isas {
		isa = s
		h := sha256.New()
		for i, k := range kernelRuns {
			for _, n := range []int{1, 2, 5, 16, 33, 64, 100} {
				for _, special := range []bool{false, true} {
					a.reset(uint64(100*i+n), special, false)
					for _, out := range k.run(a, n) {
						for _, v := range out {
							if v != v {
								v = float32(math.NaN())
							}
							_ = binary.Write(h, binary.LittleEndian, v)
						}
					}
				}
			}
			want, ok := wantUpTo[k.name]
			if got := hex.EncodeToString(h.Sum(nil)); ok && got != want {
				t.Errorf("on %v the hash of all results up to %s is %s, want %s", s, k.name, got, want)
			}
		}
	}
}
