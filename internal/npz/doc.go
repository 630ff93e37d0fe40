// Package npz writes and reads NumPy files: an .npy file holds one array, an .npz file is
// a zip archive of named arrays.
//
//	numpy.load("beliefs.npz")["full"]   # shape (88572, 3)
//
// An .npy file is a line of text that describes the array, padded to a multiple of 64
// bytes, followed by the elements in row-major order:
//
//	\x93NUMPY 1 0 {'descr': '<f8', 'fortran_order': False, 'shape': (88572, 3), }
//
// The elements are float32, float64, int32 or int64, little-endian. Archives are
// compressed and contain no timestamps; therefore equal arrays give equal bytes.
//
// The format is version 1.0 of numpy.lib.format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
package npz

import (
	"fmt"
	"math"
	"math/bits"
)

// Array is a named array with its elements in row-major order.
type Array struct {
	Name  string
	Shape []int // empty for a scalar
	Data  any   // []float32, []float64, []int32 or []int64
}

// descr returns NumPy's name of the element type, and the number of elements. It panics
// unless data is a slice of a supported type.
func descr(data any) (name string, elements int) {
	switch data := data.(type) {
	case []float32:
		return "<f4", len(data)
	case []float64:
		return "<f8", len(data)
	case []int32:
		return "<i4", len(data)
	case []int64:
		return "<i8", len(data)
	default:
		panic(fmt.Sprintf("npz: elements of type %T, want []float32, []float64, []int32 or []int64", data))
	}
}

// Type returns NumPy's name of the type of an array's elements, such as float64.
func Type(a Array) string {
	name, _ := descr(a.Data)
	return map[string]string{"<f4": "float32", "<f8": "float64", "<i4": "int32", "<i8": "int64"}[name]
}

// product returns the product of the dimensions. ok is false if a dimension is negative
// or the product overflows an int.
func product(shape []int) (result int, ok bool) {
	total := uint64(1)
	for _, d := range shape {
		high, low := bits.Mul64(total, uint64(d))
		if d < 0 || high != 0 || low > math.MaxInt {
			return 0, false
		}
		total = low
	}
	return int(total), true
}
