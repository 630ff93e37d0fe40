package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set for which kernels are generated.
type isa string

const (
	avx2   isa = "AVX2"   // AVX2 and FMA: 16 registers of 8 elements
	avx512 isa = "AVX512" // AVX-512 F, BW, DQ, VL: 32 registers of 16 elements, masks
)

// asm writes the functions of one file for one instruction set. Its methods are vector
// operations with the same names for all instruction sets, and with operands in the order
// of the formula: sub(a, b) is a − b. Results are new registers.
type asm struct {
	*build.Context
	isa
	consts map[uint32]operand.Mem // constants already in the file
	labels int                    // number of labels created by unlessNil
}

type (
	vec = reg.VecVirtual
	gp  = reg.GPVirtual
	mem = operand.Mem
)

// width is the number of elements of a register.
func (c *asm) width() int {
	if c.isa == avx512 {
		return 16
	}
	return 8
}

// vec returns a new vector register.
func (c *asm) vec() vec {
	if c.isa == avx512 {
		return c.ZMM()
	}
	return c.YMM()
}

// function begins an assembly function. The name of the instruction set is appended to
// the function's name.
func (c *asm) function(name, signature string) {
	c.Function(name + string(c.isa))
	c.Attributes(attr.NOSPLIT)
	c.Pragma("noescape")
	c.SignatureExpr(signature)
}

// end ends a function.
func (c *asm) end() {
	c.VZEROUPPER()
	c.RET()
}

// param loads a parameter of the function.
func (c *asm) param(name string) gp { return c.Load(c.Param(name), c.GP64()).(gp) }

// stride loads a parameter that counts elements, converted to bytes.
func (c *asm) stride(name string) gp {
	r := c.param(name)
	c.SHLQ(operand.Imm(2), r)
	return r
}

// address returns the address of a parameter.
func (c *asm) address(name string) mem {
	a, err := c.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return a.Addr
}

// scalar broadcasts a float32 parameter to a vector register.
func (c *asm) scalar(name string) vec {
	v := c.vec()
	c.VBROADCASTSS(c.address(name), v)
	return v
}

// result stores the first element of a register as a result of the function.
func (c *asm) result(name string, v vec) {
	a, err := c.Return(name).Resolve()
	if err != nil {
		panic(err)
	}
	c.VMOVSS(v.AsX(), a.Addr)
}

// bits returns the address of a constant in the file, which holds it eight times. The
// constant is given by its bits.
func (c *asm) bits(b uint32) mem {
	if m, ok := c.consts[b]; ok {
		return m
	}
	m := c.StaticGlobal(fmt.Sprintf("const%08x", b))
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		c.AddDatum(4*i, operand.U32(b))
	}
	c.consts[b] = m
	return m
}

// konst is a float32 constant used as an operand.
type konst float32

// binary emits dst = a op b, where b is a register, memory or a konst.
func (c *asm) binary(plain, broadcast func(...operand.Op), a vec, b any) vec {
	dst := c.vec()
	c.into(plain, broadcast, b, a, dst)
	return dst
}

// into emits an instruction whose first operand b is a konst, memory or a register. A
// konst is broadcast by the instruction if possible.
func (c *asm) into(plain, broadcast func(...operand.Op), b any, rest ...operand.Op) {
	switch b := b.(type) {
	case konst:
		m := c.bits(math.Float32bits(float32(b)))
		if c.isa == avx512 {
			broadcast(append([]operand.Op{m}, rest...)...)
			return
		}
		plain(append([]operand.Op{m}, rest...)...)
	case operand.Op:
		plain(append([]operand.Op{b}, rest...)...)
	default:
		panic(fmt.Sprintf("operand %T", b))
	}
}

func (c *asm) add(a vec, b any) vec { return c.binary(c.VADDPS, c.VADDPS_BCST, a, b) }
func (c *asm) sub(a vec, b any) vec { return c.binary(c.VSUBPS, c.VSUBPS_BCST, a, b) }
func (c *asm) mul(a vec, b any) vec { return c.binary(c.VMULPS, c.VMULPS_BCST, a, b) }
func (c *asm) div(a vec, b any) vec { return c.binary(c.VDIVPS, c.VDIVPS_BCST, a, b) }

// max returns a where a > b, else b; it returns b if either is NaN.
func (c *asm) max(a vec, b any) vec { return c.binary(c.VMAXPS, c.VMAXPS_BCST, a, b) }

