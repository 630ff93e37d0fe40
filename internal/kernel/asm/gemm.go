package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

const gemmSignature = "func(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int, " +
	"s *float32, lds int, x *float32)"

// shape describes how a panel of C, a few registers wide, is divided into tiles.
type shape struct {
	name    string
	heights []int // heights of the tiles in rows, largest first
	nv      int   // number of registers for a row of the tile
	masked  bool  // the columns of the last register may be partly outside C
	folds   folds
}

// folds says for which rows of an AVX-512 tile the multiply-add itself broadcasts the
// element of A. That saves an instruction, and costs a load for each register except the
// first.
type folds int

const (
	foldNone folds = iota
	foldEveryOther
	foldAll
)

func (f folds) row(r int) bool { return f == foldAll || f == foldEveryOther && r%2 == 1 }

// gemm writes the matrix-product kernels. Each computes a panel of C: all m rows of up to
// 8, 16, 32, 48 or 64 columns. It moves down the panel in tiles of C, which stay in
// registers while p runs over the inner dimension: each step loads one row of B and, for
// each row of the tile, broadcasts one element of A and multiply-adds. The tallest tiles
// have 8 to 16 independent chains, enough to hide their latency. More chains would save
// loads of B, which do not limit the speed, and lengthen the bursts of stores at the end
// of a tile, which do.
//
// That holds for CPUs that multiply 512 bits in two halves. Full-width units consume
// operands twice as fast and are limited by loads: a masked load occupies a unit for a
// cycle, and tiles with more columns need fewer loads for each multiply-add.
//
// A panel has a tall tile and few lower ones for the rows that remain. More heights are
// faster for a few rows only; panels of 16 columns have them, because attention scores of
// short contexts are that narrow.
func gemm(c *asm) {
	if c.isa == avx512 {
		gemmPanel(c, shape{"gemm64", []int{6, 4, 2, 1}, 4, false, foldNone})
		gemmPanel(c, shape{"gemm48", []int{8, 4, 2, 1}, 3, false, foldNone})
		gemmPanel(c, shape{"gemmTail48", []int{8, 4, 2, 1}, 3, true, foldNone})
		gemmPanel(c, shape{"gemm32", []int{14, 12, 8, 4, 2, 1}, 2, false, foldNone})
		gemmPanel(c, shape{"gemmTail32", []int{14, 12, 8, 4, 2, 1}, 2, true, foldNone})
		gemmPanel(c, shape{"gemm16", []int{15, 12, 10, 8, 6, 4, 3, 2, 1}, 1, false, foldAll})
		gemmPanel(c, shape{"gemmTail16", []int{15, 12, 10, 8, 6, 4, 3, 2, 1}, 1, true, foldAll})
		gemmPanel(c, shape{"gemmHalved32", []int{8, 4, 2, 1}, 2, true, foldEveryOther})
		gemmPanel(c, shape{"gemmHalved16", []int{12, 10, 8, 6, 4, 3, 2, 1}, 1, true, foldAll})
		return
	}
	gemmPanel(c, shape{"gemm16", []int{6, 5, 4, 3, 2, 1}, 2, false, foldNone})
	gemmPanel(c, shape{"gemmTail16", []int{4, 3, 2, 1}, 2, true, foldNone})
	gemmPanel(c, shape{"gemmTail8", []int{8, 6, 4, 3, 2, 1}, 1, true, foldNone})
}

// gemmPanel writes the kernel for panels of one shape.
func gemmPanel(c *asm, s shape) {
	c.function(s.name, gemmSignature)
	m, a, ras, cas := c.param("m"), c.param("a"), c.stride("ras"), c.stride("cas")
	ldb, cp, ldc, sp := c.stride("ldb"), c.param("c"), c.stride("ldc"), c.param("s")
	ras3 := c.GP64()
	c.LEAQ(mem{Base: ras, Index: ras, Scale: 2}, ras3)
	ks := s.masks(c)
	s.eachHeight(c, m, func(label string, rows int) {
		t := newTile(c, s, rows, ras, ras3, cas, ldb, ks)
		gemmTile(t, label, a, cp, ldc, sp)
	})
	c.end()
}

// masks returns the masks of the shape's registers. Only the last one can be partial,
// because a narrower panel uses a kernel with fewer registers.
func (s shape) masks(c *asm) []mask {
	ks := make([]mask, s.nv)
	if s.masked {
		ks[s.nv-1] = c.masks(c.param("n"), s.nv)[s.nv-1]
	}
	return ks
}

// eachHeight writes a loop over the m rows of a panel, using the tallest tile that fits
// in the remaining rows.
func (s shape) eachHeight(c *asm, m gp, tile func(label string, rows int)) {
	for i, rows := range s.heights {
		label, next := fmt.Sprintf("rows%d", rows), "done"
		if i+1 < len(s.heights) {
			next = fmt.Sprintf("rows%d", s.heights[i+1])
		}
		c.Label(label)
		c.CMPQ(m, operand.Imm(uint64(rows)))
		c.JL(operand.LabelRef(next))
		c.SUBQ(operand.Imm(uint64(rows)), m)
		tile(label, rows)
		c.JMP(operand.LabelRef(label))
	}
	c.Label("done")
}

