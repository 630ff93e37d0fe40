// Package decimal defines the syntax of numbers in text provided by users: flags, CSV and
// text files, JSON and YAML are all read with it.
//
// A number is an optional sign, decimal digits with at most one point, and an optional
// exponent: 12, -0.5, +3, .5, 2., 1e-3, 1E+06. Everything else is refused: 010, which
// some readers take for ten and others for eight; hexadecimal, octal and binary digits;
// 1_000; 1,5; digits that are not ASCII; surrounding spaces; and the names of infinities
// and NaN.
package decimal

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

const asciiDigits = "0123456789"

// Parse parses a number and rounds it to the nearest float32 or float64, selected by
// bits. The error is [strconv.ErrSyntax] if text is not a number, and [strconv.ErrRange]
// if the number is too large.
func Parse(text string, bits int) (float64, error) {
	if !IsNumber(text) {
		return 0, strconv.ErrSyntax
	}
	x, err := strconv.ParseFloat(text, bits)
	if err != nil { // the number is too large; its syntax was checked before
		return 0, strconv.ErrRange
	}
	return x, nil
}

// Whole parses an integer: 1000, or 1e3. Only plain digits may exceed 2^53, above which a
// float64 cannot represent all integers. Errors are as for [Parse].
func Whole(text string) (*big.Int, error) {
	// No integer type needs more digits, and big.Int takes quadratic time to parse them.
	const mostDigits = 400
	if !IsNumber(text) {
		return nil, strconv.ErrSyntax
	}
	if strings.Trim(strings.TrimLeft(text, "+-"), asciiDigits) == "" {
		if len(text) > mostDigits {
			return nil, strconv.ErrRange
		}
		z, _ := new(big.Int).SetString(text, 10)
		return z, nil
	}
	const exact = 1 << 53
	x, err := Parse(text, 64)
	switch {
	case err != nil:
		return nil, err
	case x != math.Trunc(x) || math.Abs(x) >= exact:
		return nil, strconv.ErrSyntax
	}
	return big.NewInt(int64(x)), nil
}

// IsNumber reports whether text has the syntax of a number of any size.
func IsNumber(text string) bool {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	mantissa := text
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent := text[at+1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		if !areDigits(exponent) {
			return false
		}
		mantissa = text[:at]
	}
	before, after, _ := strings.Cut(mantissa, ".")
	leadingZero := len(before) > 1 && before[0] == '0'
	return !leadingZero && areDigits(before+after)
}

func areDigits(text string) bool { return text != "" && strings.Trim(text, asciiDigits) == "" }