// min returns a where a < b, else b; it returns b if either is NaN.
func (c *asm) min(a vec, b any) vec { return c.binary(c.VMINPS, c.VMINPS_BCST, a, b) }

// fma sets acc += a·b.
func (c *asm) fma(acc, a vec, b any) {
	c.into(c.VFMADD231PS, c.VFMADD231PS_BCST, b, a, acc)
}

// fnma sets acc −= a·b.
func (c *asm) fnma(acc, a vec, b any) {
	c.into(c.VFNMADD231PS, c.VFNMADD231PS_BCST, b, a, acc)
}

// horner sets acc = acc·x + b, a step of a polynomial.
func (c *asm) horner(acc, x vec, b any) {
	c.into(c.VFMADD213PS, c.VFMADD213PS_BCST, b, x, acc)
}

func (c *asm) sqrt(a vec) vec {
	dst := c.vec()
	c.VSQRTPS(a, dst)
	return dst
}

// copyOf returns a new register with a copy of v.
func (c *asm) copyOf(v vec) vec {
	dst := c.vec()
	c.VMOVAPS(v, dst)
	return dst
}

// zero returns a register of +0.
func (c *asm) zero() vec {
	v := c.vec()
	c.VXORPS(v, v, v)
	return v
}

// all returns a register filled with a constant.
func (c *asm) all(v float32) vec {
	dst := c.vec()
	c.VBROADCASTSS(c.bits(math.Float32bits(v)), dst)
	return dst
}

// mask selects the elements of a register that are inside the array; nil selects all.
type mask operand.Op

// load reads a register from memory. Elements that the mask does not select are +0, and
// their memory is not accessed.
func (c *asm) load(m mem, k mask) vec {
	dst := c.vec()
	c.loadInto(dst, m, k)
	return dst
}

// loadInto is load into a given register.
func (c *asm) loadInto(dst vec, m mem, k mask) {
	switch {
	case k == nil:
		c.VMOVUPS(m, dst)
	case c.isa == avx512:
		c.VMOVUPS_Z(m, k, dst)
	default:
		c.VMASKMOVPS(m, k, dst)
	}
}

// store writes the elements of a register that the mask selects.
func (c *asm) store(v vec, m mem, k mask) {
	switch {
	case k == nil:
		c.VMOVUPS(v, m)
	case c.isa == avx512:
		c.VMOVUPS(v, k, m)
	default:
		c.VMASKMOVPS(v, k, m)
	}
}

// masks returns n masks that together select the first count elements of n
// registers; count is at most n times the width.
func (c *asm) masks(count gp, n int) []mask {
	var ks []mask
	if c.isa == avx512 {
		ones := c.GP64()
		c.MOVQ(operand.I32(-1), ones)
		c.BZHIQ(count, ones, ones)
		for range n {
			k := c.K()
			c.KMOVW(ones.As32(), k)
			c.SHRQ(operand.Imm(16), ones)
			ks = append(ks, k)
		}
		return ks
	}
	return c.loadMasks(c.maskAddress(count), n)
}

// maskAddress returns the address of AVX2 masks that select the first count elements.
func (c *asm) maskAddress(count gp) gp {
	address, bytes := c.GP64(), c.GP64()
	c.LEAQ(c.maskTable().Offset(4*8*maskRegisters), address)
	c.MOVQ(count, bytes)
	c.SHLQ(operand.Imm(2), bytes)
	c.SUBQ(bytes, address)
	return address
}

// loadMasks reads n AVX2 masks.
func (c *asm) loadMasks(address gp, n int) []mask {
	var ks []mask
	for i := range n {
		k := c.YMM()
		c.VMOVUPS(mem{Base: address, Disp: 32 * i}, k)
		ks = append(ks, k)
	}
	return ks
}

// maskRegisters is the largest number of registers of masks that AVX2 code loads at once.
const maskRegisters = 2

// maskTable returns the address of the table of masks: 16 words of all ones, followed by
// 16 zeros.
func (c *asm) maskTable() mem {
	const key = 0xffffffff
	if m, ok := c.consts[key]; ok {
		return m
	}
	m := c.StaticGlobal("masks")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 * maskRegisters {
		b := uint32(0)
		if i < 8*maskRegisters {
			b = key
		}
		c.AddDatum(4*i, operand.U32(b))
	}
	c.consts[key] = m
	return m
}
