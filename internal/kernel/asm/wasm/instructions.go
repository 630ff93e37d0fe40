package wasm

import (
	"encoding/binary"
	"math"
	"slices"
)

// An expr is code that leaves one value on the stack: the code of its operands, and then
// an instruction.
type expr []byte

// valueType is the type of a parameter, a local variable or a result.
type valueType byte

const (
	i32  valueType = 0x7f
	f32  valueType = 0x7d
	f64  valueType = 0x7c
	v128 valueType = 0x7b
)

// local is the index of a parameter or a local variable.
type local int

// get is the value of a variable.
func (l local) get() expr { return append(expr{0x20}, unsigned(int(l))...) }

// apply is an instruction after its operands.
func apply(instruction []byte, operands ...expr) expr {
	return append(slices.Concat(operands...), instruction...)
}

// unsigned is a number in LEB128.
func unsigned(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// number is a constant of type i32.
func number(n int) expr {
	code := expr{0x41}
	for {
		low := byte(n & 0x7f)
		n >>= 7
		if n == 0 && low&0x40 == 0 || n == -1 && low&0x40 != 0 {
			return append(code, low)
		}
		code = append(code, low|0x80)
	}
}

// Instructions on i32.
func add(a, b expr) expr     { return apply([]byte{0x6a}, a, b) }
func sub(a, b expr) expr     { return apply([]byte{0x6b}, a, b) }
func mul(a, b expr) expr     { return apply([]byte{0x6c}, a, b) }
func and(a, b expr) expr     { return apply([]byte{0x71}, a, b) }
func shl(a, b expr) expr     { return apply([]byte{0x74}, a, b) }
func equal(a, b expr) expr   { return apply([]byte{0x46}, a, b) }
func less(a, b expr) expr    { return apply([]byte{0x48}, a, b) }
func atLeast(a, b expr) expr { return apply([]byte{0x4e}, a, b) }

// inBytes is the size of n elements, and inBytes64 of n float64.
func inBytes(n expr) expr   { return shl(n, number(2)) }
func inBytes64(n expr) expr { return shl(n, number(3)) }

// vector is an instruction on v128, given by its number.
func vector(op int, operands ...expr) expr {
	return apply(append([]byte{0xfd}, unsigned(op)...), operands...)
}

// access is an instruction that reads or writes memory at an address plus an offset in
// bytes. Addresses need not be aligned.
func access(op, offset int, operands ...expr) expr {
	code := vector(op, operands...)
	return append(append(code, 0), unsigned(offset)...)
}

func load(address expr, offset int) expr          { return access(0, offset, address) }
func loadSplat(address expr, offset int) expr     { return access(9, offset, address) }
func loadSplat64(address expr, offset int) expr   { return access(10, offset, address) }
func loadFirst(address expr, offset int) expr     { return access(92, offset, address) } // the others are 0
func loadFirst2(address expr, offset int) expr    { return access(93, offset, address) }
func loadInt(address expr, offset int) expr       { return memory(0x28, offset, address) }
func store(address expr, offset int, v expr) expr { return access(11, offset, address, v) }

// memory is access for an instruction that is not on v128.
func memory(op byte, offset int, operands ...expr) expr {
	return append(apply([]byte{op, 0}, operands...), unsigned(offset)...)
}

// loadLane replaces a lane of v by an element in memory.
func loadLane(lane int, address expr, offset int, v expr) expr {
	return append(access(86, offset, address, v), byte(lane))
}

// storeLane writes a lane of v to memory.
func storeLane(lane int, address expr, offset int, v expr) expr {
	return append(access(90, offset, address, v), byte(lane))
}

// all is a vector of equal elements.
func all(x float32) expr { return allBits(math.Float32bits(x)) }

// allBits is a vector of equal elements, given by their bits.
func allBits(bits uint32) expr {
	code := vector(12)
	for range 4 {
		code = binary.LittleEndian.AppendUint32(code, bits)
	}
	return code
}

// all64 is a vector of two equal elements.
func all64(x float64) expr { return allBits64(math.Float64bits(x)) }

// allBits64 is a vector of two equal elements of 64 bits.
func allBits64(bits uint64) expr {
	code := vector(12)
	for range 2 {
		code = binary.LittleEndian.AppendUint64(code, bits)
	}
	return code
}

// shuffle is a vector of four elements, selected by their indices: 0 to 3 are elements of
// a, 4 to 7 elements of b.
func shuffle(a, b expr, indices [4]int) expr {
	code := vector(13, a, b)
	for _, i := range indices {
		for j := range 4 {
			code = append(code, byte(4*i+j))
		}
	}
	return code
}

// upper is a vector whose first two elements are the last two of v.
func upper(v expr) expr { return shuffle(v, v, [4]int{2, 3, 2, 3}) }

// splat is a vector of equal elements, given a number of type f32, and splat64 one of
// type f64.
func splat(x expr) expr   { return vector(19, x) }
func splat64(x expr) expr { return vector(20, x) }

// Instructions on bits and on four integers.
func vnot(v expr) expr            { return vector(77, v) }
func vand(a, b expr) expr         { return vector(78, a, b) }
func vor(a, b expr) expr          { return vector(80, a, b) }
func vxor(a, b expr) expr         { return vector(81, a, b) }
func choose(a, b, mask expr) expr { return vector(82, a, b, mask) } // a where the mask is 1
func anyTrue(v expr) expr         { return vector(83, v) }
func iequal(a, b expr) expr       { return vector(55, a, b) }
func iless(a, b expr) expr        { return vector(57, a, b) }
func ishl(v expr, n int) expr     { return vector(171, v, number(n)) }
func ishr(v expr, n int) expr     { return vector(172, v, number(n)) }
func iadd(a, b expr) expr         { return vector(174, a, b) }
func isub(a, b expr) expr         { return vector(177, a, b) }

// Instructions on four float32.
func fless(a, b expr) expr { return vector(67, a, b) }
func fadd(a, b expr) expr  { return vector(228, a, b) }
func fsub(a, b expr) expr  { return vector(229, a, b) }
func fmul(a, b expr) expr  { return vector(230, a, b) }
func fdiv(a, b expr) expr  { return vector(231, a, b) }
func fneg(v expr) expr     { return vector(225, v) }
func fsqrt(v expr) expr    { return vector(227, v) }

// fmin is a where a < b, else b. fmax is a where a > b, else b.
func fmin(a, b expr) expr { return vector(234, b, a) }
func fmax(a, b expr) expr { return vector(235, b, a) }

// Instructions on two float64, and on two integers of 64 bits.
func dless(a, b expr) expr    { return vector(73, a, b) }
func datMost(a, b expr) expr  { return vector(75, a, b) }
func dabs(v expr) expr        { return vector(236, v) }
func dadd(a, b expr) expr     { return vector(240, a, b) }
func dsub(a, b expr) expr     { return vector(241, a, b) }
func dmul(a, b expr) expr     { return vector(242, a, b) }
func widen(v expr) expr       { return vector(95, v) }             // the first two elements
func lshr(v expr, n int) expr { return vector(205, v, number(n)) } // of numbers without a sign
func lsub(a, b expr) expr     { return vector(209, a, b) }
func lequal(a, b expr) expr   { return vector(214, a, b) }

// narrow rounds two vectors of two float64 to one of four float32.
func narrow(low, high expr) expr {
	return shuffle(vector(94, low), vector(94, high), [4]int{0, 1, 4, 5})
}

// relaxedMadd is a·b + c, rounded once or twice, and relaxedMadd64 the same in float64.
func relaxedMadd(a, b, c expr) expr   { return vector(261, a, b, c) }
func relaxedMadd64(a, b, c expr) expr { return vector(263, a, b, c) }

// splatInt is a vector of equal integers.
func splatInt(n expr) expr { return vector(17, n) }

// indices is the vector 0, 1, 2, 3 of integers.
func indices() expr {
	code := vector(12)
	for i := range 4 {
		code = append(code, byte(i), 0, 0, 0)
	}
	return code
}

// spread is a vector whose elements are the first one of v.
func spread(v expr) expr { return shuffle(v, v, [4]int{0, 0, 0, 0}) }
