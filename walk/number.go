package walk

import (
	"math"
	"strconv"
	"strings"
)

// decimal formats a number with the given number of digits after the decimal point, in
// scientific notation if its magnitude is 1e7 or larger.
func decimal(x float64, digits int) string {
	switch {
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strconv.FormatFloat(x, 'f', -1, 64)[:1], "+") + "∞"
	case math.Abs(x) >= 1e7:
		return strconv.FormatFloat(x, 'e', digits, 64)
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// entry formats a number of a matrix: an exact zero is a plain 0, which draws the eye
// to the other numbers.
func entry(x float64, digits int) string {
	if x == 0 {
		return "0"
	}
	return decimal(x, digits)
}

// small formats a number that formulas show without brackets, such as ε.
func small(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// summarised reports whether a matrix has more than `size` rows or columns, and is shown
// as its shape and norm.
func (m Matrix) summarised(size int) bool { return m.Rows > size || m.Columns > size }
