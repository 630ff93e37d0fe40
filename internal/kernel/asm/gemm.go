package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

const gemmSignature = "func(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int, " +
	"s *float32, lds int)"

// gemm writes the matrix-product kernels. Each computes a panel of C: all m
// rows of up to 8, 16 or 32 columns. It walks down the panel in tiles of C that
// stay in registers while p runs over the inner dimension: each step loads one
// row of B, and for each row of the tile broadcasts one element of A and
// multiply-adds. The tallest tiles have 8 to 16 independent chains, enough
// to hide their latency. More would save loads of B, which are no bottleneck,
// and make longer bursts of stores at a tile's end, which are one.
func gemm(c *asm) {
	if c.isa == avx512 {
		gemmPanel(c, "gemm32", []int{8, 7, 6, 5, 4, 3, 2, 1}, 2, true)
		gemmPanel(c, "gemm16", []int{12, 10, 8, 6, 4, 3, 2, 1}, 1, true)
		return
	}
	gemmPanel(c, "gemm16", []int{6, 5, 4, 3, 2, 1}, 2, false)
	gemmPanel(c, "gemmTail16", []int{4, 3, 2, 1}, 2, true)
	gemmPanel(c, "gemmTail8", []int{8, 6, 4, 3, 2, 1}, 1, true)
}

// gemmPanel writes one panel kernel with tiles of the given numbers of rows,
// greatest first, and nv registers of columns.
func gemmPanel(c *asm, name string, tiles []int, nv int, masked bool) {
	c.function(name, gemmSignature)
	m, a, ras, cas := c.param("m"), c.param("a"), c.stride("ras"), c.stride("cas")
	ldb, cp, ldc, sp := c.stride("ldb"), c.param("c"), c.stride("ldc"), c.param("s")
	ras3 := c.GP64()
	c.LEAQ(mem{Base: ras, Index: ras, Scale: 2}, ras3)
	ks := make([]mask, nv)
	if masked {
		ks = c.masks(c.param("n"), nv)
	}
	for i, rows := range tiles {
		label, next := fmt.Sprintf("rows%d", rows), "done"
		if i+1 < len(tiles) {
			next = fmt.Sprintf("rows%d", tiles[i+1])
		}
		c.Label(label)
		c.CMPQ(m, operand.Imm(uint64(rows)))
		c.JL(operand.LabelRef(next))
		gemmTile(c, label, rows, nv, a, ras, ras3, cas, ldb, cp, ldc, sp, ks)
		c.SUBQ(operand.Imm(uint64(rows)), m)
		c.JMP(operand.LabelRef(label))
	}
	c.Label("done")
	c.end()
}

// gemmTile writes one tile and moves a, cp and sp, unless it is nil, past its rows.
func gemmTile(c *asm, label string, rows, nv int, a, ras, ras3, cas, ldb, cp, ldc, sp gp, ks []mask) {
	t := newTile(c, rows, nv, ras, ras3, cas, ldb, ks)
	c.unlessNil(sp, func() { t.load(sp, c.stride("lds")) })
	t.begin(a, c.param("b"))
	k := c.param("k")
	c.Label(label + "loop")
	t.step(0, rows)
	c.DECQ(k)
	c.JNE(operand.LabelRef(label + "loop"))
	t.store(cp, ldc)
	c.skip(a, ras, rows)
}

// tile is a block of C in registers while it is computed.
type tile struct {
	*asm
	acc                 [][]vec // acc[r][v] is register v of row r
	ks                  []mask  // masks of the columns
	groups              []gp    // addresses of rows 0, 4, 8 of A, at the present p
	bp                  gp      // address of row p of B
	ras, ras3, cas, ldb gp      // strides in bytes; ras3 is 3·ras
}

// newTile is a tile of zeros.
func newTile(c *asm, rows, nv int, ras, ras3, cas, ldb gp, ks []mask) *tile {
	t := &tile{asm: c, ks: ks, ras: ras, ras3: ras3, cas: cas, ldb: ldb}
	for range rows {
		row := make([]vec, nv)
		for v := range row {
			row[v] = c.zero()
		}
		t.acc = append(t.acc, row)
	}
	return t
}

// load fills the tile from the matrix at sp and moves sp past it.
func (t *tile) load(sp, lds gp) {
	for r := range t.acc {
		for v, dst := range t.acc[r] {
			t.loadInto(dst, mem{Base: sp, Disp: 4 * t.width() * v}, t.ks[v])
		}
		t.ADDQ(lds, sp)
	}
}

// begin points the tile at its first row of A and its first row of B.
func (t *tile) begin(a, b gp) {
	for g := range (len(t.acc) + 3) / 4 {
		p := t.GP64()
		if g == 0 {
			t.MOVQ(a, p)
		} else {
			t.LEAQ(mem{Base: t.groups[g-1], Index: t.ras, Scale: 4}, p)
		}
		t.groups = append(t.groups, p)
	}
	t.bp = b
}

// step adds the products of one p to rows from ≤ r < to, and moves on to the next p.
func (t *tile) step(from, to int) {
	bs := make([]vec, len(t.ks))
	for v := range bs {
		bs[v] = t.asm.load(mem{Base: t.bp, Disp: 4 * t.width() * v}, t.ks[v])
	}
	for r := from; r < to; r++ {
		element := mem{Base: t.groups[r/4]}
		switch r % 4 {
		case 1, 2:
			element.Index, element.Scale = t.ras, uint8(r%4)
		case 3:
			element.Index, element.Scale = t.ras3, 1
		}
		t.multiplyAdd(t.acc[r], element, bs, r%2 == 1)
	}
	for _, g := range t.groups {
		t.ADDQ(t.cas, g)
	}
	t.ADDQ(t.ldb, t.bp)
}

// multiplyAdd adds one element of A times a row of B to a row of the tile. With
// AVX-512 a multiply-add can broadcast the element itself, which saves an
// instruction and costs a load for each register but the first: so this is done
// where there is one register, and else in every other row.
func (t *tile) multiplyAdd(acc []vec, element mem, bs []vec, odd bool) {
	if t.isa == avx512 && (odd || len(bs) == 1) {
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

// store writes the tile to C and moves cp past it.
func (t *tile) store(cp, ldc gp) {
	for r := range t.acc {
		for v, acc := range t.acc[r] {
			t.asm.store(acc, mem{Base: cp, Disp: 4 * t.width() * v}, t.ks[v])
		}
		t.ADDQ(ldc, cp)
	}
}

// skip moves a pointer by a number of strides.
func (c *asm) skip(p, stride gp, count int) {
	for _, step := range []int{8, 4, 2, 1} {
		for ; count >= step; count -= step {
			c.LEAQ(mem{Base: p, Index: stride, Scale: uint8(step)}, p)
		}
	}
}
