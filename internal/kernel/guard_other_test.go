//go:build !unix

package kernel

import "testing"

// guarded returns n float32, without guards where there is no mmap.
func guarded(_ testing.TB, n int) []float32 { return make([]float32, n) }
