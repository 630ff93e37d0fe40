package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Read parses an .npz archive and returns its arrays in archive order.
func Read(data []byte) ([]Array, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("not an .npz archive: %w", err)
	}
	var arrays []Array
	for _, member := range archive.File {
		name, isArray := strings.CutSuffix(member.Name, ".npy")
		if !isArray {
			return nil, fmt.Errorf("the archive's member %q is not an .npy file", member.Name)
		}
		contents, err := readMember(member)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", name, err)
		}
		a, err := ReadArray(contents)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", name, err)
		}
		a.Name = name
		arrays = append(arrays, a)
	}
	return arrays, nil
}

// mostMember is the largest number of bytes of an array. A small compressed archive can
// expand to a huge one.
const mostMember = 1 << 30

func readMember(member *zip.File) ([]byte, error) {
	reader, err := member.Open()
	if err != nil {
		return nil, err
	}
	contents, err := io.ReadAll(io.LimitReader(reader, mostMember+1))
	if err == nil && len(contents) > mostMember {
		err = fmt.Errorf("it has more than %d bytes", mostMember)
	}
	return contents, errors.Join(err, reader.Close())
}

// ReadArray parses an .npy file. The array that it returns has no name.
func ReadArray(data []byte) (Array, error) {
	text, elements, err := splitHeader(data)
	if err != nil {
		return Array{}, err
	}
	kind, shape, err := parseHeader(text)
	if err != nil {
		return Array{}, err
	}
	count, ok := product(shape)
	if !ok {
		return Array{}, fmt.Errorf("shape %v is too large", shape)
	}
	a := Array{Shape: shape}
	switch kind {
	case "<f4":
		a.Data, err = decode[float32](elements, count)
	case "<f8":
		a.Data, err = decode[float64](elements, count)
	case "<i4":
		a.Data, err = decode[int32](elements, count)
	case "<i8":
		a.Data, err = decode[int64](elements, count)
	default:
		err = fmt.Errorf("elements of type %s are not supported (<f4, <f8, <i4, <i8)", strconv.Quote(kind))
	}
	return a, err
}

// splitHeader returns the text of an .npy file's header and the bytes after the header.
func splitHeader(data []byte) (text string, elements []byte, err error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < 4 {
		return "", nil, errors.New("not an .npy file")
	}
	version, rest := rest[0], rest[2:]
	var length int
	switch {
	case version == 1:
		length, rest = int(binary.LittleEndian.Uint16(rest)), rest[2:]
	case (version == 2 || version == 3) && len(rest) >= 4:
		length, rest = int(binary.LittleEndian.Uint32(rest)), rest[4:]
	default:
		return "", nil, fmt.Errorf("version %d of the .npy format is not supported (1, 2, 3)", version)
	}
	if length > len(rest) {
		return "", nil, errors.New("cut off in the header")
	}
	return string(rest[:length]), rest[length:], nil
}

var headerPattern = regexp.MustCompile(
	`^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \} *\n$`)

func parseHeader(text string) (kind string, shape []int, err error) {
	fields := headerPattern.FindStringSubmatch(text)
	if fields == nil {
		return "", nil, fmt.Errorf("its header %.80q does not describe an array of numbers", text)
	}
	if fields[2] == "True" {
		return "", nil, errors.New("its elements are in column-major (Fortran) order; row-major is wanted")
	}
	shape = []int{}
	for _, digits := range strings.FieldsFunc(fields[3], func(r rune) bool { return r == ',' || r == ' ' }) {
		d, err := strconv.Atoi(digits)
		if err != nil {
			return "", nil, fmt.Errorf("its shape has the impossible dimension %.40s", digits)
		}
		shape = append(shape, d)
	}
	return fields[1], shape, nil
}

// decode decodes exactly count elements.
func decode[T float32 | float64 | int32 | int64](data []byte, count int) ([]T, error) {
	var zero T
	if size := binary.Size(zero); len(data)%size != 0 || len(data)/size != count {
		return nil, fmt.Errorf("%d bytes of data, want %d elements of %d bytes", len(data), count, size)
	}
	values := make([]T, count)
	_, err := binary.Decode(data, binary.LittleEndian, values)
	return values, err
}
