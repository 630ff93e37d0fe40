package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"foretell/internal/panics"

	"pgregory.net/rapid"
)

// same reports whether two tensors agree in name, type, shape and every bit.
func same(a, b Tensor) bool {
	aType, aElements := a.dtype()
	bType, bElements := b.dtype()
	if a.Name != b.Name || aType != bType || aElements != bElements || fmt.Sprint(a.Shape) != fmt.Sprint(b.Shape) {
		return false
	}
	for i := range a.F32 {
		if math.Float32bits(a.F32[i]) != math.Float32bits(b.F32[i]) {
			return false
		}
	}
	for i := range a.F64 {
		if math.Float64bits(a.F64[i]) != math.Float64bits(b.F64[i]) {
			return false
		}
	}
	return true
}

func write(t testing.TB, tensors []Tensor, metadata map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// golden holds the tensors of testdata/golden.py.
func golden() ([]Tensor, map[string]string) {
	embed := make([]float32, 15)
	for i := range embed {
		embed[i] = float32(math.Sqrt(float64(i)))
	}
	query := make([]float64, 12)
	for i := range query {
		query[i] = 1 / (-3 + 0.25*float64(i))
	}
	negativeZero, infinity := float32(math.Copysign(0, -1)), float32(math.Inf(1))
	return []Tensor{
		{Name: "embed.W_E", Shape: []int{3, 5}, F32: embed},
		{Name: "blocks.0.attn.W_Q", Shape: []int{2, 3, 2}, F64: query},
		{Name: "scalar", F64: []float64{math.Pi}},
		{Name: "none", Shape: []int{0, 4}, F32: []float32{}},
		{Name: "special <é>", Shape: []int{6}, F32: []float32{0, negativeZero, infinity, -infinity, 1e-45, math.MaxFloat32}},
	}, map[string]string{"format": "pt", "step": "500"}
}

// Python's file, written by hand from the format's description, and ours are the same
// bytes; the script has read them.
func TestGolden(t *testing.T) {
	want, err := os.ReadFile("testdata/golden.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	tensors, metadata := golden()
	if got := write(t, tensors, metadata); !bytes.Equal(got, want) {
		t.Errorf("wrote\n%q\nwant\n%q", got, want)
	}
	file, err := Read(want)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Tensors) != len(tensors) || fmt.Sprint(file.Metadata) != fmt.Sprint(metadata) {
		t.Fatalf("%d tensors, metadata %v", len(file.Tensors), file.Metadata)
	}
	for i := range tensors {
		if !same(file.Tensors[i], tensors[i]) {
			t.Errorf("read %v, want %v", file.Tensors[i], tensors[i])
		}
	}
	if scalar, ok := file.Tensor("scalar"); !ok || scalar.F64[0] != math.Pi {
		t.Errorf("Tensor(scalar) = %v, %v", scalar, ok)
	}
	if _, ok := file.Tensor("scala"); ok {
		t.Error("found a tensor that is not there")
	}
}

// tensorsOf draws tensors of any names, shapes and bits.
func tensorsOf(t *rapid.T) []Tensor {
	names := rapid.SliceOfDistinct(rapid.String().Filter(func(s string) bool { return s != metadataKey }), rapid.ID).Draw(t, "names")
	var tensors []Tensor
	for _, name := range names {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
		elements, _ := product(shape, 1)
		tensor := Tensor{Name: name, Shape: shape}
		if rapid.Bool().Draw(t, "double") {
			tensor.F64 = make([]float64, elements)
			for i := range tensor.F64 {
				tensor.F64[i] = math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
			}
		} else {
			tensor.F32 = make([]float32, elements)
			for i := range tensor.F32 {
				tensor.F32[i] = math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
			}
		}
		tensors = append(tensors, tensor)
	}
	return tensors
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tensors := tensorsOf(t)
		metadata := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "metadata")
		var b, again bytes.Buffer
		if err := errors.Join(Write(&b, tensors, metadata), Write(&again, tensors, metadata)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Error("two writes give different bytes")
		}
		if length := binary.LittleEndian.Uint64(b.Bytes()); length%8 != 0 {
			t.Errorf("the header has %d bytes, not a multiple of 8", length)
		}
		file, err := Read(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if len(file.Tensors) != len(tensors) || len(file.Metadata) != len(metadata) {
			t.Fatalf("%d tensors and %d texts, want %d and %d", len(file.Tensors), len(file.Metadata), len(tensors), len(metadata))
		}
		for key, text := range metadata {
			if file.Metadata[key] != text {
				t.Errorf("metadata %q is %q, want %q", key, file.Metadata[key], text)
			}
		}
		for _, want := range tensors { // empty tensors may come back in another order: their data are nowhere
			if got, ok := file.Tensor(want.Name); !ok || !same(got, want) {
				t.Errorf("read %v, want %v", got, want)
			}
		}
	})
}

// with returns a file with this header and so many bytes of data.
func with(header string, size int) []byte {
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(file, header...), make([]byte, size)...)
}

