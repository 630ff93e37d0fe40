package strict

import (
	"errors"
	"reflect"
)

// A Reader of terms is a struct that accepts additional keys, which express its fields in
// other terms. Decode calls it for each key before it looks for a field, with the value
// decoded by YAML's own rules. Taken is true if the struct has stored the meaning of the
// value, or if the value has no meaning. An error explains, without repeating the key,
// why the value of a known key cannot be taken.
type Reader interface {
	ReadTerm(key string, value any) (taken bool, err error)
}

// A Writer of terms is a struct that writes the value of a field in other terms.
// ReadTerm, or the field, must read the result back as the field's value.
type Writer interface {
	WriteTerm(key string) (value any, given bool)
}

// readTerm offers an entry to a struct.
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

// writtenTerm returns the value to write for a struct's field.
func writtenTerm(v reflect.Value, f structField) reflect.Value {
	if writer, ok := v.Interface().(Writer); ok {
		if value, given := writer.WriteTerm(f.name); given {
			return reflect.ValueOf(value)
		}
	}
	return f.value
}
