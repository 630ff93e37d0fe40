package torchfile

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"
)

// folder begins the names of all members of the archive.
const folder = "archive/"

// Write writes a value: a *[Dict], a text, a bool, an int, a float64, nil, or [Floats].
// Equal values give equal bytes. It panics for a value of another type, or if a shape
// does not fit its elements.
func Write(w io.Writer, value any) error {
	p := &pickler{storages: map[*float32]int{}}
	p.text("\x80\x02") // protocol 2
	p.value(value)
	p.text(".")
	archive := zip.NewWriter(w)
	members := []member{{"data.pkl", p.data}, {"byteorder", []byte("little")}}
	for i, storage := range p.elements {
		members = append(members, member{"data/" + strconv.Itoa(i), bytesOf(storage)})
	}
	for _, m := range append(members, member{"version", []byte("3\n")}) {
		if err := m.write(archive); err != nil {
			return err
		}
	}
	return archive.Close()
}

// member is a file in the archive.
type member struct {
	name string
	data []byte
}

// write stores the member without compression, as PyTorch requires.
func (m member) write(archive *zip.Writer) error {
	size := uint64(len(m.data))
	w, err := archive.CreateRaw(&zip.FileHeader{
		Name: folder + m.name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(m.data),
		CompressedSize64: size, UncompressedSize64: size,
	})
	if err != nil {
		return err
	}
	_, err = w.Write(m.data)
	return err
}

func bytesOf(elements []float32) []byte {
	data := make([]byte, 0, 4*len(elements))
	for _, x := range elements {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// pickler builds the member data.pkl. elements are the storages of the tensors so far;
// storages maps the first element of each to its index.
type pickler struct {
	data     []byte
	elements [][]float32
	storages map[*float32]int
}

func (p *pickler) text(s string) { p.data = append(p.data, s...) }

// value appends the instructions that push a value.
func (p *pickler) value(value any) {
	switch x := value.(type) {
	case nil:
		p.text("N")
	case bool:
		p.text(map[bool]string{false: "\x89", true: "\x88"}[x])
	case string:
		p.text("X")
		p.data = binary.LittleEndian.AppendUint32(p.data, uint32(len(x)))
		p.text(x)
	case int:
		p.int(x)
	case float64:
		p.text("G")
		p.data = binary.BigEndian.AppendUint64(p.data, math.Float64bits(x))
	case *Dict:
		p.text("}(")
		for i := range x.Keys {
			p.value(x.Keys[i])
			p.value(x.Values[i])
		}
		p.text("u")
	case Floats:
		p.tensor(x)
	default:
		panic(fmt.Sprintf("torchfile: value of type %T", value))
	}
}

// int appends a number of 32 bits, or one with a length in front.
func (p *pickler) int(x int) {
	if x >= math.MinInt32 && x <= math.MaxInt32 {
		p.text("J")
		p.data = binary.LittleEndian.AppendUint32(p.data, uint32(int32(x)))
		return
	}
	p.text("\x8a\x08")
	p.data = binary.LittleEndian.AppendUint64(p.data, uint64(x))
}

// tuple appends a tuple of numbers.
func (p *pickler) tuple(list []int) {
	p.text("(")
	for _, x := range list {
		p.int(x)
	}
	p.text("t")
}

// tensor appends the call that builds a tensor from its storage, offset, shape, strides,
// whether it requires a gradient, and its hooks.
func (p *pickler) tensor(t Floats) {
	strides, size := stridesOf(t.Shape)
	if size != len(t.Data) {
		panic(fmt.Sprintf("torchfile: %d elements for shape %v", len(t.Data), t.Shape))
	}
	key := len(p.elements)
	if size > 0 {
		if known, ok := p.storages[&t.Data[0]]; ok && len(p.elements[known]) == size {
			key = known
		} else {
			p.storages[&t.Data[0]] = key
		}
	}
	if key == len(p.elements) {
		p.elements = append(p.elements, t.Data)
	}
	p.text("ctorch._utils\n_rebuild_tensor_v2\n((")
	p.value("storage")
	p.text("ctorch\nFloatStorage\n")
	p.value(strconv.Itoa(key))
	p.value("cpu")
	p.int(size)
	p.text("tQ")
	p.int(0)
	p.tuple(t.Shape)
	p.tuple(strides)
	p.text("\x89ccollections\nOrderedDict\n)RtR")
}

// stridesOf returns the strides of an array in row-major order, and its size.
func stridesOf(shape []int) (strides []int, size int) {
	strides, size = make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = size
		size *= shape[i]
	}
	return strides, size
}
