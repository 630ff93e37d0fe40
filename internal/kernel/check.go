package kernel

import "fmt"

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
		panic(fmt.Sprintf("kernel: %s has %d elements, needs %d", what, n, want))
	}
}

// checkSame panics unless two slices have one length.
func checkSame(what string, n, want int) {
	if n != want {
		panic(fmt.Sprintf("kernel: %s has %d elements, wants exactly %d", what, n, want))
	}
}

// checkHead panics unless a head has a width.
func checkHead(what string, dh int) {
	if dh < 1 {
		panic(fmt.Sprintf("kernel: %s: a head of width %d", what, dh))
	}
}
