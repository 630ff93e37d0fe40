package exchange

import (
	"encoding/binary"
	"math"
)

// message is an encoded message of Protocol Buffers: fields, each with a number, a type
// of encoding and a value. https://protobuf.dev/programming-guides/encoding.
type message []byte

// The types of encoding.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
	fixed32 = 5
)

func (m *message) key(field, encoding int) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|uint64(encoding))
}

func (m *message) int(field int, x int64) {
	m.key(field, varint)
	*m = binary.AppendUvarint(*m, uint64(x))
}

func (m *message) float(field int, x float32) {
	m.key(field, fixed32)
	*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(x))
}

func (m *message) double(field int, x float64) {
	m.key(field, fixed64)
	*m = binary.LittleEndian.AppendUint64(*m, math.Float64bits(x))
}

func (m *message) bytes(field int, data []byte) {
	m.key(field, length)
	*m = binary.AppendUvarint(*m, uint64(len(data)))
	*m = append(*m, data...)
}

func (m *message) text(field int, s string) { m.bytes(field, []byte(s)) }

// The types of tensors and attributes in ONNX.
const (
	onnxFloat = 1
	onnxInt64 = 7

	attributeFloat = 1
	attributeInt   = 2
	attributeInts  = 7
)

// attribute is a named constant of an operator: a float32, an int, or a list of ints.
type attribute struct {
	name  string
	value any
}

// encode returns an AttributeProto.
func (a attribute) encode() message {
	var m message
	m.text(1, a.name)
	switch x := a.value.(type) {
	case float32:
		m.float(2, x)
		m.int(20, attributeFloat)
	case int:
		m.int(3, int64(x))
		m.int(20, attributeInt)
	case []int:
		for _, n := range x {
			m.int(8, int64(n))
		}
		m.int(20, attributeInts)
	}
	return m
}

// tensorProto returns a TensorProto with the given elements, little-endian.
func tensorProto(name string, shape []int, kind int64, data []byte) message {
	var m message
	for _, n := range shape {
		m.int(1, int64(n))
	}
	m.int(2, kind)
	m.text(8, name)
	m.bytes(9, data)
	return m
}

// valueInfo returns a ValueInfoProto: the name, type and dimensions of an input or
// output. A dimension is a number, or a name if it may vary.
func valueInfo(name string, kind int64, dimensions ...any) message {
	var shape, tensor, whole, m message
	for _, d := range dimensions {
		var dimension message
		switch d := d.(type) {
		case int:
			dimension.int(1, int64(d))
		case string:
			dimension.text(2, d)
		}
		shape.bytes(1, dimension)
	}
	tensor.int(1, kind)
	tensor.bytes(2, shape)
	whole.bytes(1, tensor)
	m.text(1, name)
	m.bytes(2, whole)
	return m
}

func floatBytes(data []float32) []byte {
	out := make([]byte, 0, 4*len(data))
	for _, x := range data {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

func intBytes(data []int) []byte {
	out := make([]byte, 0, 8*len(data))
	for _, x := range data {
		out = binary.LittleEndian.AppendUint64(out, uint64(x))
	}
	return out
}
