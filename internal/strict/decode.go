package strict

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// locatedError is an error whose message begins with a position.
type locatedError struct {
	at      Position
	message string
	cause   error // nil for an error found by this package
}

// Error returns the message, shortened to leave space for a command's name on the line.
func (e *locatedError) Error() string {
	return shorten(shorten(e.at.String(), 200)+": "+e.message, 380)
}

func (e *locatedError) Unwrap() error { return e.cause }

// InAssignment reports whether an error is about a value given by an assignment rather
// than by a file. Its message begins with the assignment; a command line can put its flag
// before it.
func InAssignment(err error) bool {
	var located *locatedError
	return errors.As(err, &located) && located.at.Line == 0
}

// Decode stores the document in v, a non-nil pointer. Values that the document does not
// mention keep their contents; a map or list that it mentions is replaced completely.
//
// A struct field is named by its yaml tag, or else by its name in lower case; the option
// ",inline" merges the fields of a nested struct. A [Form] receives the form of the
// value. A type with UnmarshalYAML(func(any) error) error or UnmarshalText([]byte) error
// decodes itself. Decode panics if v is not a pointer or contains a type that
// configurations cannot have, such as a channel.
//
// Decode returns the first error in the document: an unknown key, a value of the wrong
// type, a missing value, or a number outside the range of its type.
func (d *Document) Decode(v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic(fmt.Sprintf("strict: Decode into %T, want a non-nil pointer", v))
	}
	return decode(d.root, target.Elem(), nil)
}

// errorf returns an error about the node at path.
func (n *node) errorf(path *trail, format string, arguments ...any) error {
	message := fmt.Sprintf(format, arguments...)
	if path != nil {
		message = path.String() + ": " + message
	}
	return &locatedError{at: n.at, message: message}
}

// expected returns the error for a node of the wrong kind; what describes the right kind.
func (n *node) expected(path *trail, what string) error {
	if n.kind == null {
		return n.errorf(path, "no value; %s is expected", what)
	}
	return n.errorf(path, "%s is expected, not %s", what, n.describe())
}

func decode(n *node, v reflect.Value, path *trail) error {
	if handled, err := decodeItself(n, v, path); handled {
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		return decodePointer(n, v, path)
	case reflect.Struct:
		return decodeStruct(n, v, path)
	case reflect.Map:
		return decodeMap(n, v, path)
	case reflect.Slice:
		return decodeSlice(n, v, path)
	case reflect.Array:
		return decodeArray(n, v, path)
	case reflect.Interface:
		if v.NumMethod() > 0 {
			panic(fmt.Sprintf("strict: cannot decode into %s", v.Type()))
		}
		if value := natural(n); value != nil {
			v.Set(reflect.ValueOf(value))
		} else {
			v.SetZero()
		}
		return nil
	default:
		return decodeScalar(n, v, path)
	}
}

// unmarshaler is a type that decodes itself. It calls the function decode to decode the
// node as a value of another type.
type unmarshaler interface {
	UnmarshalYAML(decode func(any) error) error
}

// decodeItself decodes n with v's own method. handled is false if the type has no such
// method.
func decodeItself(n *node, v reflect.Value, path *trail) (handled bool, err error) {
	if !v.CanAddr() || v.Kind() == reflect.Pointer {
		return false, nil
	}
	switch target := v.Addr().Interface().(type) {
	case *Form:
		*target = n.form()
	case *Value:
		*target = n.value()
	case unmarshaler:
		err = target.UnmarshalYAML(func(inner any) error { return decode(n, reflect.ValueOf(inner).Elem(), path) })
	case encoding.TextUnmarshaler:
		if n.kind != plain && n.kind != quoted {
			return true, n.expected(path, "text")
		}
		err = target.UnmarshalText([]byte(n.text))
	default:
		return false, nil
	}
	var located *locatedError
	if err == nil || errors.As(err, &located) {
		return true, err
	}
	return true, n.errorf(path, "%v", err)
}

