package decimal

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var accepted = map[string]float64{
	"0": 0, "-0": math.Copysign(0, -1), "12": 12, "+3": 3, "-0.5": -0.5, ".5": 0.5, "2.": 2, "0.0": 0,
	"1e-3": 1e-3, "1E+06": 1e6, "1e05": 1e5, "1.0e-05": 1e-5, "1e-400": 0, "0e1": 0,
}

var refused = []string{
	"", " ", "+", "-", ".", "e1", "1e", "1e+", "1e1.5", "1.2.3", "--1", "+-1", " 1", "1 ", "1\n", "010", "-00.5", "00",
	"0x10", "0x1p-2", "0o17", "0b1", "1_000", "1,5", "١٢", "−3", "nan", "NaN", "inf", "-Inf", ".inf", "infinity", "null",
	"12 m", "1f", "1e1e1", "½",
}

func TestParse(t *testing.T) {
	for text, want := range accepted {
		if x, err := Parse(text, 64); err != nil || math.Float64bits(x) != math.Float64bits(want) {
			t.Errorf("%q: %v, %v, want %v", text, x, err, want)
		}
	}
	for _, text := range refused {
		if x, err := Parse(text, 64); !errors.Is(err, strconv.ErrSyntax) || x != 0 {
			t.Errorf("%q: %v, %v", text, x, err)
		}
	}
	for text, bits := range map[string]int{"1e400": 64, "-1e309": 64, "1e39": 32, strings.Repeat("9", 400): 64} {
		if x, err := Parse(text, bits); !errors.Is(err, strconv.ErrRange) || x != 0 {
			t.Errorf("%q: %v, %v", text, x, err)
		}
	}
}

func TestWhole(t *testing.T) {
	longest := strings.Repeat("9", 400)
	for text, want := range map[string]string{
		longest: longest, "0": "0", "+12": "12", "-7": "-7", "1e3": "1000", "15e6": "15000000", "2.0": "2",
		"18446744073709551615": "18446744073709551615", "9007199254740991.0": "9007199254740991",
	} {
		if z, err := Whole(text); err != nil || z.String() != want {
			t.Errorf("%q: %v, %v", text, z, err)
		}
	}
	for _, text := range append(refused, "0.5", "1e-3", "1e17", "9007199254740993.0") {
		if z, err := Whole(text); !errors.Is(err, strconv.ErrSyntax) {
			t.Errorf("%q: %v, %v", text, z, err)
		}
	}
	for _, text := range []string{"1e400", strings.Repeat("9", 401)} {
		if z, err := Whole(text); !errors.Is(err, strconv.ErrRange) {
			t.Errorf("%q: %v, %v", text, z, err)
		}
	}
}

// Every finite number is read back from each way in which Go writes it.
func TestNumbersAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		format := rapid.SampledFrom([]byte("gefGE")).Draw(t, "format")
		text := strconv.FormatFloat(x, format, -1, 64)
		if back, err := Parse(text, 64); err != nil || math.Float64bits(back) != math.Float64bits(x) {
			t.Fatalf("%s: %v, %v", text, back, err)
		}
	})
}

// grammar is the package comment as a regular expression.
var grammar = regexp.MustCompile(`^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// The parser follows the grammar, and agrees with package strconv on what it accepts.
func FuzzParse(f *testing.F) {
	for text := range accepted {
		f.Add(text)
	}
	for _, text := range refused {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := Parse(text, 64)
		if grammar.MatchString(text) == errors.Is(err, strconv.ErrSyntax) {
			t.Fatalf("%q: %v", text, err)
		}
		if want, wrong := strconv.ParseFloat(text, 64); err == nil && (wrong != nil || x != want || math.IsInf(x, 0)) {
			t.Fatalf("%q: %v, want %v", text, x, want)
		}
		z, err := Whole(text)
		if err == nil && z.IsInt64() && math.Abs(x) < 1<<53 && float64(z.Int64()) != x {
			t.Fatalf("%q: %v, %v", text, z, x)
		}
	})
}