// gemmTile writes the code of one tile. It advances the pointers a, cp and, if not nil,
// sp past the tile's rows.
func gemmTile(t *tile, label string, a, cp, ldc, sp gp) {
	t.unlessNil(sp, func() { t.load(sp, t.stride("lds")) })
	t.begin(a, t.param("b"))
	k := t.param("k")
	t.Label(label + "loop")
	t.step(0, len(t.acc))
	t.DECQ(k)
	t.JNE(operand.LabelRef(label + "loop"))
	t.add(cp, ldc)
	t.store(cp, ldc)
	t.skip(a, t.ras, len(t.acc))
}

// add adds the corresponding elements of the matrix x to the tile, unless x is nil. They
// have the same offset in x as cp has in C.
func (t *tile) add(cp, ldc gp) {
	x := t.param("x")
	t.unlessNil(x, func() {
		t.SUBQ(t.param("c"), x)
		t.ADDQ(cp, x)
		for r := range t.acc {
			for v, acc := range t.acc[r] {
				t.VADDPS(acc, t.asm.load(mem{Base: x, Disp: 4 * t.width() * v}, t.ks[v]), acc)
			}
			t.ADDQ(ldc, x)
		}
	})
}

// tile is a block of C held in registers during its computation.
type tile struct {
	*asm
	folds
	acc                 [][]vec // acc[r][v] is register v of row r
	ks                  []mask  // one mask of columns for each register of a row
	groups              []gp    // addresses of the elements of A in rows 0, 5, 10 of the tile and column p
	bp                  gp      // address of row p of B
	ras, ras3, cas, ldb gp      // strides in bytes; ras3 is 3·ras
}

// group is the number of rows of A that one register addresses, at offsets of 0 to 4
// times ras.
const group = 5

// newTile returns a tile of zeros.
func newTile(c *asm, s shape, rows int, ras, ras3, cas, ldb gp, ks []mask) *tile {
	t := &tile{asm: c, folds: s.folds, ks: ks, ras: ras, ras3: ras3, cas: cas, ldb: ldb}
	for range rows {
		row := make([]vec, s.nv)
		for v := range row {
			row[v] = c.zero()
		}
		t.acc = append(t.acc, row)
	}
	return t
}

// load fills the tile from the matrix at sp and advances sp past the tile's rows.
func (t *tile) load(sp, lds gp) {
	for r := range t.acc {
		for v, dst := range t.acc[r] {
			t.loadInto(dst, mem{Base: sp, Disp: 4 * t.width() * v}, t.ks[v])
		}
		t.ADDQ(lds, sp)
	}
}

// begin sets the tile's addresses to its first row of A and the first row of B.
func (t *tile) begin(a, b gp) {
	for g := range (len(t.acc) + group - 1) / group {
		p := t.GP64()
		if g == 0 {
			t.MOVQ(a, p)
		} else {
			t.LEAQ(mem{Base: t.groups[g-1], Index: t.ras, Scale: 4}, p)
			t.ADDQ(t.ras, p)
		}
		t.groups = append(t.groups, p)
	}
	t.bp = b
}

// step adds the products for the current p, an index of the inner dimension, to the
// tile's rows with indices in [from, to), and advances to the next p.
func (t *tile) step(from, to int) {
	bs := make([]vec, len(t.ks))
	for v := range bs {
		bs[v] = t.asm.load(mem{Base: t.bp, Disp: 4 * t.width() * v}, t.ks[v])
	}
	for r := from; r < to; r++ {
		element := mem{Base: t.groups[r/group]}
		switch r % group {
		case 1, 2, 4:
			element.Index, element.Scale = t.ras, uint8(r%group)
		case 3:
			element.Index, element.Scale = t.ras3, 1
		}
		t.multiplyAdd(t.acc[r], element, bs, t.folds.row(r))
	}
	for _, g := range t.groups {
		t.ADDQ(t.cas, g)
	}
	t.ADDQ(t.ldb, t.bp)
}

// multiplyAdd adds the product of an element of A and a row of B to a row of the tile.
func (t *tile) multiplyAdd(acc []vec, element mem, bs []vec, folded bool) {
	if folded {
		for v := range bs {
			t.VFMADD231PS_BCST(element, bs[v], acc[v])
		}
		return
	}
	a := t.vec()
	t.VBROADCASTSS(element, a)
	for v := range bs {
		t.fma(acc[v], a, bs[v])
	}
}

// store writes the tile to C and advances cp past the tile's rows.
func (t *tile) store(cp, ldc gp) {
	for r := range t.acc {
		for v, acc := range t.acc[r] {
			t.asm.store(acc, mem{Base: cp, Disp: 4 * t.width() * v}, t.ks[v])
		}
		t.ADDQ(ldc, cp)
	}
}

// skip advances a pointer by a number of strides.
func (c *asm) skip(p, stride gp, count int) {
	for _, step := range []int{8, 4, 2, 1} {
		for ; count >= step; count -= step {
			c.LEAQ(mem{Base: p, Index: stride, Scale: uint8(step)}, p)
		}
	}
}
