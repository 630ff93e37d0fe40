package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Write writes a file with the tensors in the given order. The same tensors and metadata
// give the same bytes. It panics if a shape does not fit its elements, or if a name is
// used twice, is not UTF-8 or is __metadata__.
func Write(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	header := header(tensors, metadata)
	if len(header) > maxHeader {
		return fmt.Errorf("the header has %d bytes, want at most %d", len(header), maxHeader)
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeElements(w, t); err != nil {
			return err
		}
	}
	return nil
}

// header returns the JSON header with its padding.
func header(tensors []Tensor, metadata map[string]string) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	if len(metadata) > 0 {
		fmt.Fprintf(&b, "%s:%s", encode(metadataKey), encode(metadata))
	}
	seen := map[string]bool{metadataKey: true}
	offset := 0
	for _, t := range tensors {
		t.check()
		if seen[t.Name] || !utf8.ValidString(t.Name) {
			panic(fmt.Sprintf("safetensors: tensor name %q is invalid or used twice", t.Name))
		}
		seen[t.Name] = true
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		dtype, elements := t.dtype()
		end := offset + elements*elementSizes[dtype]
		shape := append([]int{}, t.Shape...) // an empty list rather than nil, which would be encoded as null
		fmt.Fprintf(&b, `%s:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, encode(t.Name), dtype,
			encode(shape), offset, end)
		offset = end
	}
	b.WriteByte('}')
	b.WriteString(strings.Repeat(" ", -b.Len()&7))
	return b.Bytes()
}

// encode returns v, a string, a map of strings or a list of integers, as JSON with sorted
// keys.
func encode(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("safetensors: " + err.Error()) // values of these types can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeElements writes a tensor's elements in chunks of a few thousand.
func writeElements(w io.Writer, t Tensor) error {
	if t.F64 != nil {
		return writeChunks(w, t.F64)
	}
	return writeChunks(w, t.F32)
}

func writeChunks[F float32 | float64](w io.Writer, elements []F) error {
	const most = 8192
	for chunk := range slices.Chunk(elements, most) {
		if err := binary.Write(w, binary.LittleEndian, chunk); err != nil {
			return err
		}
	}
	return nil
}
