package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func open(data []byte) (*Index, error) { return Open(bytes.NewReader(data), int64(len(data))) }

// copied returns the numbers of a tensor.
func copied(t testing.TB, x *Index, name string) ([]float64, error) {
	t.Helper()
	shape, ok := x.Shape(name)
	if !ok {
		t.Fatalf("no tensor %q", name)
	}
	n, _ := product(shape, 1)
	numbers := make([]float64, n)
	return numbers, Copy(numbers, x, name)
}

// What is read one by one is what is read whole.
func TestOpenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tensors := tensorsOf(t)
		var b bytes.Buffer
		if err := Write(&b, tensors, map[string]string{ChecksumKey: Checksum(tensors)}); err != nil {
			t.Fatal(err)
		}
		x, err := open(b.Bytes())
		if err != nil || len(x.Names()) != len(tensors) {
			t.Fatalf("%v, %v", x, err)
		}
		for _, want := range tensors {
			shape, ok := x.Shape(want.Name)
			if !ok || fmt.Sprint(shape) != fmt.Sprint(append([]int{}, want.Shape...)) {
				t.Errorf("%q has shape %v, want %v", want.Name, shape, want.Shape)
			}
			single, double := make([]float32, len(want.F32)), make([]float64, len(want.F64))
			got := Tensor{Name: want.Name, Shape: want.Shape}
			if want.F64 != nil {
				got.F64, err = double, Copy(double, x, want.Name)
			} else {
				got.F32, err = single, Copy(single, x, want.Name)
			}
			if err != nil || !sameNumbers(got, want) {
				t.Errorf("read %v, want %v, error %v", got, want, err)
			}
		}
	})
}

// sameNumbers is same, where any NaN is as good as another.
func sameNumbers(a, b Tensor) bool {
	quiet := func(t Tensor) Tensor {
		for i, x := range t.F32 {
			if x != x {
				t.F32[i] = float32(math.NaN())
			}
		}
		for i, x := range t.F64 {
			if x != x {
				t.F64[i] = math.NaN()
			}
		}
		return t
	}
	return same(quiet(a), quiet(b))
}

// What Read refuses Open refuses with the same words, but for types that it takes.
func TestOpenMistakes(t *testing.T) {
	for _, m := range mistakes {
		want := m.want
		if strings.Contains(want, "BF16") {
			want = "<nil>"
		}
		if _, err := open(m.file); fmt.Sprint(err) != want {
			t.Errorf("%q:\n got %v\nwant %s", m.file, err, want)
		}
	}
	const list = "BF16, BOOL, F16, F32, F64, F8_E4M3, F8_E5M2, I16, I32, I64, I8, U16, U32, U64, U8"
	_, err := open(with(`{"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}}`, 1))
	if want := `tensor "a": its type "F4" is not supported (` + list + `)`; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	x, err := open(with(`{"mask":{"dtype":"BOOL","shape":[1,3],"data_offsets":[0,3]}}`, 3))
	if err != nil {
		t.Fatal(err)
	}
	const want = `tensor "mask": its type BOOL is not a floating-point type, want one of BF16, F16, F32, F64`
	if _, err := copied(t, x, "mask"); fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A header may claim what it likes: room is made for what the file has.
func TestOpenTrustsNoClaim(t *testing.T) {
	short := binary.LittleEndian.AppendUint64(nil, 99_999_999)
	if _, err := Open(bytes.NewReader(short), 8); err == nil {
		t.Error("a header of 100 MB in a file of 8 bytes is taken")
	}
	if _, err := Open(bytes.NewReader(short), 200_000_000); err == nil { // the file is shorter than it was
		t.Error("a header that is not there is taken")
	}
	allocated := testing.AllocsPerRun(1, func() {
		_, _ = open(with(`{"a":{"dtype":"F32","shape":[1000000000,1000],"data_offsets":[0,4000000000000]}}`, 4))
	})
	if allocated > 1000 {
		t.Errorf("%v allocations", allocated)
	}
}

// counting counts the bytes that are read.
type counting struct {
	from io.ReaderAt
	read int
}

func (c *counting) ReadAt(data []byte, offset int64) (int, error) {
	n, err := c.from.ReadAt(data, offset)
	c.read += n
	return n, err
}

// A header that is too long is refused by the eight bytes that announce it, in a file
// that is as long as they say.
func TestOpenReadsNoLongHeader(t *testing.T) {
	for _, length := range []int{maxHeader + 1, 58_000_000} {
		file := &counting{from: bytes.NewReader(append(binary.LittleEndian.AppendUint64(nil, uint64(length)), make([]byte, length)...))}
		want := fmt.Sprintf("not a safetensors file: its header length is %d bytes, "+
			"want at most 16777216", length)
		if _, err := Open(file, int64(8+length)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if file.read != 8 {
			t.Errorf("%d bytes of a header of %d are read, want 8", file.read, length)
		}
	}
}

// The two halves of float32: the upper 16 bits, and IEEE 754's binary16, of which
// Python's struct has the same 65,536 values.
func TestHalfPrecision(t *testing.T) {
	all := make([]byte, 0, 1<<17)
	for b := range 1 << 16 {
		all = binary.LittleEndian.AppendUint16(all, uint16(b))
	}
	read := func(dtype string) []float64 {
		x, err := open(append(with(fmt.Sprintf(
			`{"a":{"dtype":"%s","shape":[65536],"data_offsets":[0,131072]}}`, dtype), 0), all...))
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := copied(t, x, "a")
		if err != nil {
			t.Fatal(err)
		}
		return numbers
	}
	h := sha256.New()
	for _, x := range read("F16") {
		if x != x {
			h.Write([]byte("nan"))
			continue
		}
		_ = binary.Write(h, binary.LittleEndian, x)
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != "833b8412ea479c6a5895c2b7cf5285f9284febc02e265574f256212abdf884ac" {
		t.Errorf("binary16 hashes to %s", got)
	}
	for b, x := range read("BF16") {
		if want := float64(math.Float32frombits(uint32(b) << 16)); x != want && x == x {
			t.Fatalf("bfloat16 %04x is %v, want %v", b, x, want)
		}
	}
}

// A checksum is checked when it is asked for.
func TestOpenCheckSum(t *testing.T) {
	tensors, metadata := golden()
	metadata[ChecksumKey] = Checksum(tensors)
	data := write(t, tensors, metadata)
	x, err := open(data)
	if err != nil || x.CheckSum() != nil {
		t.Errorf("%v, %v", err, x.CheckSum())
	}
	data[len(data)-1] ^= 1
	if x, err = open(data); err != nil || x.CheckSum() == nil {
		t.Errorf("altered: %v, %v", err, x.CheckSum())
	}
}

// Any bytes are refused by an error on one line, or are an index whose tensors have what
// their shapes say.
func FuzzOpen(f *testing.F) {
	tensors, metadata := golden()
	f.Add(write(f, tensors, metadata))
	for _, m := range mistakes {
		f.Add(m.file)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := open(data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %q", err)
			}
			return
		}
		for _, name := range x.Names() {
			_, _ = copied(t, x, name)
		}
		_ = x.CheckSum()
		whole, err := Read(data)
		if err != nil {
			return
		}
		for _, want := range whole.Tensors {
			got, err := copied(t, x, want.Name)
			if err != nil || len(got) != len(want.F32)+len(want.F64) {
				t.Errorf("%q: %v", want.Name, err)
			}
		}
	})
}
