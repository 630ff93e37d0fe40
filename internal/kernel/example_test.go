package kernel_test

import (
	"fmt"

	"foretell/internal/kernel"
)

// A linear layer y = x·W + b and its backward. The transposed operand of a
// gradient costs no copy where it is A, whose strides are free; where it is B
// it is transposed once.
func Example() {
	const rows, in, out = 2, 3, 2
	x := []float32{1, 2, 3, 4, 5, 6} // (rows,in)
	w := []float32{1, 0, 0, 1, 1, 1} // (in,out)
	b := []float32{0.5, -0.5}

	y := make([]float32, rows*out)
	kernel.GemmBias(rows, out, in, x, in, 1, w, out, y, out, b)
	fmt.Println("y =", y)

	dy := []float32{1, 0, 0, 1} // (rows,out)
	dw, db := make([]float32, in*out), make([]float32, out)
	kernel.Gemm(in, out, rows, x, 1, in, dy, out, dw, out, true) // xᵀ·dy
	kernel.ColumnSums(db, dy, out, rows, out)
	fmt.Println("dW =", dw, "db =", db)

	wt, dx := make([]float32, out*in), make([]float32, rows*in)
	kernel.Transpose(wt, in, w, out, in, out)
	kernel.Gemm(rows, in, out, dy, out, 1, wt, in, dx, in, false) // dy·Wᵀ
	fmt.Println("dx =", dx)
	// Output:
	// y = [4.5 4.5 10.5 10.5]
	// dW = [1 4 2 5 3 6] db = [1 1]
	// dx = [1 0 1 0 1 1]
}
