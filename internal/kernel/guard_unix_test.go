//go:build unix

package kernel

import (
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"foretell/internal/panics"
)

// guarded returns n float32 between two pages that fault when touched.
func guarded(t testing.TB, n int) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*n + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	for _, guard := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&m[page])), size/4)
}

// TestArenaFaults shows that a kernel which leaves its slice does not go unseen.
func TestArenaFaults(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	a := newArena(t)
	for _, atEnd := range []bool{false, true} {
		a.reset(1, false, atEnd)
		x := a.floats(5)
		outside := unsafe.Add(unsafe.Pointer(&x[0]), -4)
		if atEnd {
			outside = unsafe.Add(unsafe.Pointer(&x[4]), 4)
		}
		if !panics.Does(func() { *(*float32)(outside) = 1 }) {
			t.Errorf("at end %v: a write outside of the slice goes unseen", atEnd)
		}
	}
}
