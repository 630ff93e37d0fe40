package torchfile

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"foretell/internal/limit"
	"foretell/internal/safetensors"
)

// mostPickle bounds the member data.pkl, in bytes. The state of a model with 4096 layers
// has about 10 MB.
const mostPickle = 64 << 20

// Read reads the value of a file of size bytes: a *[Dict], a text, a bool, an int, a
// float64, nil, a *[List], or a *[Tensor], whose elements are read later. It returns an
// error for anything else in the file, such as a call of a function. The message has one
// line.
func Read(file io.ReaderAt, size int64) (any, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("not an archive of torch.save (PyTorch 1.6 or later): %w", err)
	}
	members := map[string]*zip.File{}
	root := ""
	for _, m := range archive.File {
		if path.Base(m.Name) == "data.pkl" && (root == "" || len(m.Name) < len(root)) {
			root = m.Name
		}
		members[m.Name] = m
	}
	if root == "" {
		return nil, errors.New("not an archive of torch.save: it has no data.pkl")
	}
	pickle, err := stored(members[root], mostPickle)
	if err != nil {
		return nil, err
	}
	at := strings.TrimSuffix(root, "data.pkl")
	if order := members[at+"byteorder"]; order != nil {
		if text, err := stored(order, 16); err != nil || string(text) != "little" {
			return nil, fmt.Errorf("its byte order is %.16q, not little", text)
		}
	}
	u := &unpickler{data: pickle, member: func(key string) *zip.File { return members[at+"data/"+key] }}
	value, err := u.run()
	if err != nil {
		return nil, fmt.Errorf("data.pkl, byte %d: %w", u.at, err)
	}
	return value, nil
}

// stored returns the contents of a member, which must not be compressed and have at most
// the given number of bytes.
func stored(m *zip.File, most uint64) ([]byte, error) {
	if m.Method != zip.Store {
		return nil, fmt.Errorf("its member %.80q is compressed; torch.save does not compress", m.Name)
	}
	if m.UncompressedSize64 > most || m.UncompressedSize64 != m.CompressedSize64 {
		return nil, fmt.Errorf("its member %.80q has %d bytes, want at most %d", m.Name, m.UncompressedSize64, most)
	}
	reader, err := m.Open()
	if err != nil {
		return nil, fmt.Errorf("its member %.80q: %w", m.Name, err)
	}
	defer reader.Close()
	data, err := limit.Read(reader, m.Name, "a member", int64(m.UncompressedSize64))
	if err != nil {
		return nil, fmt.Errorf("its member %.80q: %w", m.Name, err)
	}
	return data, nil
}

// storage is the elements of one or several tensors.
type storage struct {
	dtype    string // as in safetensors
	elements int
	member   *zip.File
}

// Tensor is a tensor of a file. Its elements are in its storage, at the offset plus the
// sum of its indices times its strides.
type Tensor struct {
	Shape []int // empty for a scalar

	from    storage
	offset  int
	strides []int
}

// elementBytes are the sizes of elements by the name of their storage in PyTorch, with
// the type's name in safetensors.
var elementBytes = map[string]struct {
	dtype string
	bytes int
}{
	"FloatStorage": {"F32", 4}, "DoubleStorage": {"F64", 8}, "HalfStorage": {"F16", 2}, "BFloat16Storage": {"BF16", 2},
	"LongStorage": {"I64", 8}, "IntStorage": {"I32", 4}, "ShortStorage": {"I16", 2}, "CharStorage": {"I8", 1},
	"ByteStorage": {"U8", 1}, "BoolStorage": {"BOOL", 1},
}

// Size returns the number of elements.
func (t *Tensor) Size() int {
	_, size := stridesOf(t.Shape)
	return size
}

