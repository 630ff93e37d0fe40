// Package safetensors reads and writes the safetensors file format: named tensors that
// any framework can load, and that cannot execute code when loaded.
//
//	8 bytes    N, the length of the header, little-endian
//	N bytes    a JSON object, padded with spaces to a multiple of 8 bytes:
//	           {"__metadata__":{"step":"500"},
//	            "embed.W_E":{"dtype":"F32","shape":[3,64],"data_offsets":[0,768]}, …}
//	the rest   the tensors' elements, little-endian, row-major, one tensor after the other
//
// [Read] supports the element types F32 and F64, the two types that this project computes
// in. It reads the whole file: each byte of the data must belong to exactly one tensor,
// and a truncated, altered or inconsistent file is an error that names the tensor. The
// metadata may contain a [Checksum] of the tensors, which is then verified.
//
// [Open] is for files from other sources, which may be larger than needed: it reads only
// the header, accepts all types of the format, and returns the numbers of one tensor at a
// time, converted from F16, BF16, F32 or F64.
//
// The format was created by Hugging Face and is described in its documentation.
package safetensors

import "fmt"

// Tensor is a named array. Exactly one of F32 and F64 is not nil; it holds the elements
// in row-major order.
type Tensor struct {
	Name  string
	Shape []int // empty for a scalar
	F32   []float32
	F64   []float64
}

// File is the contents of a file read by [Read].
type File struct {
	Tensors  []Tensor          // the tensors in the order of their data
	Metadata map[string]string // may be nil

	places map[string]int // index in Tensors, by name
}

// Tensor returns the tensor with the given name, if the file has it.
func (f *File) Tensor(name string) (Tensor, bool) {
	i, ok := f.places[name]
	if !ok {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// metadataKey is the header's only key that does not name a tensor.
const metadataKey = "__metadata__"

// maxHeader is the largest accepted header in bytes. The format allows 100 MB. The header
// of GPT-2 XL has about 60 kB; the header of the optimiser state of the deepest model
// that a configuration allows has about 11 MB.
const maxHeader = 16 << 20

// elementSizes maps each type to the size of an element in bytes.
var elementSizes = map[string]int{"F32": 4, "F64": 8}

// dtype returns the type of the tensor's elements by its name in the format, and the
// number of elements.
func (t Tensor) dtype() (name string, elements int) {
	if t.F64 != nil {
		return "F64", len(t.F64)
	}
	return "F32", len(t.F32)
}

// check panics if the number of elements does not fit the shape, or if both F32 and F64
// are set.
func (t Tensor) check() {
	_, elements := t.dtype()
	if need, ok := product(t.Shape, 1); !ok || need != elements || t.F32 != nil && t.F64 != nil {
		panic(fmt.Sprintf("safetensors: tensor %q of shape %v has %d F32 and %d F64 elements",
			t.Name, t.Shape, len(t.F32), len(t.F64)))
	}
}
