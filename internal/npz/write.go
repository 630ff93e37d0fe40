package npz

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Write writes an .npz archive of the arrays. It panics if a shape does not fit its
// elements, their type is not supported, or a name is empty or used twice.
func Write(w io.Writer, arrays []Array) error {
	archive := zip.NewWriter(w)
	seen := map[string]bool{"": true}
	for _, a := range arrays {
		if seen[a.Name] {
			panic(fmt.Sprintf("npz: array name %q is empty or used twice", a.Name))
		}
		seen[a.Name] = true
		member, err := archive.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Deflate})
		if err != nil {
			return err
		}
		if err := WriteArray(member, a); err != nil {
			return err
		}
	}
	return archive.Close()
}

// WriteArray writes an .npy file of the array and ignores its name. It panics like
// [Write].
func WriteArray(w io.Writer, a Array) error {
	if _, err := w.Write(header(a)); err != nil {
		return err
	}
	return writeElements(w, a.Data)
}

const magic = "\x93NUMPY"

// header returns everything before the elements, with NumPy's padding.
func header(a Array) []byte {
	name, elements := descr(a.Data)
	if need, ok := product(a.Shape); !ok || need != elements {
		panic(fmt.Sprintf("npz: array %q has %d elements, which do not fit its shape %v", a.Name, elements, a.Shape))
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", name, tuple(a.Shape))
	if len(a.Shape) > 0 {
		const growth = 21 // like NumPy, leaves space for a first dimension of this number of digits
		text += strings.Repeat(" ", growth-len(strconv.Itoa(a.Shape[0])))
	}
	const before = len(magic) + 4 // the bytes before the text: magic, version and length
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// tuple formats a shape as a Python tuple: (), (3,), (3, 5).
func tuple(shape []int) string {
	var b strings.Builder
	for i, d := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(d))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	return "(" + b.String() + ")"
}

// writeElements writes the elements in chunks of a few thousand.
func writeElements(w io.Writer, data any) error {
	switch data := data.(type) {
	case []float32:
		return writeChunks(w, data)
	case []float64:
		return writeChunks(w, data)
	case []int32:
		return writeChunks(w, data)
	default:
		return writeChunks(w, data.([]int64))
	}
}

func writeChunks[T float32 | float64 | int32 | int64](w io.Writer, data []T) error {
	const chunk = 8192
	for part := range slices.Chunk(data, chunk) {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}
