package neon

// part describes a register at the end of an array: only its first elements, at least
// one, are inside the array. The others are +0 when loaded, and their memory is not
// accessed. A nil part means that all four are inside.
type part struct {
	fixed int // the number of elements inside, if it is constant, else 0
	count gp  // the number in a register, if fixed is 0; more than four means all
	mask  vec // all ones for the elements inside; set only in loops over rows
}

// load reads a register from memory.
func (c *asm) load(m mem, k *part) vec {
	v := c.vec()
	c.loadInto(v, m, k)
	return v
}

// loadInto is load into a given register.
func (c *asm) loadInto(v vec, m mem, k *part) {
	c.eachSize(m, k,
		func(m mem) { c.op("FMOVQ %d(R%d), F%d", m.disp, m.base, def{v}) },
		func(m mem) { c.op("FMOVD %d(R%d), F%d", m.disp, m.base, def{v}) },
		func(m mem) { c.op("VLD1 (R%d), V%d.S[2]", m.base, mod{v}) },
		func(m mem) { c.op("FMOVS %d(R%d), F%d", m.disp, m.base, def{v}) })
}

// store writes a register to memory.
func (c *asm) store(v vec, m mem, k *part) {
	c.eachSize(m, k,
		func(m mem) { c.op("FMOVQ F%d, %d(R%d)", v, m.disp, m.base) },
		func(m mem) { c.op("FMOVD F%d, %d(R%d)", v, m.disp, m.base) },
		func(m mem) { c.op("VST1 V%d.S[2], (R%d)", v, m.base) },
		func(m mem) { c.op("FMOVS F%d, %d(R%d)", v, m.disp, m.base) })
}

// eachSize writes the code that moves the elements of a part with the functions given:
// whole moves all four, pair the first two, third the third after a pair, and single the
// only one. third takes an address without displacement.
func (c *asm) eachSize(m mem, k *part, whole, pair, third, single func(m mem)) {
	three := func() {
		pair(m)
		address := c.copyOf(m.base)
		c.stepBy(address, m.disp+8)
		third(mem{base: address})
	}
	switch {
	case k == nil || k.fixed == 4:
		whole(m)
	case k.fixed == 3:
		three()
	case k.fixed == 2:
		pair(m)
	case k.fixed == 1:
		single(m)
	default:
		few, one, two, done := c.newLabel("few"), c.newLabel("one"), c.newLabel("two"), c.newLabel("done")
		c.op("CMP $4, R%d", k.count)
		c.jump("BLT", few)
		whole(m)
		c.jump("B", done)
		c.label(few)
		c.op("CMP $2, R%d", k.count)
		c.jump("BLT", one)
		c.jump("BEQ", two)
		three()
		c.jump("B", done)
		c.label(two)
		pair(m)
		c.jump("B", done)
		c.label(one)
		single(m)
		c.label(done)
	}
}

// keep returns v in the elements inside the array, and +0 in the others.
func (c *asm) keep(v vec, k *part) vec {
	if k == nil {
		return v
	}
	return c.and(v, k.mask)
}

// cursors are copies of array addresses that a loop advances.
type cursors map[gp]gp

func (c *asm) cursors(arrays []gp) cursors {
	m := cursors{}
	for _, a := range arrays {
		m[a] = c.copyOf(a)
	}
	return m
}

func (c *asm) advanceBytes(m cursors, arrays []gp, n int) {
	for _, a := range arrays {
		c.stepBy(m[a], n)
	}
}

