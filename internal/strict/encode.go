package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Marshal returns v, a struct, as a YAML document that [Unmarshal] reads into the zero
// struct as v again, to the last bit. What cannot be written so is an error that names
// the field: a text that is not UTF-8, a number that is not finite, an int in an
// interface where a number is read as a float64, more than [MaxBytes] bytes.
//
// Fields are named by their yaml tags, in which omitempty leaves out the zero value. The
// upper mappings have a line an entry, and so has a list of mappings among them; what is
// deeper, or has thousands of keys, stands in brackets on its line. Every text and every
// key of a map is in double quotes. A number of a floating-point type has a point and its
// exponent a sign, by which readers of YAML 1.1 tell it from a text: 1.0e-05. A struct
// that is a [Writer] is written, read back and compared in the terms that it gives.
//
// Marshal panics where v holds a type that configuration cannot have.
func Marshal(v any) ([]byte, error) {
	var e encoder
	fields, err := e.fields(reflect.ValueOf(v), nil)
	if err == nil {
		err = e.mapping(fields, 0)
	}
	return e.finish(v, err)
}

// MarshalJSON returns v as [Marshal] does, as a JSON object on one line, which is YAML,
// too: [Unmarshal] reads it.
func MarshalJSON(v any) ([]byte, error) {
	e := encoder{json: true}
	return e.finish(v, e.flowMapping(reflect.ValueOf(v), nil))
}

// finish returns what was written of v, once it has been read back.
func (e *encoder) finish(v any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if len(e.out) > MaxBytes {
		return nil, Fieldf(e.longest.String(), "makes %d of the %d bytes of the configuration as YAML; "+
			"it can have at most %d", e.most, len(e.out), MaxBytes)
	}
	if err := readBack(e.out, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return e.out, nil
}

// encoder writes YAML.
type encoder struct {
	out     []byte
	json    bool   // whether it writes JSON
	longest *trail // which entry of the document's sections, or section, is so long
	most    int
}

const (
	indentation = 2
	// The columns of the entries of sections, and of the deepest entries that have a line
	// of their own.
	inSections, deepest = indentation, 2 * indentation
)

// field is an entry of a mapping that is to be written.
type field struct {
	key   []byte // as it is written
	value reflect.Value
	path  *trail
}

// fields lists the entries of a struct, or of a map in the order of its keys.
func (e *encoder) fields(v reflect.Value, path *trail) ([]field, error) {
	var list []field
	if v.Kind() == reflect.Struct {
		for _, f := range structFields(v) {
			if !f.omitEmpty || !f.value.IsZero() {
				list = append(list, field{e.key(f.name), writtenTerm(v, f), path.key(f.name)})
			}
		}
		return list, nil
	}
	for _, key := range sortedKeys(v) {
		written, err := e.text(nil, key.String(), path.key(key.String()))
		if err != nil {
			return nil, err
		}
		list = append(list, field{written, v.MapIndex(key), path.key(key.String())})
	}
	return list, nil
}

// sortedKeys returns the keys of a map of texts in their order.
func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// mapping writes entries at a column, a line each.
func (e *encoder) mapping(fields []field, column int) error {
	for _, f := range fields {
		start := len(e.out)
		e.line(column)
		e.out = append(append(e.out, f.key...), ':')
		if err := e.entry(f, column); err != nil {
			return err
		}
		if size := len(e.out) - start; column == inSections && size > e.most || e.longest == nil {
			e.longest, e.most = f.path, size
		}
	}
	return nil
}

// line begins a line at a column.
func (e *encoder) line(column int) { e.out = append(e.out, strings.Repeat(" ", column)...) }

// entry writes the value of an entry behind its colon.
func (e *encoder) entry(f field, column int) error {
	v := inside(f.value)
	switch shapeOf(v) {
	case mapping:
		fields, err := e.fields(v, f.path)
		if err != nil {
			return err
		}
		if len(fields) > 0 && len(fields) <= maxKeys && column < deepest {
			e.out = append(e.out, '\n')
			return e.mapping(fields, column+indentation)
		}
	case sequence:
		if v.Len() > 0 && shapeOf(inside(v.Index(0))) == mapping {
			e.out = append(e.out, '\n')
			return e.list(v, f.path, column+indentation)
		}
	}
	e.out = append(e.out, ' ')
	err := e.flow(v, f.path)
	e.out = append(e.out, '\n')
	return err
}

// list writes a list at a column, a line an item.
func (e *encoder) list(v reflect.Value, path *trail, column int) error {
	for i := range v.Len() {
		e.line(column)
		e.out = append(e.out, "- "...)
		if err := e.flow(v.Index(i), path.item(i)); err != nil {
			return err
		}
		e.out = append(e.out, '\n')
	}
	return nil
}

// flow writes a value on the present line.
func (e *encoder) flow(v reflect.Value, path *trail) (err error) {
	if path.depth > maxDepth {
		return Fieldf(path.String(), "is nested more than %d levels deep", maxDepth)
	}
	v = inside(v)
	switch shapeOf(v) {
	case mapping:
		return e.flowMapping(v, path)
	case sequence:
		return e.flowList(v, path)
	}
	e.out, err = e.scalar(e.out, v, path)
	return err
}

// key is a field's name as it is written.
func (e *encoder) key(name string) []byte {
	if e.json {
		return strconv.AppendQuote(nil, name)
	}
	return []byte(name)
}

func (e *encoder) flowMapping(v reflect.Value, path *trail) error {
	fields, err := e.fields(v, path)
	if err != nil {
		return err
	}
	for i, f := range fields {
		e.separate('{', i)
		e.out = append(append(e.out, f.key...), ": "...)
		if err := e.flow(f.value, f.path); err != nil {
			return err
		}
	}
	e.end("{}", len(fields))
	return nil
}

func (e *encoder) flowList(v reflect.Value, path *trail) error {
	for i := range v.Len() {
		e.separate('[', i)
		if err := e.flow(v.Index(i), path.item(i)); err != nil {
			return err
		}
	}
	e.end("[]", v.Len())
	return nil
}

// separate writes what stands before entry i in brackets.
func (e *encoder) separate(bracket byte, i int) {
	if i == 0 {
		e.out = append(e.out, bracket)
	} else {
		e.out = append(e.out, ", "...)
	}
}

// end closes brackets that hold so many entries.
func (e *encoder) end(brackets string, entries int) {
	if entries > 0 {
		brackets = brackets[1:]
	}
	e.out = append(e.out, brackets...)
}

// inside returns what interfaces and pointers lead to: the zero Value for nil.
func inside(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// shapeOf returns as what a value is written: null, plain, quoted, mapping or sequence.
func shapeOf(v reflect.Value) kind {
	if v.IsValid() && v.Type().Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return quoted
	}
	switch v.Kind() {
	case reflect.Invalid:
		return null
	case reflect.Map, reflect.Slice:
		if v.IsNil() {
			return null
		}
	}
	switch v.Kind() {
	case reflect.Map, reflect.Struct:
		return mapping
	case reflect.Slice, reflect.Array:
		return sequence
	case reflect.String:
		return quoted
	case reflect.Bool, reflect.Float32, reflect.Float64:
		return plain
	}
	if v.CanInt() || v.CanUint() {
		return plain
	}
	panic(fmt.Sprintf("strict: cannot encode %s", v.Type()))
}
