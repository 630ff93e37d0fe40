// Package kernel holds every numeric loop of the training engine: matrix
// products, activations, layer norm, causal attention, cross-entropy,
// embeddings and optimiser steps, forward and backward side by side.
//
// # Layout
//
// A matrix is a row-major slice with an explicit leading dimension: element
// (i, j) of y is y[i*ldy+j], so that a head, a shard or a block of columns is
// a subslice and never a copy. Leading dimensions and strides count elements.
// No kernel allocates. A shape that does not fit panics with "kernel: …"
// before anything is written. Unless a function says otherwise its outputs
// must not overlap its inputs.
//
// # Same input, same bits
//
// The order of every floating-point operation is part of a kernel's contract,
// written in its comment as the loop that it equals:
//
//   - A sum that runs along a matrix product's inner dimension is one
//     sequential chain of multiply-adds; kernels vectorise across the outputs.
//   - A sum across the elements of a row (softmax, layer norm) runs on 16
//     virtual lanes: element j goes to lane j mod 16, missing elements count
//     as +0, and the lanes are added pairwise at distance 8, 4, 2, 1.
//   - In float32 a multiply-add rounds once (see fma32).
//   - exp and erf are fixed formulas of our own (see math.go).
//
// float32 serves training. float64 serves analysis and the checks of the
// gradients: it runs the same Go loops with each product rounded before its
// sum, and the standard library's exp and erf. The sums of an analysis over
// many words, Gram and GramRow, are float64 alone and have assembly.
//
// # Where to look
//
// Take layer norm. norm.go has the exported function and the Go loop, which is
// the definition. norm_amd64.go declares the assembly routines that equal it
// and chooses between them; asm/norm.go writes their code, norm_amd64.s, for
// AVX-512 and AVX2 at once (run go generate after a change). norm_arm64.go and
// asm/neon/norm.go do the same for arm64. equal_test.go holds each of them to
// the bits of the Go loop, at every length from 0 to 130, between pages that
// fault when touched; norm_test.go holds the loop to the textbook and its
// backward to finite differences. Other files go alike.
//
// The best instruction set of the machine is chosen at start; see Select.
package kernel
