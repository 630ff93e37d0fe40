package report

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"foretell/claim"
)

var (
	// decimal is a number whose digits can be put one below the other.
	decimal = regexp.MustCompile(`^[+\-−]?\d+(\.\d*)?$`)
	// numerical is what stands to the right of its column: numbers with the signs
	// that go with them, as in "≤ 3.1e-15", "0.98 ± 0.01", "12 %", "4 × 10⁻⁴".
	numerical = regexp.MustCompile(`^[<>≤≥≈~+\-−± ]*\d[\d.,+\-−±×^⁰¹²³⁴⁵⁶⁷⁸⁹⁻eE%()/… \x{2009}\x{202f}]*$`)
	// blank is a cell without a value.
	blank = regexp.MustCompile(`^[-–—… ]*$`)
)

// negative is a number with a hyphen for a minus.
var negative = regexp.MustCompile(`(^|[ (,\[])-(\d)`)

// minus writes negative numbers with a minus, as wide as a plus; exponents keep their
// hyphen.
func minus(text string) string { return negative.ReplaceAllString(text, "${1}−${2}") }

// columnKind is how the cells of a column are aligned.
type columnKind struct {
	numerical bool // to the right
	decimal   bool // at the decimal point,
	places    int  // with as many digits after it
}

// columnKinds returns the kind of each column of a table.
func columnKinds(t claim.Table) []columnKind {
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
	if !kinds[0].decimal { // labels such as "0.15, 0.6" are names
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

// pad returns what a number lacks to end in the same place as the longest of its
// column: "0.5" lacks "00" beside "0.125". It is set invisibly behind the number.
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
