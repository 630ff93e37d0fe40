package wasm

import (
	"bytes"
	"fmt"
)

// function is the code of one function.
type function struct {
	*module
	index    int // among the functions of the module
	name     string
	exported bool
	params   []valueType
	result   []valueType // none or one
	locals   []valueType
	free     map[valueType][]local // variables that no code uses any more
	code     bytes.Buffer
}

// variable returns a new variable.
func (f *function) variable(t valueType) local {
	if n := len(f.free[t]); n > 0 {
		l := f.free[t][n-1]
		f.free[t] = f.free[t][:n-1]
		return l
	}
	f.locals = append(f.locals, t)
	return local(len(f.params) + len(f.locals) - 1)
}

// vec returns a new variable with the value of v.
func (f *function) vec(v expr) local {
	l := f.variable(v128)
	f.set(l, v)
	return l
}

// integer returns a new variable of type i32 with the value of v.
func (f *function) integer(v expr) local {
	l := f.variable(i32)
	f.set(l, v)
	return l
}

// scope runs the function body. The variables that it makes are free afterwards.
func (f *function) scope(body func()) {
	before := map[local]bool{}
	for _, list := range f.free {
		for _, l := range list {
			before[l] = true
		}
	}
	n := len(f.locals)
	body()
	f.release(before, n)
}

// release makes the variables free that were free before or are new since.
func (f *function) release(before map[local]bool, n int) {
	f.free = map[valueType][]local{}
	for i, t := range f.locals {
		if l := local(len(f.params) + i); i >= n || before[l] {
			f.free[t] = append(f.free[t], l)
		}
	}
}

// do executes code.
func (f *function) do(code ...expr) {
	for _, c := range code {
		f.code.Write(c)
	}
}

// set assigns to a variable.
func (f *function) set(l local, v expr) {
	f.do(v, append(expr{0x21}, unsigned(int(l))...))
}

// advance adds to a variable of type i32.
func (f *function) advance(l local, by expr) { f.set(l, add(l.get(), by)) }

const (
	opBlock, opLoop, opIf, opElse, opEnd = 0x02, 0x03, 0x04, 0x05, 0x0b
	opBranchIf, opSelect                 = 0x0d, 0x1b
	noResult                             = 0x40
)

// repeat runs the body, and again as long as a condition holds after it.
func (f *function) repeat(body func(), again expr) {
	f.do(expr{opLoop, noResult})
	body()
	f.do(again, expr{opBranchIf, 0, opEnd})
}

// while runs the body as long as a condition holds before it.
func (f *function) while(condition expr, body func()) {
	f.when(condition, func() { f.repeat(body, condition) })
}

// when runs the body if a condition holds.
func (f *function) when(condition expr, body func()) {
	f.do(condition, expr{opIf, noResult})
	body()
	f.do(expr{opEnd})
}

// either runs one of two bodies.
func (f *function) either(condition expr, then, otherwise func()) {
	f.do(condition, expr{opIf, noResult})
	then()
	f.do(expr{opElse})
	otherwise()
	f.do(expr{opEnd})
}

// call is the result of a function of this module.
func (f *function) call(name string, operands ...expr) expr {
	callee := f.module.named(name)
	if len(operands) != len(callee.params) {
		panic(fmt.Sprintf("%s calls %s with %d operands", f.name, name, len(operands)))
	}
	return apply(append([]byte{0x10}, unsigned(callee.index)...), operands...)
}
