package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Read parses the contents of a file. The tensors do not share memory with data.
func Read(data []byte) (*File, error) {
	length, err := headerLength(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	entries, metadata, err := parseHeader(data[8:8+length], elementSizes)
	if err != nil {
		return nil, err
	}
	body := data[8+length:]
	if err := checkLayout(entries, len(body)); err != nil {
		return nil, err
	}
	file := &File{Metadata: metadata, places: map[string]int{}}
	for i, e := range entries {
		file.places[e.name] = i
		file.Tensors = append(file.Tensors, e.tensor(body[e.begin:e.end]))
	}
	if err := file.checkSum(); err != nil {
		return nil, err
	}
	return file, nil
}

// headerLength returns the length of the header, from the beginning of a file of size
// bytes. The header must fit in the rest of the file.
func headerLength(begin []byte, size int64) (int, error) {
	if size < 8 {
		return 0, fmt.Errorf("truncated: %d bytes, but the length of the header alone takes 8", size)
	}
	length := binary.LittleEndian.Uint64(begin)
	if length > maxHeader {
		return 0, fmt.Errorf("not a safetensors file: its header length is %d bytes, "+
			"want at most %d", length, maxHeader)
	}
	if length > uint64(size-8) {
		return 0, fmt.Errorf("truncated: the header should have %d bytes, but only %d follow", length, size-8)
	}
	return int(length), nil
}

// entry describes a tensor in the header.
type entry struct {
	name       string
	dtype      string
	shape      []int
	begin, end int // offsets in the data
}

// parseHeader reads the JSON object key by key, because a map would hide duplicate names.
// sizes maps each accepted type to the size of an element in bytes.
func parseHeader(header []byte, sizes map[string]int) ([]entry, map[string]string, error) {
	malformed := func(err error) error {
		return fmt.Errorf("the header is not a valid JSON object: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(header))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, nil, malformed(cmp.Or(err, errors.New("it does not begin with {")))
	}
	var (
		entries  []entry
		metadata map[string]string
	)
	seen := map[string]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, nil, malformed(err)
		}
		name := key.(string) // JSON keys are always strings
		if seen[name] {
			return nil, nil, fmt.Errorf("tensor %q: named twice in the header", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, nil, malformed(err)
		}
		if name == metadataKey {
			if metadata, err = parseMetadata(value); err != nil {
				return nil, nil, err
			}
			continue
		}
		e, err := parseEntry(name, value, sizes)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		entries = append(entries, e)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, nil, malformed(err)
	}
	if trailing := bytes.TrimRight(header[decoder.InputOffset():], " "); len(trailing) > 0 {
		return nil, nil, malformed(fmt.Errorf("%d bytes follow its end", len(trailing)))
	}
	return entries, metadata, nil
}

// parseMetadata parses the header's map of metadata, whose values must be strings.
func parseMetadata(value json.RawMessage) (map[string]string, error) {
	var texts map[string]*string // pointers distinguish null from ""
	err := json.Unmarshal(value, &texts)
	metadata := make(map[string]string, len(texts))
	for key, text := range texts {
		if text == nil {
			err = errors.New("null")
			break
		}
		metadata[key] = *text
	}
	if err != nil || texts == nil {
		return nil, fmt.Errorf("%s is not a map from text to text: %s", metadataKey, excerpt(value))
	}
	return metadata, nil
}

// excerpt returns the beginning of a piece of JSON on one line.
func excerpt(value json.RawMessage) string {
	const longest = 80
	return fmt.Sprintf("%.*s", longest, bytes.Join(bytes.Fields(value), []byte(" ")))
}

// parseEntry parses the header's value for one tensor and checks its consistency.
func parseEntry(name string, value json.RawMessage, sizes map[string]int) (entry, error) {
	var (
		parts          map[string]json.RawMessage
		dtype          string
		shape, offsets []natural
	)
	err := json.Unmarshal(value, &parts)
	for key, target := range map[string]any{"dtype": &dtype, "shape": &shape, "data_offsets": &offsets} {
		err = errors.Join(err, json.Unmarshal(parts[key], target))
	}
	if err != nil || shape == nil || len(offsets) != 2 {
		return entry{}, fmt.Errorf("its header needs a valid dtype, shape and data_offsets: %s", excerpt(value))
	}
	size, ok := sizes[dtype]
	if !ok {
		return entry{}, fmt.Errorf("its type %q is not supported (%s)", dtype,
			strings.Join(slices.Sorted(maps.Keys(sizes)), ", "))
	}
	e := entry{name: name, dtype: dtype, shape: make([]int, len(shape)), begin: int(offsets[0]), end: int(offsets[1])}
	for i, d := range shape {
		e.shape[i] = int(d)
	}
	need, ok := product(e.shape, size)
	if !ok {
		return entry{}, fmt.Errorf("shape %v is too large", e.shape)
	}
	if have := e.end - e.begin; have != need {
		return entry{}, fmt.Errorf("offsets [%d, %d] hold %d bytes, and shape %v of %s needs %d",
			e.begin, e.end, have, e.shape, dtype, need)
	}
	return e, nil
}

// natural is a dimension or an offset. Unlike an int, it does not accept null as zero.
type natural int

// UnmarshalJSON accepts only decimal digits that fit in an int.
func (n *natural) UnmarshalJSON(text []byte) error {
	x, err := strconv.ParseUint(string(text), 10, strconv.IntSize-1)
	*n = natural(x)
	return err
}

// product returns size times the product of the dimensions. ok is false if a dimension is
// negative, or if the product of the non-zero ones overflows an int.
func product(shape []int, size int) (result int, ok bool) {
	total, zero := uint64(size), false
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		if d == 0 {
			zero = true
			continue
		}
		high, low := bits.Mul64(total, uint64(d))
		if high != 0 || low > math.MaxInt {
			return 0, false
		}
		total = low
	}
	if zero {
		return 0, true
	}
	return int(total), true
}

// checkLayout sorts the entries in the order of their data and checks that they cover
// size bytes without overlaps or gaps.
func checkLayout(entries []entry, size int) error {
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	covered, before := 0, "the header"
	for _, e := range entries {
		switch {
		case e.begin < covered:
			return fmt.Errorf("tensor %q: its data at [%d, %d] overlap %s, which ends at %d",
				e.name, e.begin, e.end, before, covered)
		case e.begin > covered:
			return fmt.Errorf("tensor %q: a gap of %d bytes between %s and its data at [%d, %d]",
				e.name, e.begin-covered, before, e.begin, e.end)
		case e.end > size:
			return fmt.Errorf("tensor %q: truncated: its data at [%d, %d] exceed the file's %d bytes of data",
				e.name, e.begin, e.end, size)
		}
		covered, before = e.end, fmt.Sprintf("tensor %q", e.name)
	}
	if covered < size {
		return fmt.Errorf("%d bytes follow the data of %s, the last in the header", size-covered, before)
	}
	return nil
}

// tensor returns the tensor that the entry describes, with its elements decoded from
// data.
func (e entry) tensor(data []byte) Tensor {
	t := Tensor{Name: e.name, Shape: e.shape}
	if e.dtype == "F64" {
		t.F64 = make([]float64, len(data)/8)
		for i := range t.F64 {
			t.F64[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		return t
	}
	t.F32 = make([]float32, len(data)/4)
	for i := range t.F32 {
		t.F32[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return t
}
