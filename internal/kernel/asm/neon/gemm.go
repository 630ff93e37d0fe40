package neon

import "fmt"

const gemmSignature = "func(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int, " +
	"s *float32, lds int, x *float32)"

// panels are the widths of the panels into which matrix products divide C.
var panels = []struct {
	columns int
	tiles   []int // rows of the tiles, largest first
}{
	{16, []int{6, 4, 2, 1}},
	{8, []int{12, 8, 4, 2, 1}},
	{4, []int{12, 8, 4, 2, 1}},
	{3, []int{8, 4, 2, 1}},
	{2, []int{8, 4, 2, 1}},
	{1, []int{8, 4, 2, 1}},
}

// gemm writes the matrix-product kernels. Each computes a panel of C: all m rows of 16,
// 8, 4, 3, 2 or 1 columns. It moves down the panel in tiles of C, which stay in registers
// while p runs over the inner dimension: each step loads one row of B and, for each row
// of the tile, one element of A. Six rows by four registers are 24 independent chains of
// multiply-adds, enough to hide their latency, and need 10 loads.
func gemm(c *asm) {
	for _, panel := range panels {
		c.function(fmt.Sprintf("gemm%d", panel.columns), gemmSignature)
		m, a, cp, ldc, sp := c.param("m"), c.param("a"), c.param("c"), c.stride("ldc"), c.param("s")
		s := c.strides()
		c.tiles(m, panel.tiles, func(rows int) {
			t := c.newTile(s, rows, panel.columns)
			c.unlessZero(sp, func() { t.load(sp, c.stride("lds")) })
			t.begin(a, c.param("b"))
			c.repeat(c.param("k"), func() { t.step(0, rows) })
			t.add(c.param("x"), cp, ldc)
			t.store(cp, ldc)
			c.skip(a, s.ras, rows)
		})
		c.end()
	}
}

// tiles writes loops that move down the m rows of a panel in tiles. rows lists the
// heights of the tiles, largest first; body writes the code of one tile. m is reduced by
// the tile's height before that code runs.
func (c *asm) tiles(m gp, rows []int, body func(rows int)) {
	for _, r := range rows {
		loop, next := c.newLabel("rows"), c.newLabel("next")
		c.label(loop)
		c.op("CMP $%d, R%d", r, m)
		c.jump("BLT", next)
		c.op("SUB $%d, R%d, R%d", r, m, def{m})
		body(r)
		c.jump("B", loop)
		c.label(next)
	}
}

// strides are the strides of A and B, in bytes.
type strides struct {
	ras, ras2, ras3 gp // the stride between rows of A, twice and three times that stride
	cas, ldb        gp
}

// strides loads the parameters ras, cas and ldb.
func (c *asm) strides() strides {
	s := strides{ras: c.stride("ras"), cas: c.stride("cas"), ldb: c.stride("ldb"), ras2: c.gp()}
	c.op("LSL $1, R%d, R%d", s.ras, def{s.ras2})
	s.ras3 = c.plus(s.ras, s.ras, 1)
	return s
}

// tile is a block of C held in registers during its computation.
type tile struct {
	*asm
	strides
	acc    [][]vec // acc[r][v] is register v of row r
	k      *part   // if C has fewer than four columns: the elements of the only register that are inside C
	groups []gp    // addresses of the elements of A in rows 0, 4, 8 of the tile and column p
	bp     gp      // address of row p of B
}

// fewerThanFour returns the part of a register that the given number of columns fills,
// nil for four or more.
func fewerThanFour(columns int) *part {
	if columns < 4 {
		return &part{fixed: columns}
	}
	return nil
}

// newTile returns a tile of zeros.
func (c *asm) newTile(s strides, rows, columns int) *tile {
	t := &tile{asm: c, strides: s, k: fewerThanFour(columns)}
	for range rows {
		row := make([]vec, (columns+3)/4)
		for v := range row {
			row[v] = c.zero()
		}
		t.acc = append(t.acc, row)
	}
	return t
}

// load fills the tile from the matrix at sp and advances sp past the tile's rows.
func (t *tile) load(sp, lds gp) {
	for _, acc := range t.acc {
		for v, dst := range acc {
			t.loadInto(dst, mem{sp, 16 * v}, t.k)
		}
		t.asm.step(sp, lds)
	}
}

// begin sets the tile's addresses to its first row of A and the first row of B. step then
// advances the register b itself.
func (t *tile) begin(a, b gp) {
	for g := range (len(t.acc) + 3) / 4 {
		if g == 0 {
			t.groups = append(t.groups, t.copyOf(a))
		} else {
			t.groups = append(t.groups, t.plus(t.groups[g-1], t.ras, 2))
		}
	}
	t.bp = b
}

// step adds the products for the current p, an index of the inner dimension, to the
// tile's rows with indices in [from, to), and advances to the next p.
func (t *tile) step(from, to int) {
	b := make([]vec, len(t.acc[0]))
	for v := range b {
		b[v] = t.asm.load(mem{t.bp, 16 * v}, t.k)
	}
	for r := from; r < to; r++ {
		a := t.element(r)
		for v, acc := range t.acc[r] {
			t.fmaFirst(acc, b[v], a)
		}
	}
	for _, g := range t.groups {
		t.asm.step(g, t.cas)
	}
	t.asm.step(t.bp, t.ldb)
}

// element loads the element of A in row r of the tile and column p, the current index of
// the inner dimension.
func (t *tile) element(r int) vec {
	base := t.groups[r/4]
	if r%4 == 0 {
		return t.first(mem{base: base})
	}
	v := t.vec()
	t.op("FMOVS (R%d)(R%d), F%d", base, []gp{1: t.ras, 2: t.ras2, 3: t.ras3}[r%4], def{v})
	return v
}

// add adds the corresponding elements of the matrix x to the tile, unless x is nil. They
// have the same offset in x as cp has in C.
func (t *tile) add(x, cp, ldc gp) {
	t.unlessZero(x, func() {
		t.op("SUB R%d, R%d, R%d", t.param("c"), x, def{x})
		t.op("ADD R%d, R%d, R%d", cp, x, def{x})
		for _, acc := range t.acc {
			for v, sum := range acc {
				t.addInto(sum, t.asm.load(mem{x, 16 * v}, t.k))
			}
			t.asm.step(x, ldc)
		}
	})
}

// store writes the tile to C and advances cp past the tile's rows.
func (t *tile) store(cp, ldc gp) {
	for _, acc := range t.acc {
		for v, src := range acc {
			t.asm.store(src, mem{cp, 16 * v}, t.k)
		}
		t.asm.step(cp, ldc)
	}
}
