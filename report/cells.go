package report

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"foretell/document"
)

var (
	// decimal matches a number that can be aligned at its decimal point.
	decimal = regexp.MustCompile(`^[+\-−]?\d+(\.\d*)?$`)
	// numerical matches text that is aligned to the right: numbers with their signs, as
	// in "≤ 3.1e-15", "0.98 ± 0.01", "12 %", "4 × 10⁻⁴".
	numerical = regexp.MustCompile(`^[<>≤≥≈~+\-−± ]*\d[\d.,+\-−±×^⁰¹²³⁴⁵⁶⁷⁸⁹⁻eE%()/… \x{2009}\x{202f}]*$`)
	// blank matches a cell without a value.
	blank = regexp.MustCompile(`^[-–—… ]*$`)
)

// negative matches the start of a number whose minus sign is a hyphen.
var negative = regexp.MustCompile(`(^|[ (,\[])-(\d)`)

// minus replaces the hyphens of negative numbers by minus signs, which are as wide as a
// plus. Exponents keep their hyphen.
func minus(text string) string { return negative.ReplaceAllString(text, "${1}−${2}") }

// columnKind describes how the cells of a column are aligned.
type columnKind struct {
	numerical bool // aligned to the right
	decimal   bool // aligned at the decimal point
	places    int  // largest number of digits after the decimal point
}

// columnKinds returns the kind of each column of a table.
func columnKinds(t document.Table) []columnKind {
	kinds := make([]columnKind, len(t.Columns))
	for j := range kinds {
		var values []string
		for _, row := range t.Rows {
			if !blank.MatchString(row[j]) {
				values = append(values, row[j])
			}
		}
		kinds[j] = kindOf(values)
	}
	if !kinds[0].decimal { // a row's name, for example "0.15, 0.6", is not aligned like a number
		kinds[0] = columnKind{}
	}
	return kinds
}

func kindOf(values []string) columnKind {
	k := columnKind{numerical: len(values) > 0, decimal: len(values) > 0}
	for _, v := range values {
		k.numerical = k.numerical && numerical.MatchString(v)
		k.decimal = k.decimal && decimal.MatchString(v)
		_, fraction, _ := strings.Cut(v, ".")
		k.places = max(k.places, utf8.RuneCountInString(fraction))
	}
	return k
}

// pad returns the digits that a number lacks compared with the longest fraction of its
// column: "00" for "0.5" if another cell is "0.125". The page sets them invisibly after
// the number, to align the decimal points.
func (k columnKind) pad(value string) string {
	if !k.decimal || k.places == 0 || blank.MatchString(value) {
		return ""
	}
	_, fraction, point := strings.Cut(value, ".")
	missing := strings.Repeat("0", k.places-len(fraction))
	if !point {
		return "." + missing
	}
	return missing
}