// mistakes are files with the error that each must give; they also seed the fuzzer.
var mistakes = []struct {
	file []byte
	want string
}{
	{nil, `truncated: 0 bytes, but the length of the header alone takes 8`},
	{[]byte("PK\x03\x04 a zip file"), `not a safetensors file: its header length is 8800140462016121680 bytes, want at most 16777216`},
	{with(`{}`, 0)[:9], `truncated: the header should have 2 bytes, but only 1 follow`},
	{with(``, 0), `the header is not a valid JSON object: EOF`},
	{with(`[]`, 0), `the header is not a valid JSON object: it does not begin with {`},
	{with(`{"a":`, 0), `the header is not a valid JSON object: EOF`},
	{with("{\"a\":{\n\n}}", 0), `tensor "a": its header needs a valid dtype, shape and data_offsets: { }`},
	{with(`{"a":{}`, 0), `tensor "a": its header needs a valid dtype, shape and data_offsets: {}`},
	{with(`{} x`, 0), `the header is not a valid JSON object: 2 bytes follow its end`},
	{with(`{}`, 3), `3 bytes follow the data of the header, the last in the header`},
	{with(`{"__metadata__":{"a":1}}`, 0), `__metadata__ is not a map from text to text: {"a":1}`},
	{with(`{"__metadata__":{"a":null}}`, 0), `__metadata__ is not a map from text to text: {"a":null}`},
	{with(`{"a":{"dtype":"F32","shape":[null],"data_offsets":[0,0]}}`, 0), `tensor "a": its header needs a valid dtype, shape and data_offsets: {"dtype":"F32","shape":[null],"data_offsets":[0,0]}`},
	{with(`{"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}}`, 4), `tensor "a": its header needs a valid dtype, shape and data_offsets: {"dtype":"F32","shape":null,"data_offsets":[0,4]}`},
	{with(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), `tensor "a": its header needs a valid dtype, shape and data_offsets: {"dtype":"F32","shape":[-1],"data_offsets":[0,4]}`},
	{with(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}}`, 4), `tensor "a": its header needs a valid dtype, shape and data_offsets: {"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}`},
	{with(`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}`, 4), `tensor "a": its type "BF16" is not supported (F32, F64)`},
	{with(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4), `tensor "a": offsets [0, 4] hold 4 bytes, and shape [2] of F32 needs 8`},
	{with(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}}`, 8), `tensor "a": offsets [8, 4] hold -4 bytes, and shape [1] of F32 needs 4`},
	{with(`{"a":{"dtype":"F32","shape":[4611686018427387904,2,2],"data_offsets":[0,0]}}`, 0), `tensor "a": shape [4611686018427387904 2 2] is too large`},
	{with(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 3), `tensor "a": truncated: its data at [0, 4] exceed the file's 3 bytes of data`},
	{with(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 5), `1 bytes follow the data of tensor "a", the last in the header`},
	{with(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, 5), `tensor "a": a gap of 1 bytes between the header and its data at [1, 5]`},
	{with(`{"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 12), `tensor "b": a gap of 4 bytes between tensor "a" and its data at [8, 12]`},
	{with(`{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), `tensor "b": its data at [4, 8] overlap tensor "a", which ends at 8`},
	{with(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, 0), `tensor "a": named twice in the header`},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		if _, err := Read(m.file); err == nil || err.Error() != m.want {
			t.Errorf("%q:\n got %v\nwant %s", m.file, err, m.want)
		}
	}
}

// A file cut off anywhere, or with bytes added, is refused.
func TestCutAnywhere(t *testing.T) {
	whole := write(t, []Tensor{{Name: "a", Shape: []int{2}, F32: []float32{1, 2}}, {Name: "b", Shape: []int{1}, F64: []float64{3}}}, nil)
	for size := range whole {
		if _, err := Read(whole[:size]); err == nil {
			t.Errorf("the first %d of %d bytes were read without an error", size, len(whole))
		}
	}
	if _, err := Read(append(whole, 0)); err == nil {
		t.Error("a byte too many was read without an error")
	}
}

func TestMisusePanics(t *testing.T) {
	one := []float32{1}
	for name, tensors := range map[string][]Tensor{
		"shape":    {{Name: "a", Shape: []int{2}, F32: one}},
		"negative": {{Name: "a", Shape: []int{-1, -1}, F32: one}},
		"both":     {{Name: "a", Shape: []int{1}, F32: one, F64: []float64{1}}},
		"twice":    {{Name: "a", F32: one}, {Name: "a", F32: one}},
		"metadata": {{Name: metadataKey, F32: one}},
		"UTF-8":    {{Name: "\xff", F32: one}},
	} {
		if message := panics.Text(func() { _ = Write(io.Discard, tensors, nil) }); !strings.HasPrefix(message, "safetensors: ") {
			t.Errorf("%s: panic %q, want one that begins with safetensors:", name, message)
		}
	}
}

// failAfter is a disk that is full after so many bytes.
type failAfter int

var errFull = errors.New("full")

func (f *failAfter) Write(data []byte) (int, error) {
	if int(*f) < len(data) {
		return 0, errFull
	}
	*f -= failAfter(len(data))
	return len(data), nil
}

func TestWriteReturnsTheWritersError(t *testing.T) {
	tensors, metadata := golden()
	whole := len(write(t, tensors, metadata))
	for size := range whole {
		disk := failAfter(size)
		if err := Write(&disk, tensors, metadata); !errors.Is(err, errFull) {
			t.Errorf("error %v when only %d bytes fit", err, size)
		}
	}
}

// Any bytes are refused by an error on one line, or are a file that is read the same
// after it was written again.
func FuzzRead(f *testing.F) {
	tensors, metadata := golden()
	f.Add(write(f, tensors, metadata))
	for _, m := range mistakes {
		f.Add(m.file)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %q", err)
			}
			return
		}
		again, err := Read(write(t, file.Tensors, file.Metadata))
		if err != nil || len(again.Tensors) != len(file.Tensors) {
			t.Fatalf("read again: %v", err)
		}
		for i := range file.Tensors {
			if !same(file.Tensors[i], again.Tensors[i]) {
				t.Errorf("read %v, then %v", file.Tensors[i], again.Tensors[i])
			}
		}
	})
}
