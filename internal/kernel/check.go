package kernel

import (
	"fmt"
	"unsafe"
)

// checkMatrix panics unless a slice of length n holds rows×cols elements with
// leading dimension ld.
func checkMatrix(what string, n, rows, cols, ld int) {
	switch {
	case rows < 0 || cols < 0:
		panic(fmt.Sprintf("kernel: %s has negative shape %d×%d", what, rows, cols))
	case ld < cols:
		panic(fmt.Sprintf("kernel: %s has leading dimension %d, less than its %d columns", what, ld, cols))
	case rows > 0 && cols > 0 && n < (rows-1)*ld+cols:
		panic(fmt.Sprintf("kernel: %s has %d elements, %d×%d with leading dimension %d needs %d",
			what, n, rows, cols, ld, (rows-1)*ld+cols))
	}
}

// checkLen panics unless a slice has at least want elements.
func checkLen(what string, n, want int) {
	if n < want {
		panic(fmt.Sprintf("kernel: %s has %d elements, want at least %d", what, n, want))
	}
}

// checkSame panics unless two lengths are equal.
func checkSame(what string, n, want int) {
	if n != want {
		panic(fmt.Sprintf("kernel: %s has %d elements, want exactly %d", what, n, want))
	}
}

// checkApart panics if two slices share elements.
func checkApart[F Float](what string, x, y []F) {
	if len(x) == 0 || len(y) == 0 {
		return
	}
	p, q := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0]))
	if size := unsafe.Sizeof(x[0]); p < q+uintptr(len(y))*size && q < p+uintptr(len(x))*size {
		panic(fmt.Sprintf("kernel: %s have elements in common, but must not overlap", what))
	}
}

// checkHead panics unless the width of a head is positive.
func checkHead(what string, dh int) {
	if dh < 1 {
		panic(fmt.Sprintf("kernel: %s: the width of a head is %d, want at least 1", what, dh))
	}
}