// Floats returns the elements in row-major order, converted from F16, BF16, F32 or F64.
// Other types are an error, and so is an archive without these elements.
func (t *Tensor) Floats() ([]float32, error) {
	decode := safetensors.Decoder(t.from.dtype)
	if decode == nil {
		return nil, fmt.Errorf("its type %s is not a floating-point type, want one of BF16, F16, F32, F64",
			t.from.dtype)
	}
	data, err := stored(t.from.member, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	all := make([]float32, t.from.elements)
	decode(all, data)
	if strides, size := stridesOf(t.Shape); slices.Equal(strides, t.strides) {
		return all[t.offset : t.offset+size], nil
	}
	out, index := make([]float32, 0, t.Size()), make([]int, len(t.Shape))
	for range t.Size() {
		at := t.offset
		for i, k := range index {
			at += k * t.strides[i]
		}
		out = append(out, all[at])
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < t.Shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return out, nil
}

// newStorage returns the storage that a persistent id describes: ('storage', type, key,
// location, number of elements).
func newStorage(id any, member func(key string) *zip.File) (s storage, err error) {
	var list []any
	if l, ok := id.(*List); ok {
		list = l.Items
	}
	if len(list) != 5 || list[0] != "storage" {
		return s, errors.New("a reference to something other than the elements of a tensor")
	}
	kind, ok := list[1].(global)
	element, known := elementBytes[kind.name]
	key, isText := list[2].(string)
	if s.elements, _ = list[4].(int); !ok || kind.module != "torch" || !known || !isText || s.elements < 0 {
		return s, errors.New("elements of a tensor without a known type and number")
	}
	s.dtype, s.member = element.dtype, member(key)
	if s.member == nil {
		return s, fmt.Errorf("the archive lacks data/%.40s, the elements of a tensor", key)
	}
	have, size := s.member.UncompressedSize64, uint64(element.bytes)
	if have/size != uint64(s.elements) || have%size != 0 {
		return s, fmt.Errorf("data/%.40s has %d bytes, want %d elements of %d", key, have, s.elements, element.bytes)
	}
	return s, nil
}

// newTensor returns the tensor that a call of _rebuild_tensor_v2 with these arguments
// builds. Its elements must be in its storage, and not be more than its storage has.
func newTensor(arguments []any) (*Tensor, error) {
	if len(arguments) < 4 {
		return nil, errors.New("a tensor without storage, offset, shape and strides")
	}
	from, ok := arguments[0].(storage)
	offset, isNumber := arguments[1].(int)
	shape, one := wholes(arguments[2])
	strides, two := wholes(arguments[3])
	if !ok || !isNumber || offset < 0 || !one || !two || len(shape) != len(strides) {
		return nil, errors.New("a tensor without storage, offset, shape and strides")
	}
	t := &Tensor{Shape: shape, from: from, offset: offset, strides: strides}
	if slices.Contains(shape, 0) && offset <= from.elements {
		return t, nil
	}
	most, last, size := uint64(from.elements), uint64(offset), uint64(1)
	for i, n := range shape {
		last += uint64(n-1) * uint64(strides[i])
		if last >= most || size > most/uint64(n) {
			break
		}
		size *= uint64(n)
	}
	if _, all := stridesOf(shape); last >= most || size != uint64(all) {
		return nil, fmt.Errorf("a tensor of shape %v and strides %v that its %d elements do not fill",
			shape, strides, from.elements)
	}
	return t, nil
}

// wholes returns a list of numbers from 0 to 2³¹.
func wholes(value any) (list []int, ok bool) {
	items, ok := value.(*List)
	if !ok {
		return nil, false
	}
	list = []int{}
	for _, item := range items.Items {
		x, isNumber := item.(int)
		if !isNumber || x < 0 || int64(x) >= 1<<31 {
			return nil, false
		}
		list = append(list, x)
	}
	return list, len(list) <= 16
}

// little returns a number of a few bytes, little-endian.
func little(data []byte) (x uint64) {
	var whole [8]byte
	copy(whole[:], data)
	return binary.LittleEndian.Uint64(whole[:])
}
