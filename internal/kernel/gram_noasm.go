//go:build !amd64 && !arm64 && !(js && wasmkernel)

package kernel

// Without kernels for the architecture, Gram and GramRow run their loops.

func gramWidest() int                                                              { return 0 }
func gramTile(panels, rows int, a, b *float64, panel int, c *float64, ldc int)     {}
func gramRowFast(z []float64, depth, r int, sum, x []float64, root, w float64) int { return 0 }
