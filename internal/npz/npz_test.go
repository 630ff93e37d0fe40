package npz

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"foretell/internal/panics"

	"pgregory.net/rapid"
)

// golden holds the arrays of testdata/golden.py.
func golden() []Array {
	roots, inverses, ones := make([]float32, 15), make([]float64, 12), make([]int, 20)
	for i := range roots {
		roots[i] = float32(math.Sqrt(float64(i)))
	}
	for i := range inverses {
		inverses[i] = 1 / (-3 + 0.25*float64(i))
	}
	for i := range ones {
		ones[i] = 1
	}
	return []Array{
		{"roots", []int{3, 5}, roots},
		{"inverses", []int{2, 3, 2}, inverses},
		{"tokens", []int{6}, []int32{-2, -1, 0, 1, 2, 3}},
		{"large", []int{2, 1}, []int64{1 << 62, math.MinInt64}},
		{"scalar", []int{}, []float64{math.Pi}},
		{"none", []int{0, 4}, []float32{}},
		{"long", ones, []float64{0}},
	}
}

func write(t testing.TB, arrays []Array) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, arrays); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// NumPy's archive is read, and each of its members is, byte for byte, what we write.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.npz")
	if err != nil {
		t.Fatal(err)
	}
	want := golden()
	got, err := Read(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, %v\nwant %v", got, err, want)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range want {
		theirs, err := readMember(archive.File[i])
		if err != nil {
			t.Fatal(err)
		}
		var ours bytes.Buffer
		if err := WriteArray(&ours, a); err != nil || !bytes.Equal(ours.Bytes(), theirs) {
			t.Errorf("%s: wrote\n%q, %v\nwant\n%q", a.Name, ours.Bytes(), err, theirs)
		}
	}
}

func draw[T float32 | float64 | int32 | int64](t *rapid.T, element *rapid.Generator[T], shape []int) []T {
	count, _ := product(shape)
	return rapid.SliceOfN(element, count, count).Draw(t, "data")
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-zé_./0-9]+`), rapid.ID).Draw(t, "names")
		var arrays []Array
		for i, name := range names {
			shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
			a := Array{Name: name, Shape: shape}
			switch i % 4 {
			case 0:
				a.Data = draw(t, rapid.Float32(), shape)
			case 1:
				a.Data = draw(t, rapid.Float64(), shape)
			case 2:
				a.Data = draw(t, rapid.Int32(), shape)
			case 3:
				a.Data = draw(t, rapid.Int64(), shape)
			}
			arrays = append(arrays, a)
		}
		var b, again bytes.Buffer
		if err := Write(&b, arrays); err != nil {
			t.Fatal(err)
		}
		if err := Write(&again, arrays); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("two writes give different bytes, %v", err)
		}
		got, err := Read(b.Bytes())
		if err != nil || !reflect.DeepEqual(got, arrays) {
			t.Errorf("read %v, %v\nwant %v", got, err, arrays)
		}
	})
}

// Redundant data are compressed: a curve that is all zeros takes next to no room.
func TestCompressed(t *testing.T) {
	if size := len(write(t, []Array{{"zeros", []int{10_000}, make([]float64, 10_000)}})); size > 1000 {
		t.Errorf("10,000 zeros take %d bytes", size)
	}
}

// npy returns an .npy file with this header and so many bytes of data.
func npy(header string, size int) []byte {
	file := append([]byte(magic), 1, 0, byte(len(header)), 0)
	return append(append(file, header...), make([]byte, size)...)
}

// mistakes are .npy files with the error that each must give; they also seed the fuzzer.
var mistakes = []struct {
	file []byte
	want string
}{
	{nil, `not an .npy file`},
	{[]byte("\x93NUMPY\x01"), `not an .npy file`},
	{[]byte("\x93NUMPY\x04\x00\x00\x00"), `version 4 of the .npy format is not supported (1, 2, 3)`},
	{[]byte("\x93NUMPY\x01\x00\xff\x00{"), `cut off in the header`},
	{npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }\n", 8), `its header "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }\n" does not describe an array of numbers`},
	{npy("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }\n", 8), `elements of type ">f8" are not supported (<f4, <f8, <i4, <i8)`},
	{npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }\n", 8), `its elements are in column-major (Fortran) order; row-major is wanted`},
	{npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", 8), `8 bytes of data, want 2 elements of 8 bytes`},
	{npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n", 9), `9 bytes of data, want 1 elements of 8 bytes`},
	{npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }\n", 8), `its shape has the impossible dimension 99999999999999999999`},
	{npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", 0), `shape [4294967296 4294967296] is too large`},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		if _, err := ReadArray(m.file); err == nil || err.Error() != m.want {
			t.Errorf("%q:\n got %v\nwant %s", m.file, err, m.want)
		}
	}
	if _, err := Read([]byte("x")); err == nil || err.Error() != "not an .npz archive: zip: not a valid zip file" {
		t.Errorf("error %v", err)
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	if _, err := archive.Create("readme.txt"); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(b.Bytes()); err == nil || err.Error() != `the archive's member "readme.txt" is not an .npy file` {
		t.Errorf("error %v", err)
	}
}

// Versions 2 and 3 differ in the width of the length alone.
func TestLaterVersions(t *testing.T) {
	text := "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n"
	for _, version := range []byte{2, 3} {
		file := append([]byte(magic), version, 0, byte(len(text)), 0, 0, 0)
		file = append(append(file, text...), 7, 0, 0, 0)
		if a, err := ReadArray(file); err != nil || !reflect.DeepEqual(a.Data, []int32{7}) {
			t.Errorf("version %d: %v, %v", version, a, err)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	one := []float64{1}
	for name, arrays := range map[string][]Array{
		"shape":    {{"a", []int{2}, one}},
		"negative": {{"a", []int{-1, -1}, one}},
		"type":     {{"a", []int{1}, []int{1}}},
		"twice":    {{"a", nil, one}, {"a", nil, one}},
		"no name":  {{"", nil, one}},
	} {
		if message := panics.Text(func() { _ = Write(io.Discard, arrays) }); !strings.HasPrefix(message, "npz: ") {
			t.Errorf("%s: panic %q, want one that begins with npz:", name, message)
		}
	}
}

// Any bytes are refused by an error on one line, or are an array that is read the same
// after it was written again.
func FuzzReadArray(f *testing.F) {
	for _, a := range golden() {
		var b bytes.Buffer
		if err := WriteArray(&b, a); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	for _, m := range mistakes {
		f.Add(m.file)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadArray(data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %q", err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteArray(&b, a); err != nil {
			t.Fatal(err)
		}
		again, err := ReadArray(b.Bytes())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(a) {
			t.Errorf("read %v, then %v, %v", a, again, err)
		}
	})
}
