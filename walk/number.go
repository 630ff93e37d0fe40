package walk

import (
	"math"
	"strconv"
	"strings"
)

// decimal writes a number with so many digits behind the point, or, where that
// would be long, in scientific notation.
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

// entry writes a number of a matrix: an exact zero is a plain 0, which leaves the eye
// with the others.
func entry(x float64, digits int) string {
	if x == 0 {
		return "0"
	}
	return decimal(x, digits)
}

// small writes a number that formulas show without brackets, such as ε.
func small(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// summarised says whether a matrix has more rows or columns than a size.
func (m Matrix) summarised(size int) bool { return m.Rows > size || m.Columns > size }
