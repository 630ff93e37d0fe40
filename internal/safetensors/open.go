package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
)

// Index is the header of a file whose tensors are read one at a time.
type Index struct {
	Metadata map[string]string // may be nil

	data    *io.SectionReader // after the header
	entries []entry           // the tensors in the order of their data
	places  map[string]int    // index in entries, by name
}

// anyType maps each type whose elements are whole bytes to the element size in bytes.
// Integer and boolean types are accepted but not read.
var anyType = map[string]int{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}

// Open reads the header of a file of size bytes and checks it like [Read]. A malicious
// header cannot cause large allocations: it cannot be longer than the file, and a tensor
// is read only when requested.
func Open(file io.ReaderAt, size int64) (*Index, error) {
	begin := make([]byte, 8)
	if size >= 8 {
		if _, err := file.ReadAt(begin, 0); err != nil {
			return nil, err
		}
	}
	length, err := headerLength(begin, size)
	if err != nil {
		return nil, err
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(file, 8, size-8), header); err != nil {
		return nil, err
	}
	x := &Index{places: map[string]int{}}
	if x.entries, x.Metadata, err = parseHeader(header, anyType); err != nil {
		return nil, err
	}
	from := 8 + int64(length)
	if size-from > math.MaxInt {
		return nil, fmt.Errorf("%d bytes of data are more than this machine can address", size-from)
	}
	if err := checkLayout(x.entries, int(size-from)); err != nil {
		return nil, err
	}
	for i, e := range x.entries {
		x.places[e.name] = i
	}
	x.data = io.NewSectionReader(file, from, size-from)
	return x, nil
}

// Names returns the names of the tensors in the order of their data.
func (x *Index) Names() []string {
	var names []string
	for _, e := range x.entries {
		names = append(names, e.name)
	}
	return names
}

// Shape returns the shape of the tensor with the given name, if the file has it.
func (x *Index) Shape(name string) (shape []int, ok bool) {
	i, ok := x.places[name]
	if !ok {
		return nil, false
	}
	return x.entries[i].shape, true
}

// chunk is the number of bytes read at a time.
const chunk = 1 << 18

// Copy writes the numbers of a tensor to dst, rounded to the precision of dst's type. dst
// must have exactly the tensor's length. Types other than F16, BF16, F32 and F64 are an
// error. Copy panics if the tensor does not exist or the length of dst is wrong.
func Copy[F float32 | float64](dst []F, x *Index, name string) error {
	i, ok := x.places[name]
	if !ok {
		panic(fmt.Sprintf("safetensors: tensor %q does not exist", name))
	}
	e := x.entries[i]
	size := anyType[e.dtype]
	if (e.end-e.begin)/size != len(dst) {
		panic(fmt.Sprintf("safetensors: dst has %d numbers for tensor %q of shape %v", len(dst), name, e.shape))
	}
	decode := decoder[F](e.dtype)
	if decode == nil {
		return fmt.Errorf("tensor %q: its type %s is not a floating-point type, want one of BF16, F16, F32, F64",
			name, e.dtype)
	}
	from := io.NewSectionReader(x.data, int64(e.begin), int64(e.end-e.begin))
	buffer := make([]byte, min(chunk, e.end-e.begin))
	for len(dst) > 0 {
		n := min(len(dst), chunk/size)
		if _, err := io.ReadFull(from, buffer[:n*size]); err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		decode(dst[:n], buffer)
		dst = dst[n:]
	}
	return nil
}

// Decoder returns the function that decodes the numbers of dst from elements of a type,
// such as BF16, that are not in a file of this format. It is nil unless the type is one
// of F16, BF16, F32 and F64.
func Decoder(dtype string) func(dst []float32, from []byte) { return decoder[float32](dtype) }

// decoder returns the function that decodes numbers of a type, or nil for unsupported
// types.
func decoder[F float32 | float64](dtype string) func(dst []F, from []byte) {
	little := binary.LittleEndian
	switch dtype {
	case "F64":
		return func(dst []F, from []byte) {
			for i := range dst {
				dst[i] = F(math.Float64frombits(little.Uint64(from[8*i:])))
			}
		}
	case "F32":
		return func(dst []F, from []byte) {
			for i := range dst {
				dst[i] = F(math.Float32frombits(little.Uint32(from[4*i:])))
			}
		}
	case "BF16":
		return func(dst []F, from []byte) {
			for i := range dst {
				dst[i] = F(math.Float32frombits(uint32(little.Uint16(from[2*i:])) << 16))
			}
		}
	case "F16":
		return func(dst []F, from []byte) {
			for i := range dst {
				dst[i] = F(half(little.Uint16(from[2*i:])))
			}
		}
	}
	return nil
}

// half returns the value of an IEEE 754 binary16 number.
func half(b uint16) float64 {
	sign, exponent, fraction := 1.0, int(b>>10&31), float64(b&1023)
	if b>>15 == 1 {
		sign = math.Copysign(1, -1)
	}
	switch {
	case exponent == 31 && fraction == 0:
		return sign * math.Inf(1)
	case exponent == 31:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// CheckSum returns an error if the file contains a [Checksum] that does not match its
// tensors. It reads all tensors.
func (x *Index) CheckSum() error {
	want, ok := x.Metadata[ChecksumKey]
	if !ok {
		return nil
	}
	h := sha256.New()
	for _, e := range x.entries {
		fmt.Fprintf(h, "%s %s %s\n", encode(e.name), e.dtype, encode(e.shape))
		if _, err := io.Copy(h, io.NewSectionReader(x.data, int64(e.begin), int64(e.end-e.begin))); err != nil {
			return fmt.Errorf("tensor %q: %w", e.name, err)
		}
	}
	if hex.EncodeToString(h.Sum(nil)) != want {
		return errAltered
	}
	return nil
}
