package strict

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scalar writes null, a truth value, a number or a text.
func (e *encoder) scalar(out []byte, v reflect.Value, path *trail) ([]byte, error) {
	switch shapeOf(v) {
	case null:
		return append(out, "null"...), nil
	case quoted:
		text, err := textOf(v)
		if err != nil {
			return nil, Fieldf(path.String(), "cannot be written: %v", err)
		}
		return e.text(out, text, path)
	}
	switch {
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(out, v.Bool()), nil
	case v.CanInt():
		return strconv.AppendInt(out, v.Int(), 10), nil
	case v.CanUint():
		return strconv.AppendUint(out, v.Uint(), 10), nil
	}
	if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, Fieldf(path.String(), "= %v is not a finite number", x)
	}
	return append(out, formatFloat(v.Float(), v.Type().Bits())...), nil
}

// textOf returns a string, or the text form of a type that provides one.
func textOf(v reflect.Value) (string, error) {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		return string(text), err
	}
	return v.String(), nil
}

// formatFloat writes a finite number with a decimal point and a signed exponent.
func formatFloat(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if strings.Contains(s, ".") {
		return s
	}
	mantissa, exponent, large := strings.Cut(s, "e")
	if !large {
		return s + ".0"
	}
	return mantissa + ".0e" + exponent
}

// text writes a text in double quotes. It escapes characters that a reader could take for
// the end of the text or of a line, or that a terminal could execute.
func (e *encoder) text(out []byte, text string, path *trail) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, Fieldf(path.String(), "= %s is not UTF-8 text", quote(text))
	}
	out = append(out, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', byte(c))
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\t':
			out = append(out, `\t`...)
		case c < ' ' || 0x7f <= c && c < 0xa0:
			out = fmt.Appendf(out, e.control(), c)
		case isHidden(c):
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = utf8.AppendRune(out, c)
		}
	}
	return append(out, '"'), nil
}

// control returns the format of an escaped control character. JSON has no short form.
func (e *encoder) control() string {
	if e.json {
		return `\u%04x`
	}
	return `\x%02x`
}

// isHidden reports whether a character beyond Latin-1's control characters is not allowed
// in YAML texts, breaks a line, or changes the direction of writing.
func isHidden(c rune) bool {
	switch {
	case c == 0xfeff, c == 0xfffe, c == 0xffff, c == 0x061c:
		return true
	case 0x2028 <= c && c <= 0x202e, 0x2066 <= c && c <= 0x2069, c == 0x200e, c == 0x200f:
		return true
	}
	return false
}

// readBack reads the written document and returns an error that names the first value
// that differs from v.
func readBack(written []byte, v reflect.Value) error {
	again := reflect.New(v.Type())
	err := Unmarshal("", written, again.Interface())
	var located *locatedError
	if errors.As(err, &located) {
		return fmt.Errorf("cannot be written: reading it back fails: %s", located.message)
	}
	if err != nil {
		return err
	}
	if path, differs := difference(v, again.Elem(), nil); differs {
		return Fieldf(path.String(), "cannot be written: it reads back as another value")
	}
	return nil
}

// difference returns the path to the first difference between two values of the same
// type, as they would be written.
func difference(a, b reflect.Value, path *trail) (at *trail, differs bool) {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return path, true
	}
	switch a.Kind() {
	case reflect.Invalid:
		return nil, false
	case reflect.Interface, reflect.Pointer:
		return difference(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		return differentField(a, b, path)
	case reflect.Map:
		return differentEntry(a, b, path)
	case reflect.Slice, reflect.Array:
		return differentItem(a, b, path)
	case reflect.Float32, reflect.Float64:
		return path, math.Float64bits(a.Float()) != math.Float64bits(b.Float())
	}
	return path, !a.Equal(b)
}

func differentField(a, b reflect.Value, path *trail) (at *trail, differs bool) {
	again := structFields(b)
	for i, f := range structFields(a) {
		if at, differs := difference(writtenTerm(a, f), writtenTerm(b, again[i]), path.key(f.name)); differs {
			return at, true
		}
	}
	return nil, false
}

func differentEntry(a, b reflect.Value, path *trail) (at *trail, differs bool) {
	for _, key := range sortedKeys(a) {
		if at, differs := difference(a.MapIndex(key), b.MapIndex(key), path.key(key.String())); differs {
			return at, true
		}
	}
	return path, a.IsNil() != b.IsNil() || a.Len() != b.Len()
}

func differentItem(a, b reflect.Value, path *trail) (at *trail, differs bool) {
	if a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return path, true
	}
	for i := range a.Len() {
		if at, differs := difference(a.Index(i), b.Index(i), path.item(i)); differs {
			return at, true
		}
	}
	return nil, false
}
