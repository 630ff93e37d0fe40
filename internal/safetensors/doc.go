// Package safetensors reads and writes the file format of the same name: named tensors
// that any framework can load, and that cannot run code when they do.
//
//	8 bytes    N, the length of the header, little-endian
//	N bytes    a JSON object, padded with spaces to a multiple of 8 bytes:
//	           {"__metadata__":{"step":"500"},
//	            "embed.W_E":{"dtype":"F32","shape":[3,64],"data_offsets":[0,768]}, …}
//	the rest   the tensors' elements, little-endian, row-major, one tensor after the other
//
// [Read] supports the element types F32 and F64, the two that this project computes in. A
// file is read whole or not at all: each byte of the data belongs to exactly one tensor,
// and a file that is cut off, altered or inconsistent is an error that names the tensor
// at fault. A file may carry a [Checksum] of its tensors in its metadata, which is
// checked where it is there.
//
// [Open] is for files from elsewhere, which may be larger than what is wanted of them: it
// reads the header alone, takes any of the format's types, and hands on the numbers of
// one tensor at a time, converted from F16, BF16, F32 or F64.
//
// The format is Hugging Face's, and described in its documentation.
package safetensors

import "fmt"

// Tensor is a named array. Its elements are in F32 or in F64, whichever is not nil, in
// row-major order.
type Tensor struct {
	Name  string
	Shape []int // of rank 0 for a single number
	F32   []float32
	F64   []float64
}

// File is the contents of a file that [Read] has read.
type File struct {
	Tensors  []Tensor          // in the order of their data
	Metadata map[string]string // nil when there is none

	places map[string]int // in Tensors, by name
}

// Tensor returns the tensor of that name, if the file has it.
func (f *File) Tensor(name string) (Tensor, bool) {
	i, ok := f.places[name]
	if !ok {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// metadataKey is the header's key that is no tensor.
const metadataKey = "__metadata__"

// maxHeader is the length in bytes beyond which a header is refused unread. The format
// allows 100 MB. The header of GPT-2 XL has some 60 kB, and that of the optimiser of a
// model with the most layers that a configuration may ask for about 11 MB.
const maxHeader = 16 << 20

// elementSizes are the bytes an element takes, by the format's name of its type.
var elementSizes = map[string]int{"F32": 4, "F64": 8}

// dtype returns the format's name of the tensor's type and the number of its elements.
func (t Tensor) dtype() (name string, elements int) {
	if t.F64 != nil {
		return "F64", len(t.F64)
	}
	return "F32", len(t.F32)
}

// check panics when the tensor is not one.
func (t Tensor) check() {
	_, elements := t.dtype()
	if need, ok := product(t.Shape, 1); !ok || need != elements || t.F32 != nil && t.F64 != nil {
		panic(fmt.Sprintf("safetensors: tensor %q of shape %v has %d F32 and %d F64 elements",
			t.Name, t.Shape, len(t.F32), len(t.F64)))
	}
}
