package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// gram writes the kernels of Zᵀ·Z, in float64, from panels of 8 columns of Z.
//
// A tile of C has 8 rows by 8, 16 or 24 columns for AVX-512, and 4 by 8 for AVX2. It
// stays in registers while r runs over the rows of Z: each step loads a row of the panels
// b and, for each row of the tile, broadcasts an element of the panel a. All panels are
// read sequentially.
func gram(c *asm) {
	if c.isa == avx512 {
		for panels := 3; panels > 0; panels-- {
			gramTiles(c, fmt.Sprintf("gram%d", 8*panels), 8, panels)
		}
	} else {
		gramTiles(c, "gram8", 4, 2)
	}
	gramRow(c)
}

// gramTiles writes the kernel for a block of C with 8 rows, each nv registers wide. The
// kernel divides the block into tiles of the given number of rows.
func gramTiles(c *asm, name string, rows, nv int) {
	c.function(name, "func(rows int, a, b *float64, panel int, c *float64, ldc int)")
	a, cp, panel, ldc := c.param("a"), c.param("c"), c.param("panel"), c.param("ldc")
	c.SHLQ(operand.Imm(3), panel)
	c.SHLQ(operand.Imm(3), ldc)
	for tile := range 8 / rows {
		ap, bp, count, row := c.GP64(), c.param("b"), c.param("rows"), c.GP64()
		c.LEAQ(mem{Base: a, Disp: 8 * rows * tile}, ap)
		c.MOVQ(cp, row)
		acc := make([][]vec, rows)
		for r := range acc {
			for v := range nv {
				acc[r] = append(acc[r], c.load(mem{Base: row, Disp: c.bytes() * v}, nil))
			}
			c.ADDQ(ldc, row)
		}
		label := fmt.Sprintf("tile%d", tile)
		c.Label(label)
		c.gramStep(acc, ap, bp, panel)
		c.DECQ(count)
		c.JNE(operand.LabelRef(label))
		for r := range acc {
			for v := range nv {
				c.store(acc[r][v], mem{Base: cp, Disp: c.bytes() * v}, nil)
			}
			c.ADDQ(ldc, cp)
		}
	}
	c.end()
}

// bytes is the size of a register in bytes.
func (c *asm) bytes() int { return 4 * c.width() }

// gramStep adds the products of one row of Z to a tile, and advances to the next row.
// With AVX-512, a multiply-add can itself broadcast its element, which saves an
// instruction and costs a load for each register except the first. Every other row does
// so.
func (c *asm) gramStep(acc [][]vec, ap, bp, panel gp) {
	bs := make([]vec, len(acc[0]))
	for v := range bs {
		place := mem{Base: bp, Disp: c.bytes() * v}
		if c.isa == avx512 && v > 0 { // one register holds a row of a panel
			place = mem{Base: bp, Index: panel, Scale: uint8(v)}
		}
		bs[v] = c.load(place, nil)
	}
	for r := range acc {
		element := mem{Base: ap, Disp: 8 * r}
		var a vec
		folded := c.isa == avx512 && (r%2 == 1 || len(bs) == 1)
		if !folded {
			a = c.vec()
			c.VBROADCASTSD(element, a)
		}
		for v, b := range bs {
			if folded {
				c.VFMADD231PD_BCST(element, b, acc[r][v])
			} else {
				c.VFMADD231PD(b, a, acc[r][v])
			}
		}
	}
	c.ADDQ(operand.Imm(64), ap)
	c.ADDQ(operand.Imm(64), bp)
}

// gramRow writes the kernel of GramRow: it stores the row x, times root, in the panels z,
// and adds x, times w, to sum.
func gramRow(c *asm) {
	c.function("gramRow", "func(panels int, z *float64, panel int, sum, x *float64, root, w float64)")
	count, z, panel := c.param("panels"), c.param("z"), c.param("panel")
	sum, x, root, w := c.param("sum"), c.param("x"), c.vec(), c.vec()
	c.SHLQ(operand.Imm(3), panel)
	c.VBROADCASTSD(c.address("root"), root)
	c.VBROADCASTSD(c.address("w"), w)
	c.rows("panel", count, func() {
		for v := range 64 / c.bytes() {
			at := func(p gp) mem { return mem{Base: p, Disp: c.bytes() * v} }
			xs, scaled, weighed := c.load(at(x), nil), c.vec(), c.vec()
			c.VMULPD(root, xs, scaled)
			c.store(scaled, at(z), nil)
			c.VMULPD(w, xs, weighed)
			c.VADDPD(at(sum), weighed, weighed)
			c.store(weighed, at(sum), nil)
		}
		c.PREFETCHT0(mem{Base: z, Disp: 128}) // the memory of the row after the next one
		c.ADDQ(panel, z)
		c.ADDQ(operand.Imm(64), x)
		c.ADDQ(operand.Imm(64), sum)
	})
	c.end()
}
