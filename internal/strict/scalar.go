package strict

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"foretell/internal/decimal"
)

// decodeScalar stores a scalar in a bool, a number or a string.
func decodeScalar(n *node, v reflect.Value, path *trail) error {
	what, store := scalarKind(v)
	if n.kind != plain && n.kind != quoted {
		return n.expected(path, what)
	}
	problem := store(n.text)
	switch {
	case problem == "" && n.kind == quoted && v.Kind() != reflect.String:
		return n.errorf(path, "%s in quotes is text; %s is expected", quote(n.text), what)
	case problem == "":
		return nil
	default:
		return n.errorf(path, "%s %s", quote(n.text), problem)
	}
}

// scalarKind returns a description of the values that v can have, such as "a number", and
// a function that parses a text and stores its value in v. If the text is not valid, the
// function instead returns the problem.
func scalarKind(v reflect.Value) (what string, store func(text string) (problem string)) {
	switch v.Kind() {
	case reflect.String:
		return "text", func(text string) string { v.SetString(text); return "" }
	case reflect.Bool:
		return "true or false", func(text string) string { return storeBool(v, text) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number", func(text string) string { return storeWhole(v, text) }
	case reflect.Float32, reflect.Float64:
		return "a number", func(text string) string { return storeFloat(v, text) }
	default:
		panic(fmt.Sprintf("strict: cannot decode into %s", v.Type()))
	}
}

func storeBool(v reflect.Value, text string) string {
	b, ok := boolean(text)
	if !ok {
		return "is not true or false"
	}
	v.SetBool(b)
	return ""
}

func storeWhole(v reflect.Value, text string) string {
	z, err := decimal.Whole(text)
	if errors.Is(err, strconv.ErrSyntax) {
		return "is not a whole number"
	}
	bits := v.Type().Bits()
	if v.CanInt() {
		if err != nil || !z.IsInt64() || v.OverflowInt(z.Int64()) {
			return fmt.Sprintf("is outside [−2^%d, 2^%d − 1]", bits-1, bits-1)
		}
		v.SetInt(z.Int64())
		return ""
	}
	if err != nil || !z.IsUint64() || v.OverflowUint(z.Uint64()) {
		return fmt.Sprintf("is outside [0, 2^%d − 1]", bits)
	}
	v.SetUint(z.Uint64())
	return ""
}

func storeFloat(v reflect.Value, text string) string {
	x, err := decimal.Parse(text, v.Type().Bits())
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return "is not a number"
	case err != nil:
		return fmt.Sprintf("is too large for a float%d", v.Type().Bits())
	}
	v.SetFloat(x)
	return ""
}

func boolean(text string) (value, ok bool) {
	switch text {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	default:
		return false, false
	}
}

// naturalScalar returns a plain scalar as a bool, an int or a float64, or else as a
// string.
func naturalScalar(text string) any {
	if b, ok := boolean(text); ok {
		return b
	}
	if n, err := strconv.Atoi(text); err == nil && decimal.IsNumber(text) {
		return n
	}
	if x, err := decimal.Parse(text, 64); err == nil {
		return x
	}
	return text
}
