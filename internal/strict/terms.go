package strict

import (
	"errors"
	"reflect"
)

// A Reader of terms is a struct whose document may say things in another's terms: it is
// asked about each key before its fields are. It has taken a key if it has stored what
// the value, as YAML's own rules read it, stands for, or if that stands for nothing. The
// error says, without the key, why a value of a key that it knows cannot be taken.
type Reader interface {
	ReadTerm(key string, value any) (taken bool, err error)
}

// A Writer of terms is a struct that writes the value of a field in another's terms. What
// it gives must be what ReadTerm, or the field, reads as the field's value.
type Writer interface {
	WriteTerm(key string) (value any, given bool)
}

// readTerm asks a struct about an entry.
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

// writtenTerm is what is written of a struct's field.
func writtenTerm(v reflect.Value, f structField) reflect.Value {
	if writer, ok := v.Interface().(Writer); ok {
		if value, given := writer.WriteTerm(f.name); given {
			return reflect.ValueOf(value)
		}
	}
	return f.value
}
