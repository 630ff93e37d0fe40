//go:build js && wasmkernel

package kernel

import "unsafe"

// transposeFast runs transposeLoop in WebAssembly, and reports whether it did.
func transposeFast(dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	if isa == generic {
		return false
	}
	transposeWasm(isa.number(), &dst[0], int32(ldd), &src[0], int32(lds), int32(rows), int32(cols))
	return true
}

// columnSumsFast runs the loop of ColumnSums in WebAssembly, and reports whether it did.
func columnSumsFast(db, dy []float32, ldy, rows, n int) bool {
	if isa == generic {
		return false
	}
	columnSumsWasm(isa.number(), &db[0], &dy[0], int32(ldy), int32(rows), int32(n))
	return true
}

// sumFast runs the loop of Sum in WebAssembly, and reports whether it did.
func sumFast(dst, x, y []float32) bool {
	if isa == generic || len(dst) == 0 {
		return false
	}
	sumWasm(isa.number(), &dst[0], &x[0], &y[0], int32(len(dst)))
	return true
}

// productFast runs the loop of Product in WebAssembly, and reports whether it did.
func productFast(dst, x, y []float32) bool {
	if isa == generic || len(dst) == 0 {
		return false
	}
	productWasm(isa.number(), &dst[0], &x[0], &y[0], int32(len(dst)))
	return true
}

// addTreeFast runs addTree in WebAssembly if it can, which it can for four and eight
// slices only. It reports whether it did.
func addTreeFast[F Float](x [][]F) bool {
	if isa == generic || len(x) != 4 && len(x) != 8 || len(x[0]) == 0 {
		return false
	}
	var terms [8]*float32
	for i := range x {
		terms[i] = &f32(x[i])[0]
	}
	if n := int32(len(x[0])); len(x) == 4 {
		addTree4Wasm(isa.number(), unsafe.Pointer(&terms), n)
	} else {
		addTree8Wasm(isa.number(), unsafe.Pointer(&terms), n)
	}
	return true
}

// transposeLoop and the loop of ColumnSums, for positive numbers of rows and columns.

//go:wasmimport foretell transpose
//go:noescape
func transposeWasm(set int32, dst *float32, ldd int32, src *float32, lds, rows, cols int32)

//go:wasmimport foretell columnSums
//go:noescape
func columnSumsWasm(set int32, db, dy *float32, ldy, rows, n int32)

// The loops of Sum and Product.

//go:wasmimport foretell sum
//go:noescape
func sumWasm(set int32, dst, x, y *float32, n int32)

//go:wasmimport foretell product
//go:noescape
func productWasm(set int32, dst, x, y *float32, n int32)

// addTree4 and addTree8, for 4 and 8 terms x of n elements, to which an array points, are
//
//	for i := range n { x[0][i] = (x[0][i] + x[1][i]) + (x[2][i] + x[3][i]) }
//
// and the sum of two such sums.

//go:wasmimport foretell addTree4
//go:noescape
func addTree4Wasm(set int32, terms unsafe.Pointer, n int32)

//go:wasmimport foretell addTree8
//go:noescape
func addTree8Wasm(set int32, terms unsafe.Pointer, n int32)
