package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Marshal returns v, a struct, as a YAML document from which [Unmarshal] reads exactly v
// into a zero struct. Values for which that is impossible are errors that name the field:
// a text that is not UTF-8, a number that is not finite, an int in an interface where
// numbers are read as float64, more than [MaxBytes] bytes.
//
// Fields are named by their yaml tags; omitempty leaves out zero values. In the outer
// mappings, and in lists of mappings in them, each entry has its own line; deeper values,
// and mappings with thousands of keys, are written in brackets on one line. Texts and map
// keys are in double quotes. A floating-point number has a point, and its exponent a
// sign, as required by readers of YAML 1.1: 1.0e-05. A struct that is a [Writer] is
// written, read back and compared in the terms that it returns.
//
// Marshal panics if v contains a type that configurations cannot have.
func Marshal(v any) ([]byte, error) {
	var e encoder
	fields, err := e.fields(reflect.ValueOf(v), nil)
	if err == nil {
		err = e.mapping(fields, 0)
	}
	return e.finish(v, err)
}

// MarshalJSON is like [Marshal], but returns a JSON object on one line. It is YAML, too,
// and can be read by [Unmarshal].
func MarshalJSON(v any) ([]byte, error) {
	e := encoder{json: true}
	return e.finish(v, e.flowMapping(reflect.ValueOf(v), nil))
}

// finish returns the encoding of v, after checking its length and reading it back. If err
// is not nil, it returns err.
func (e *encoder) finish(v any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if len(e.out) > MaxBytes {
		return nil, Fieldf(e.longest.String(), "takes %d of the %d bytes of the configuration as YAML; "+
			"a configuration can have at most %d", e.most, len(e.out), MaxBytes)
	}
	if err := readBack(e.out, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return e.out, nil
}

// encoder writes YAML.
type encoder struct {
	out     []byte
	json    bool   // whether to write JSON
	longest *trail // path of the longest entry of a section; the document's first entry also counts
	most    int    // length in bytes of that entry
}

const (
	indentation = 2
	// inSections is the column of the entries of sections, and deepest is the column of the
	// deepest entries that have their own line.
	inSections, deepest = indentation, 2 * indentation
	// maxKeys is the largest number of keys of a mapping whose entries have their own line.
	// Written configurations, and checksums that start from them, depend on it.
	maxKeys = 4 << 10
)

// field is an entry of a mapping that is to be written.
type field struct {
	key   []byte // key as it is written, in quotes if necessary
	value reflect.Value
	path  *trail
}

// fields returns the entries of a struct, or of a map in the order of its keys.
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

// sortedKeys returns the sorted keys of a map of texts.
func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// mapping writes each entry on its own line, indented to the given column.
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

// line begins a line with spaces up to the given column.
func (e *encoder) line(column int) { e.out = append(e.out, strings.Repeat(" ", column)...) }

// entry writes the value of an entry after its colon.
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

// list writes each item of a list on its own line, indented to the given column.
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

// flow writes a value on the current line, with mappings and lists in brackets.
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

// key returns a field's name as it is written, which is in quotes in JSON.
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

// separate writes what precedes entry i of a bracketed list: the opening bracket or a
// comma.
func (e *encoder) separate(bracket byte, i int) {
	if i == 0 {
		e.out = append(e.out, bracket)
	} else {
		e.out = append(e.out, ", "...)
	}
}

// end writes the closing bracket, or both brackets if there are no entries.
func (e *encoder) end(brackets string, entries int) {
	if entries > 0 {
		brackets = brackets[1:]
	}
	e.out = append(e.out, brackets...)
}

// inside follows interfaces and pointers to the value inside. For nil it returns the zero
// Value.
func inside(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// shapeOf returns the kind that a value is written as: null, plain, quoted, mapping or
// sequence.
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
