package strict

import (
	"errors"
	"reflect"
)

// Reader is a struct that, in addition to its own fields, accepts keys or values in
// another form, such as the form of another library. For each key, Decode calls ReadTerm
// before it looks for a field, with the value decoded by YAML's own rules. taken is true
// if ReadTerm has set the fields, or if the key is known and its value changes nothing.
// An error explains, without repeating the key, why the value of a known key cannot be
// used.
type Reader interface {
	ReadTerm(key string, value any) (taken bool, err error)
}

// Writer is a struct that writes some of its fields in a form that differs from their Go
// values. For each field, Marshal calls WriteTerm; given is true if the returned value is
// to be written instead of the field. ReadTerm, or decoding into the field, must read it
// back as the field's value.
type Writer interface {
	WriteTerm(key string) (value any, given bool)
}

// readTerm passes an entry to the struct v if the struct is a [Reader].
func readTerm(e entry, v reflect.Value, path *trail) (taken bool, err error) {
	if !v.CanAddr() {
		return false, nil
	}
	reader, ok := v.Addr().Interface().(Reader)
	if !ok {
		return false, nil
	}
	taken, err = reader.ReadTerm(e.key, natural(e.value))
	var located *locatedError
	if err != nil && !errors.As(err, &located) {
		err = e.value.errorf(nil, "%s %v", path.key(e.key), err)
	}
	return taken || err != nil, err
}

// writtenTerm returns the value to write for a field of the struct v: the field, or what
// a [Writer] returns for it.
func writtenTerm(v reflect.Value, f structField) reflect.Value {
	if writer, ok := v.Interface().(Writer); ok {
		if value, given := writer.WriteTerm(f.name); given {
			return reflect.ValueOf(value)
		}
	}
	return f.value
}
