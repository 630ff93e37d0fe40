package neon

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"math"
	"strings"
)

// asm writes the functions of one file in order. Errors are panics, which try recovers.
type asm struct {
	out    *bytes.Buffer
	consts []uint32 // the file's constants, by index in its table
	masks  bool     // whether the file uses the table of masks

	// The function under construction.
	name    string
	fields  []field
	size    int // total size of the arguments and results in bytes
	code    []instruction
	classes []class // class of each virtual register
	labels  int
	table   gp // address of the constants
}

// field is an argument or a result.
type field struct {
	name, kind string
	offset     int
}

// instruction is a line of assembly: a label, or else an instruction.
type instruction struct {
	label  string
	format string // has one formatting verb for each element of args
	args   []any  // print replaces virtual registers by physical ones
	uses   []int  // virtual registers read
	defs   []int  // virtual registers written
	target string // label to which the instruction may jump
	leaves bool   // whether execution never continues with the next instruction
	word   uint32 // encoding, with all registers 0, of an instruction that Go's assembler lacks
}

type (
	gp  struct{ id int } // a virtual register of 64 bits
	vec struct{ id int } // a virtual vector register: four float32
)

// def marks an argument of op as written, mod as read and written.
type (
	def struct{ register any }
	mod struct{ register any }
)

// try runs write and returns the error that it panics with, if any.
func (c *asm) try(write func(*asm)) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("%s: %w", c.name, e)
		default:
			panic(e)
		}
	}()
	write(c)
	return nil
}

// function begins an assembly function. NEON is appended to the function's name.
func (c *asm) function(name, signature string) {
	c.name = name + "NEON"
	c.fields, c.size, c.code, c.classes, c.labels = nil, 0, nil, nil, 0
	fmt.Fprintf(c.out, "\n// func %s%s\n", c.name, strings.TrimPrefix(signature, "func"))
	expr, err := parser.ParseExpr(signature)
	if err != nil {
		panic(err)
	}
	f := expr.(*ast.FuncType)
	c.layout(f.Params)
	if f.Results != nil {
		c.size = (c.size + 7) / 8 * 8
		c.layout(f.Results)
	}
	c.table = c.gp()
	c.op("MOVD $consts<>(SB), R%d", def{c.table})
}

// layout assigns offsets in the frame to arguments or results.
func (c *asm) layout(list *ast.FieldList) {
	for _, f := range list.List {
		kind := "*float32"
		if ident, ok := f.Type.(*ast.Ident); ok {
			kind = ident.Name
		}
		size := map[string]int{"*float32": 8, "int": 8, "float64": 8, "float32": 4, "bool": 1}[kind]
		for _, name := range f.Names {
			c.size = (c.size + size - 1) / size * size
			c.fields = append(c.fields, field{name.Name, kind, c.size})
			c.size += size
		}
	}
}

func (c *asm) field(name string) field {
	for _, f := range c.fields {
		if f.name == name {
			return f
		}
	}
	panic(fmt.Errorf("no parameter %s", name))
}

// end ends a function: it allocates registers and prints the instructions.
func (c *asm) end() {
	c.op("RET")
	c.code[len(c.code)-1].leaves = true
	c.dropUnused(c.table)
	physical := c.allocate()
	fmt.Fprintf(c.out, "TEXT ·%s(SB), NOSPLIT, $0-%d\n", c.name, c.size)
	for _, i := range c.code {
		if i.label != "" {
			fmt.Fprintf(c.out, "\n%s:\n", i.label)
			continue
		}
		fmt.Fprintf(c.out, "\t%s\n", i.print(physical))
	}
}

// print returns the text of an instruction.
func (i instruction) print(physical []int) string {
	args := make([]any, len(i.args))
	for a, arg := range i.args {
		switch r := arg.(type) {
		case gp:
			arg = physical[r.id]
		case vec:
			arg = physical[r.id]
		}
		args[a] = arg
	}
	text := fmt.Sprintf(i.format, args...)
	if i.word == 0 {
		return text
	}
	word := i.word
	for a, arg := range args { // in the order destination, first operand, second operand
		word |= uint32(arg.(int)) << []int{0, 5, 16}[a]
	}
	return fmt.Sprintf("WORD $0x%08x // %s", word, text)
}

// dropUnused removes the function's first instruction, which sets r, if r is never read.
func (c *asm) dropUnused(r gp) {
	for _, i := range c.code {
		for _, u := range i.uses {
			if u == r.id {
				return
			}
		}
	}
	c.code = c.code[1:]
}

// op adds an instruction. Its arguments are the registers that it reads, registers marked
// by def or mod, and other values for the format.
func (c *asm) op(format string, args ...any) {
	i := instruction{format: format}
	for _, arg := range args {
		read, written := arg, any(nil)
		switch a := arg.(type) {
		case def:
			arg, read, written = a.register, nil, a.register
		case mod:
			arg, read, written = a.register, a.register, a.register
		}
		i.uses, i.defs = appendID(i.uses, read), appendID(i.defs, written)
		i.args = append(i.args, arg)
	}
	c.code = append(c.code, i)
}

func appendID(list []int, register any) []int {
	switch r := register.(type) {
	case gp:
		return append(list, r.id)
	case vec:
		return append(list, r.id)
	}
	return list
}

// word adds an instruction that Go's assembler lacks, with up to three vector registers:
// destination, first and second operand.
func (c *asm) word(encoding uint32, format string, registers ...any) {
	c.op(format, registers...)
	c.code[len(c.code)-1].word = encoding
}

// newLabel returns a new label with a unique number.
func (c *asm) newLabel(name string) string {
	c.labels++
	return fmt.Sprintf("%s%d", name, c.labels)
}

func (c *asm) label(name string) { c.code = append(c.code, instruction{label: name}) }

// jump adds a branch instruction. It is conditional unless its name is "B".
func (c *asm) jump(branch, label string) {
	c.code = append(c.code, instruction{format: branch + " " + label, target: label, leaves: branch == "B"})
}

// constant returns the offset in bytes of a constant, given by its bits, in the file's
// table, which holds each constant four times.
func (c *asm) constant(bits uint32) int {
	for i, b := range c.consts {
		if b == bits {
			return 16 * i
		}
	}
	c.consts = append(c.consts, bits)
	return 16 * (len(c.consts) - 1)
}

// printConstants writes the file's two tables: its constants, and the masks, 16 words of
// all ones followed by 16 zeros.
func (c *asm) printConstants(file *bytes.Buffer) {
	table := func(name string, words []uint32) {
		if len(words) == 0 {
			return
		}
		file.WriteString("\n")
		for i, w := range words {
			fmt.Fprintf(file, "DATA %s<>+%d(SB)/4, $0x%08x\n", name, 4*i, w)
		}
		fmt.Fprintf(file, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", name, 4*len(words))
	}
	var words []uint32
	for _, b := range c.consts {
		words = append(words, b, b, b, b)
	}
	table("consts", words)
	if c.masks {
		words = make([]uint32, 32)
		for i := range 16 {
			words[i] = math.MaxUint32
		}
		table("masks", words)
	}
}
