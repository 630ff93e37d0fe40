package strict

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
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

// scalarKind returns what a value of v's type is called, and a function that parses and
// stores one, or says what is wrong with it.
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
	z, ok := wholeNumber(text)
	if !ok {
		return "is not a whole number"
	}
	bits := v.Type().Bits()
	if v.CanInt() {
		if !z.IsInt64() || v.OverflowInt(z.Int64()) {
			return fmt.Sprintf("is outside [−2^%d, 2^%d − 1]", bits-1, bits-1)
		}
		v.SetInt(z.Int64())
		return ""
	}
	if !z.IsUint64() || v.OverflowUint(z.Uint64()) {
		return fmt.Sprintf("is outside [0, 2^%d − 1]", bits)
	}
	v.SetUint(z.Uint64())
	return ""
}

func storeFloat(v reflect.Value, text string) string {
	f, ok := number(text, v.Type().Bits())
	if !ok {
		return "is not a number"
	}
	if math.IsInf(f, 0) || v.OverflowFloat(f) {
		return fmt.Sprintf("is too large for a float%d", v.Type().Bits())
	}
	v.SetFloat(f)
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

// wholeNumber reads 1000, 1_000, 0x3e8 or 1e3.
func wholeNumber(text string) (*big.Int, bool) {
	if z, ok := integer(text); ok {
		return z, true
	}
	const exact = 1 << 53 // beyond it a float64 no longer tells neighbours apart
	f, ok := decimal(text, 64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > exact {
		return nil, false
	}
	return big.NewInt(int64(f)), true
}

// integer reads an integer without exponent, up to more digits than any number here has:
// the time goes with their square.
func integer(text string) (*big.Int, bool) {
	const most = 400
	if len(text) > most || leadingZero(text) {
		return nil, false
	}
	return new(big.Int).SetString(text, 0)
}

// leadingZero reports whether text is a number such as 010, which some take for ten and
// some for eight.
func leadingZero(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return len(digits) > 1 && digits[0] == '0' && strings.ContainsRune("_0123456789", rune(digits[1]))
}

// number reads any finite number, to the nearest of so many bits; an infinite result
// stands for one that is too large.
func number(text string, bits int) (float64, bool) {
	if z, ok := integer(text); ok {
		f, _ := new(big.Float).SetInt(z).Float64()
		return f, true
	}
	return decimal(text, bits)
}

// decimal reads a decimal number such as −1.5e-3. The names of the infinities and of
// NaN, and hexadecimal fractions, are no numbers here.
func decimal(text string, bits int) (float64, bool) {
	if leadingZero(text) || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, bits)
	return f, err == nil || math.IsInf(f, 0)
}

// naturalScalar returns a plain scalar as a bool, an int, a float64 or else a string.
func naturalScalar(text string) any {
	if b, ok := boolean(text); ok {
		return b
	}
	if z, ok := integer(text); ok && z.IsInt64() {
		return int(z.Int64())
	}
	if f, ok := number(text, 64); ok && !math.IsInf(f, 0) {
		return f
	}
	return text
}
