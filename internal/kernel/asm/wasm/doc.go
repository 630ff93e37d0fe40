// Package wasm generates the kernels of package kernel as WebAssembly modules, and the
// JavaScript that calls them. It contains a small assembler:
//
//   - instructions.go has the instructions, as expressions that contain their operands;
//   - function.go holds the code of one function, with loops and conditions;
//   - module.go writes the binary format of a module, and the script;
//   - arithmetic.go has the multiply-add and the elementary functions;
//   - loops.go passes over elements, rows and their ends.
//
// The other files generate the kernels; each corresponds to the file of package kernel
// with the same name.
//
// There are two modules with the same functions. In relaxed.wasm a multiply-add is the
// instruction f32x4.relaxed_madd, or f64x2.relaxed_madd in gram.go. They round once on
// most machines, and twice on some. In exact.wasm a multiply-add rounds once on every
// machine: it is computed in float64, as fma32 of package kernel does, or in gram.go as a
// sum of several float64. A module has no memory: it imports the memory of the Go
// program, and pointers are addresses there.
//
// The binary format is defined in the WebAssembly Core Specification 3.0.
package wasm
