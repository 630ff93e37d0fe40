// Package kernel contains all numeric loops of the training engine: matrix products,
// activations, layer norm, causal attention, cross-entropy, embeddings and optimiser
// steps, each forward and backward.
//
// # Layout
//
// A matrix is a row-major slice with an explicit leading dimension: element (i, j) of y
// is y[i*ldy+j]. A head, a shard or a block of columns is therefore a subslice, without
// copying. Leading dimensions and strides are in elements. Kernels do not allocate.
// Inconsistent shapes panic with "kernel: …" before anything is written. Outputs must not
// overlap inputs, unless a function's comment allows it.
//
// # Same input, same bits
//
// The order of all floating-point operations is part of a kernel's contract. Its comment
// specifies the order as a loop:
//
//   - A sum that runs along a matrix product's inner dimension is one
//     sequential chain of multiply-adds; kernels vectorise across the outputs.
//   - A sum across the elements of a row (softmax, layer norm) runs on 16
//     virtual lanes: element j goes to lane j mod 16, missing elements count
//     as +0, and the lanes are added pairwise at distance 8, 4, 2, 1.
//   - In float32 a multiply-add rounds once (see fma32).
//   - exp and erf are fixed formulas of this package (see math.go).
//
// float32 is for training. float64 is for analysis and gradient checks: it runs the same
// Go loops, with each product rounded before it is added, and the standard library's exp
// and erf. The sums of an analysis over many sequences, Gram and GramRow, exist only in
// float64 and have assembly and WebAssembly.
//
// # Where to look
//
// Layer norm is an example. norm.go contains the exported function and the Go loop, which
// is the definition. norm_amd64.go declares the equivalent assembly routines and selects
// one; asm/norm.go generates their code, norm_amd64.s, for both AVX-512 and AVX2 (run go
// generate after a change). norm_arm64.go and asm/neon/norm.go do the same for arm64.
// equal_test.go checks each routine bit by bit against the Go loop, for all lengths from
// 0 to 130, between pages that fault when touched; norm_test.go checks the loop against
// the textbook, and the backward pass against finite differences. The other files follow
// the same pattern.
//
// norm_wasm.go and asm/wasm/norm.go do the same for WebAssembly, in programs for GOOS=js
// that are built with -tags wasmkernel; isa_wasm.go explains what their host provides.
//
// The best instruction set of the machine is selected at start; see Select.
package kernel
