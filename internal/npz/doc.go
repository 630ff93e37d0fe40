// Package npz writes and reads NumPy's files: an .npy file is one array, an .npz file a
// zip archive of them by name.
//
//	numpy.load("beliefs.npz")["full"]   # shape (88572, 3)
//
// An .npy file is a line of text that says what follows, padded to a multiple of 64
// bytes, and then the elements in row-major order:
//
//	\x93NUMPY 1 0 {'descr': '<f8', 'fortran_order': False, 'shape': (88572, 3), }
//
// The elements are float32, float64, int32 or int64, little-endian. Archives are
// compressed and carry no times, so the same arrays give the same bytes.
//
// The format is numpy.lib.format's, version 1.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
package npz

import (
	"fmt"
	"math"
	"math/bits"
)

// Array is a named array with its elements in row-major order.
type Array struct {
	Name  string
	Shape []int // of rank 0 for a single number
	Data  any   // []float32, []float64, []int32 or []int64
}

// descr returns NumPy's name of the elements' type and their number; it panics when
// data is no slice of a supported type.
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
		panic(fmt.Sprintf("npz: elements of type %T; []float32, []float64, []int32 or []int64 are wanted", data))
	}
}

// Type is NumPy's name of the type of an array's elements, such as float64.
func Type(a Array) string {
	name, _ := descr(a.Data)
	return map[string]string{"<f4": "float32", "<f8": "float64", "<i4": "int32", "<i8": "int64"}[name]
}

// product returns the product of the dimensions; ok is false when one is negative or an
// int cannot hold the product.
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