// elements writes a loop over n elements of arrays, one register at a time. body computes
// one register; at(p) is the address of the register's elements in the array p.
func (c *asm) elements(n gp, body func(at func(p gp) mem, k *part), arrays ...gp) {
	cursors := c.cursors(arrays)
	at := func(p gp) mem { return mem{base: cursors[p]} }
	loop, tail, done := c.newLabel("loop"), c.newLabel("tail"), c.newLabel("done")
	left := c.gp()
	c.op("SUBS $4, R%d, R%d", n, def{left})
	c.jump("BLT", tail)
	c.label(loop)
	body(at, nil)
	c.advanceBytes(cursors, arrays, 16)
	c.op("SUBS $4, R%d, R%d", left, def{left})
	c.jump("BGE", loop)
	c.label(tail)
	c.op("ADDS $4, R%d, R%d", left, def{left})
	c.jump("BEQ", done)
	body(at, &part{count: left})
	c.label(done)
}

// registers is the number of registers for a row's 16 virtual lanes.
const registers = 4

// lanes holds the 16 partial results of a reduction along a row, its virtual lanes.
type lanes [registers]vec

func (c *asm) lanes(x float32) (l lanes) {
	for h := range l {
		if x == 0 {
			l[h] = c.zero()
		} else {
			l[h] = c.all(x)
		}
	}
	return l
}

// eachLane writes a loop over a row of n elements, 16 at a time, in arrays. body computes
// register h of the 16 lanes; at(p) is the address of the register's elements in the
// array p, and k is nil except for the last elements, fewer than 16.
func (c *asm) eachLane(n gp, body func(h int, at func(p gp) mem, k *part), arrays ...gp) {
	cursors := c.cursors(arrays)
	write := func(h int, k *part) {
		body(h, func(p gp) mem { return mem{cursors[p], 16 * h} }, k)
	}
	loop, tail, done := c.newLabel("loop"), c.newLabel("tail"), c.newLabel("done")
	left := c.gp()
	c.op("SUBS $16, R%d, R%d", n, def{left})
	c.jump("BLT", tail)
	c.label(loop)
	for h := range registers {
		write(h, nil)
	}
	c.advanceBytes(cursors, arrays, 64)
	c.op("SUBS $16, R%d, R%d", left, def{left})
	c.jump("BGE", loop)
	c.label(tail)
	c.op("ADDS $16, R%d, R%d", left, def{left})
	c.jump("BEQ", done)
	masks := c.maskAddress(left)
	for h := range registers {
		mask := c.vec()
		c.op("FMOVQ %d(R%d), F%d", 16*h, masks, def{mask})
		write(h, &part{count: left, mask: mask})
		c.op("SUBS $4, R%d, R%d", left, def{left})
		c.jump("BLE", done)
	}
	c.label(done)
}

// maskAddress returns the address of masks for four registers. The masks of the first
// count elements are all ones, the others zero.
func (c *asm) maskAddress(count gp) gp {
	c.masks = true
	r := c.gp()
	c.op("MOVD $masks<>+64(SB), R%d", def{r})
	c.op("SUB R%d<<2, R%d, R%d", count, r, def{r})
	return r
}

// sum adds 16 lanes pairwise at distances 8, 4, 2 and 1, and returns the sum in every
// element of a register.
func (c *asm) sum(l lanes) vec {
	return c.reduce(l, c.add)
}

// greatest returns the maximum of 16 lanes, which must not be NaN.
func (c *asm) greatest(l lanes) vec {
	return c.reduce(l, c.fmax)
}

func (c *asm) reduce(l lanes, combine func(a, b vec) vec) vec {
	v := combine(combine(l[0], l[2]), combine(l[1], l[3]))
	for _, bytes := range []int{8, 4} {
		other := c.vec()
		c.op("VEXT $%d, V%d.B16, V%d.B16, V%d.B16", bytes, v, v, def{other})
		v = combine(v, other)
	}
	return c.spread(v)
}

// rows writes a loop over the rows of a matrix, which has at least one row.
func (c *asm) rows(body func()) {
	c.repeat(c.param("rows"), body)
}

// advance advances pointers by n elements.
func (c *asm) advance(n gp, pointers ...gp) {
	for _, p := range pointers {
		c.skip(p, n, 4)
	}
}
