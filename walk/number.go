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

// small writes a number that formulas show without brackets, such as ε.
func small(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// summarised says whether a matrix has more rows or columns than a size.
func (m Matrix) summarised(size int) bool { return m.Rows > size || m.Columns > size }
