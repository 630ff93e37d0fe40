package neon

import "math"

// mem is an address: base + disp bytes.
type mem struct {
	base gp
	disp int
}

// param loads a parameter of the function.
func (c *asm) param(name string) gp {
	f, r := c.field(name), c.gp()
	move := "MOVD"
	if f.kind == "bool" {
		move = "MOVBU"
	}
	c.op(move+" %s+%d(FP), R%d", f.name, f.offset, def{r})
	return r
}

// stride loads a parameter that counts elements, converted to bytes.
func (c *asm) stride(name string) gp {
	r := c.param(name)
	c.op("LSL $2, R%d, R%d", r, def{r})
	return r
}

// scalar broadcasts a float32 parameter to a vector register.
func (c *asm) scalar(name string) vec {
	f, v := c.field(name), c.vec()
	c.op("FMOVS %s+%d(FP), F%d", f.name, f.offset, def{v})
	return c.spread(v)
}

// result stores the first element of a register as a result of the function.
func (c *asm) result(name string, v vec) {
	f := c.field(name)
	c.op("FMOVS F%d, %s+%d(FP)", v, f.name, f.offset)
}

// Operations on addresses and counts in general registers.

func (c *asm) copyOf(a gp) gp {
	r := c.gp()
	c.op("MOVD R%d, R%d", a, def{r})
	return r
}

func (c *asm) number(n int) gp {
	r := c.gp()
	c.op("MOVD $%d, R%d", n, def{r})
	return r
}

// step sets a += b.
func (c *asm) step(a, b gp) { c.op("ADD R%d, R%d, R%d", b, a, def{a}) }

func (c *asm) stepBy(a gp, n int) { c.op("ADD $%d, R%d, R%d", n, a, def{a}) }

// plus returns a + b·2^shift.
func (c *asm) plus(a, b gp, shift int) gp {
	r := c.gp()
	c.op("ADD R%d<<%d, R%d, R%d", b, shift, a, def{r})
	return r
}

// skip advances a pointer by a number of strides.
func (c *asm) skip(p, stride gp, count int) {
	for shift := 3; shift >= 0; shift-- {
		for ; count >= 1<<shift; count -= 1 << shift {
			c.op("ADD R%d<<%d, R%d, R%d", stride, shift, p, def{p})
		}
	}
}

// repeat writes a loop that runs the body count times, at least once, and leaves count at
// 0.
func (c *asm) repeat(count gp, body func()) {
	loop := c.newLabel("loop")
	c.label(loop)
	body()
	c.op("SUBS $1, R%d, R%d", count, def{count})
	c.jump("BNE", loop)
}

// unlessZero writes code that is skipped if the register is 0.
func (c *asm) unlessZero(r gp, body func()) {
	zero := c.newLabel("zero")
	c.op("CMP $0, R%d", r)
	c.jump("BEQ", zero)
	body()
	c.label(zero)
}

// Operations on vectors, with operands in the order of the formula: sub(a, b)
// is a − b. Results are new registers.

func (c *asm) binary(encoding uint32, name string, a, b vec) vec {
	dst := c.vec()
	c.word(encoding, name+" v%d.4s, v%d.4s, v%d.4s", def{dst}, a, b)
	return dst
}

func (c *asm) add(a, b vec) vec { return c.binary(0x4e20d400, "fadd", a, b) }
func (c *asm) sub(a, b vec) vec { return c.binary(0x4ea0d400, "fsub", a, b) }
func (c *asm) mul(a, b vec) vec { return c.binary(0x6e20dc00, "fmul", a, b) }
func (c *asm) div(a, b vec) vec { return c.binary(0x6e20fc00, "fdiv", a, b) }

// fmin and fmax return NaN if either operand is NaN.
func (c *asm) fmin(a, b vec) vec { return c.binary(0x4ea0f400, "fmin", a, b) }
func (c *asm) fmax(a, b vec) vec { return c.binary(0x4e20f400, "fmax", a, b) }