func decodePointer(n *node, v reflect.Value, path *trail) error {
	if n.kind == null {
		v.SetZero()
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return decode(n, v.Elem(), path)
}

func decodeStruct(n *node, v reflect.Value, path *trail) error {
	if n.kind == null {
		return nil // "train:" with all keys below it commented out
	}
	if n.kind != mapping {
		return n.expected(path, "a mapping (key: value)")
	}
	fields := structFields(v)
	for _, e := range n.entries {
		if taken, err := readTerm(e, v, path); taken {
			if err != nil {
				return err
			}
			continue
		}
		at := slices.IndexFunc(fields, func(f structField) bool { return f.name == e.key })
		if at < 0 {
			return &locatedError{at: e.value.at, message: unknownKey(e.key, path, fields)}
		}
		if err := decode(e.value, fields[at].value, path.key(e.key)); err != nil {
			return err
		}
	}
	return nil
}

// structField is a field of a struct, with its name in the configuration.
type structField struct {
	name      string
	value     reflect.Value
	omitEmpty bool
}

// structFields returns the fields of a struct in order.
func structFields(v reflect.Value) []structField {
	names := fieldNames(v.Type())
	fields := make([]structField, len(names))
	for i, f := range names {
		fields[i] = structField{f.name, v.FieldByIndex(f.index), f.omitEmpty}
	}
	return fields
}

// fieldName is a field of a struct type, with its name in the configuration.
type fieldName struct {
	name      string
	index     []int
	omitEmpty bool
}

// namesOf keeps the result of fieldNames for each type: a study reads thousands of
// configurations of one type.
var namesOf sync.Map

// fieldNames returns the fields of a struct type in order.
func fieldNames(t reflect.Type) []fieldName {
	if kept, ok := namesOf.Load(t); ok {
		return kept.([]fieldName)
	}
	var names []fieldName
	for i := range t.NumField() {
		field := t.Field(i)
		tag, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case !field.IsExported() || tag == "-":
			continue
		case option == "inline":
			for _, inner := range fieldNames(field.Type) {
				inner.index = append([]int{i}, inner.index...)
				names = append(names, inner)
			}
			continue
		case tag == "":
			tag = strings.ToLower(field.Name)
		}
		names = append(names, fieldName{tag, []int{i}, option == "omitempty"})
	}
	namesOf.Store(t, names)
	return names
}

// unknownKey returns the message for an unknown key, with a suggestion or the known keys.
func unknownKey(key string, path *trail, fields []structField) string {
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.name
	}
	const few = 12 // the number that fits on a line
	message := "unknown key " + quote(key)
	if path != nil {
		message += " in " + path.String()
	}
	meant := cmp.Or(meantBelow(key, fields, false), Meant(key, known), meantBelow(key, fields, true))
	if meant != "" {
		message += "; " + meant
	}
	if meant == "" || len(known) <= few {
		message += " (known: " + strings.Join(known, ", ") + ")"
	}
	return message
}

// meantBelow suggests a key inside one of the mappings among fields, such as `did you
// mean "train.lr"?` for lr: the key with the same name or, if near is true, with the
// [Nearest] name. It returns "" if there is no such key, or more than one.
func meantBelow(key string, fields []structField, near bool) string {
	paths := map[string][]string{}
	var known []string
	for _, f := range fields {
		if f.value.Kind() != reflect.Struct {
			continue
		}
		for _, inner := range structFields(f.value) {
			known = append(known, inner.name)
			paths[inner.name] = append(paths[inner.name], f.name+"."+inner.name)
		}
	}
	if near {
		key = Nearest(key, known)
	}
	if len(paths[key]) != 1 {
		return ""
	}
	return Meant(paths[key][0], paths[key])
}

func decodeMap(n *node, v reflect.Value, path *trail) error {
	if v.Type().Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strict: cannot decode into %s: its keys are not strings", v.Type()))
	}
	if n.kind == null {
		v.SetZero()
		return nil
	}
	if n.kind != mapping {
		return n.expected(path, "a mapping (key: value)")
	}
	m := reflect.MakeMapWithSize(v.Type(), len(n.entries))
	for _, e := range n.entries {
		value := reflect.New(v.Type().Elem()).Elem()
		if err := decode(e.value, value, path.key(e.key)); err != nil {
			return err
		}
		m.SetMapIndex(reflect.ValueOf(e.key).Convert(v.Type().Key()), value)
	}
	v.Set(m)
	return nil
}

func decodeSlice(n *node, v reflect.Value, path *trail) error {
	if n.kind == null {
		v.SetZero()
		return nil
	}
	if n.kind != sequence {
		return n.expected(path, "a list ([1, 2])")
	}
	list := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		if err := decode(item, list.Index(i), path.item(i)); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func decodeArray(n *node, v reflect.Value, path *trail) error {
	if n.kind != sequence {
		return n.expected(path, fmt.Sprintf("a list of %d values", v.Len()))
	}
	if len(n.items) != v.Len() {
		return n.errorf(path, "a list of %d values is expected, not of %d", v.Len(), len(n.items))
	}
	for i, item := range n.items {
		if err := decode(item, v.Index(i), path.item(i)); err != nil {
			return err
		}
	}
	return nil
}

// natural returns n with the type that YAML's own rules give it: nil, bool, int, float64,
// string, []any or map[string]any.
func natural(n *node) any {
	switch n.kind {
	case null:
		return nil
	case mapping:
		m := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			m[e.key] = natural(e.value)
		}
		return m
	case sequence:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = natural(item)
		}
		return list
	case quoted:
		return n.text
	default:
		return naturalScalar(n.text)
	}
}
