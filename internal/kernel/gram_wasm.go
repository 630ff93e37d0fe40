//go:build js && wasmkernel

package kernel

import (
	"math"
	"unsafe"
)

// gramSets has, for each set of kernels in use, the set that computes Gram. They differ
// if the relaxed multiply-add rounds once in float32 and twice in float64.
var gramSets = gramSetsOf(isas, instructionSet.gramRoundsOnce)

// gramSetsOf returns, for each set, the first from it on that rounds once, or generic.
func gramSetsOf(sets []instructionSet, roundsOnce func(instructionSet) bool) (list [wasmExact + 1]instructionSet) {
	best := generic
	for i := len(sets) - 1; i >= 0; i-- {
		if s := sets[i]; s != generic && roundsOnce(s) {
			best = s
		}
		list[sets[i]] = best
	}
	return list
}

// gramWidest returns the largest number of panels that a call of gramTile covers, or 0 if
// there are no tiles.
func gramWidest() int {
	if gramSets[isa] == generic {
		return 0
	}
	return math.MaxInt32
}

// gramTile is gramLoop for 8 rows and all columns of one or more panels. b is the first
// panel, and panel the distance in elements from one to the next.
func gramTile(panels, rows int, a, b *float64, panel int, c *float64, ldc int) {
	gramSets[isa].gramTile(panels, rows, a, b, panel, c, ldc)
}

// gramTile is gramTile by this set of kernels, or by the loop if an operand is outside
// the range of exact kernels.
func (s instructionSet) gramTile(panels, rows int, a, b *float64, panel int, c *float64, ldc int) {
	if gramWasm(s.number(), int32(panels), int32(rows), a, b, int32(panel), c, int32(ldc)) == 1 {
		return
	}
	as, bs := unsafe.Slice(a, panelWidth*rows), unsafe.Slice(b, panel*(panels-1)+panelWidth*rows)
	cs := unsafe.Slice(c, ldc*(panelWidth-1)+panelWidth*panels)
	for p := range panels {
		gramLoop(panelWidth, panelWidth, rows, as, bs[panel*p:], cs[panelWidth*p:], ldc)
	}
}

// gramRowFast runs the loop of GramRow in WebAssembly for the first elements, and returns
// their number, which is 0 if it cannot.
func gramRowFast(z []float64, depth, r int, sum, x []float64, root, w float64) (done int) {
	panels := len(x) / panelWidth
	if isa == generic || panels == 0 {
		return 0
	}
	gramRowWasm(isa.number(), int32(panels), &z[panelWidth*r], int32(panelWidth*depth), &sum[0], &x[0], root, w)
	return panels * panelWidth
}

// gramTriples are for float64 what triples are for float32.
var gramTriples = [...][3]float64{
	{1 + 0x1p-27, 1 + 0x1p-27, -(1 + 0x1p-26)}, // 2⁻⁵⁴, all of which the product's rounding loses
	{1 + 0x1p-30, 1 - 0x1p-30, -1},
	{1 + 0x1p-52, 1 + 0x1p-52, -(1 + 0x1p-51)},
	{2 - 0x1p-52, 2 - 0x1p-52, -(4 - 0x1p-50)},
	{0x1p-53, 1, 1},                           // a tie to even
	{0x1p-53, 1, 1 + 0x1p-52},                 // a tie to the other side
	{1 + 0x1p-52, (1 - 0x1p-53) * 0x1p-53, 1}, // near a tie, which the rounded product is
	{1 + 0x1p-52, (1 - 0x1p-53) * 0x1p-53, -1},
	{0x1p-300, 0x1p-300, 1 + 0x1p-52},    // too small to count
	{1 + 0x1p-26, 1 + 0x1p-27, 0x1p-200}, // a tie but for the addend
	{1 + 0x1p-26, 1 + 0x1p-27, -0x1p-200},
	{0x1p-537, 0x1.8p-537, 0x1p-1074}, // subnormal
	{(1 + 0x1p-52) * 0x1p-511, (1 + 0x1p-52) * 0x1p-512, 0},
	{(1 + 0x1p-52) * 0x1p-800, (2 - 0x1p-52) * 0x1p-240, 0},
	{(2 - 0x1p-52) * 0x1p-512, (2 - 0x1p-52) * 0x1p-512, 0},
	{0x1p-1074, 0.5, 0x1p-1074},
	{math.MaxFloat64, 2, -math.MaxFloat64}, // the product overflows, and the sum does not
	{math.MaxFloat64, 1, 0x1p970},          // a tie with infinity
	{0x1p-1022, 1 - 0x1p-53, 0},            // rounds to a normal number, or just below it
	{-1, 1, 1},                             // +0
}

// gramRoundsOnce reports whether a set of kernels computes all of gramTriples as math.FMA
// does, in each element of a tile.
func (s instructionSet) gramRoundsOnce() bool {
	var a, b [panelWidth]float64
	var c [panelWidth * panelWidth]float64
	for _, t := range gramTriples {
		fill(a[:], t[0])
		fill(b[:], t[1])
		fill(c[:], t[2])
		s.gramTile(1, 1, &a[0], &b[0], panelWidth, &c[0], panelWidth)
		want := math.Float64bits(math.FMA(t[0], t[1], t[2]))
		for _, got := range c {
			if math.Float64bits(got) != want {
				return false
			}
		}
	}
	return true
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

// gramWasm adds to the tiles of 8 rows and 8 columns for each panel, for rows > 0, and
// returns 1:
//
//	for i := range 8 {
//		for j := range 8*panels {
//			for r := range rows {
//				c[i*ldc+j] = fma(a[8*r+i], b[(j/8)*panel+8*r+j%8], c[i*ldc+j])
//			}
//		}
//	}
//
// Exact kernels do nothing and return 0 unless each element of a and b is 0 or has a
// magnitude of 2⁻⁴⁸⁰ to 2⁴⁸⁰, and each element of c is +0 or one of 2⁻¹⁰⁰⁰ to 2¹⁰⁰⁰.
//
//go:wasmimport foretell gram
//go:noescape
func gramWasm(set, panels, rows int32, a, b *float64, panel int32, c *float64, ldc int32) int32

// gramRowWasm, for panels > 0, is
//
//	for j := range 8*panels {
//		z[(j/8)*panel+j%8] = root·x[j]
//		sum[j] += w·x[j]
//	}
//
//go:wasmimport foretell gramRow
//go:noescape
func gramRowWasm(set, panels int32, z *float64, panel int32, sum, x *float64, root, w float64)