// addInto sets acc += a.
func (c *asm) addInto(acc, a vec) {
	c.word(0x4e20d400, "fadd v%d.4s, v%d.4s, v%d.4s", def{acc}, acc, a)
}

// fma sets acc += a·b.
func (c *asm) fma(acc, a, b vec) { c.op("VFMLA V%d.S4, V%d.S4, V%d.S4", b, a, mod{acc}) }

// fnma sets acc −= a·b.
func (c *asm) fnma(acc, a, b vec) { c.op("VFMLS V%d.S4, V%d.S4, V%d.S4", b, a, mod{acc}) }

// fmaFirst sets acc += a·b, with the first element of b.
func (c *asm) fmaFirst(acc, a, b vec) {
	c.word(0x4f801000, "fmla v%d.4s, v%d.4s, v%d.s[0]", mod{acc}, a, b)
}

func (c *asm) sqrt(a vec) vec {
	dst := c.vec()
	c.word(0x6ea1f800, "fsqrt v%d.4s, v%d.4s", def{dst}, a)
	return dst
}

// positive returns a mask: all ones in the elements where a > 0, else zero.
func (c *asm) positive(a vec) vec {
	dst := c.vec()
	c.word(0x4ea0c800, "fcmgt v%d.4s, v%d.4s, #0.0", def{dst}, a)
	return dst
}

// negative returns a mask: all ones in the elements where a < 0, else zero.
func (c *asm) negative(a vec) vec {
	dst := c.vec()
	c.word(0x4ea0e800, "fcmlt v%d.4s, v%d.4s, #0.0", def{dst}, a)
	return dst
}

// without returns a with +0 in the elements where the mask is all ones.
func (c *asm) without(a, mask vec) vec {
	dst := c.vec()
	c.word(0x4e601c00, "bic v%d.16b, v%d.16b, v%d.16b", def{dst}, a, mask)
	return dst
}

// and returns a in the elements where the mask is all ones, and +0 in the others.
func (c *asm) and(a, mask vec) vec {
	dst := c.vec()
	c.op("VAND V%d.B16, V%d.B16, V%d.B16", mask, a, def{dst})
	return dst
}

// raise sets acc to a in the elements where a is greater. A NaN is never greater.
func (c *asm) raise(acc, a vec) {
	greater := c.vec()
	c.word(0x6ea0e400, "fcmgt v%d.4s, v%d.4s, v%d.4s", def{greater}, a, acc)
	c.op("VBIT V%d.B16, V%d.B16, V%d.B16", greater, a, mod{acc})
}

// zero returns a register of +0.
func (c *asm) zero() vec {
	v := c.vec()
	c.op("VMOVI $0, V%d.B16", def{v})
	return v
}

// all returns a register filled with a constant.
func (c *asm) all(x float32) vec { return c.allBits(math.Float32bits(x)) }

func (c *asm) allBits(bits uint32) vec {
	v := c.vec()
	c.op("FMOVQ %d(R%d), F%d", c.constant(bits), c.table, def{v})
	return v
}

// move sets dst = a.
func (c *asm) move(dst, a vec) { c.op("VMOV V%d.B16, V%d.B16", a, def{dst}) }

func (c *asm) copyVec(a vec) vec {
	dst := c.vec()
	c.move(dst, a)
	return dst
}

// spread returns the first element of a, four times.
func (c *asm) spread(a vec) vec {
	dst := c.vec()
	c.op("VDUP V%d.S[0], V%d.S4", a, def{dst})
	return dst
}

// first loads one element and sets the others to +0; broadcast loads it into all four.
func (c *asm) first(m mem) vec {
	v := c.vec()
	c.op("FMOVS %d(R%d), F%d", m.disp, m.base, def{v})
	return v
}

func (c *asm) broadcast(m mem) vec { return c.spread(c.first(m)) }

// storeFirst writes the first element of a register.
func (c *asm) storeFirst(v vec, m mem) { c.op("FMOVS F%d, %d(R%d)", v, m.disp, m.base) }
