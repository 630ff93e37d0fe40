// Command asm writes the assembly of package kernel.
//
//	go run . FOLDER
//
// Each file of this command holds the kernels of one file of the package and
// writes them once for each instruction set of amd64, through the operations of
// vec.go. Package neon does the same for arm64.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"foretell/internal/kernel/asm/neon"
	"foretell/internal/kernel/asm/wasm"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// files are the names of the generated files, without _amd64.s, and their kernels.
var files = []struct {
	name  string
	write func(*asm)
}{
	{"gemm", gemm},
	{"triangle", triangle},
	{"listed", listed},
	{"matrix", matrix},
	{"activation", activation},
	{"norm", norm},
	{"softmax", softmax},
	{"attention", attention},
	{"optimizer", optimizer},
	{"peak", peak},
	{"gram", gram},
	{"isa", identify},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: asm FOLDER")
		os.Exit(2)
	}
	for _, f := range files {
		text, err := generate(f.write)
		write(f.name+"_amd64.s", text, err)
	}
	for _, f := range neon.Files {
		text, err := f.Generate()
		write(f.Name+"_arm64.s", text, err)
	}
	for _, f := range wasm.Files() {
		write(f.Name, f.Data, nil)
	}
}

// write writes a file to the folder, unless its generation failed.
func write(name string, text []byte, err error) {
	if err == nil {
		err = os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "asm: %s: %v\n", name, err)
		os.Exit(1)
	}
}

// generate returns the text of one file.
func generate(write func(*asm)) ([]byte, error) {
	ctx := build.NewContext()
	consts := map[uint32]operand.Mem{}
	for _, set := range []isa{avx512, avx2} {
		write(&asm{Context: ctx, isa: set, consts: consts})
	}
	f, err := ctx.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "kernel/asm", Pkg: "kernel"}).Print(f)
}
