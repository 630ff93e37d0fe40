// Package numerals formats numbers in the texts of claims and of their rules.
package numerals

import (
	"strconv"
	"strings"
)

// Scientific formats x as 1e-6, where Go's own verbs print 1e-06, and as 1e-4, where %g
// prints 0.0001.
func Scientific(x float64) string {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	sign := strings.TrimSuffix(exponent[:1], "+")
	return digits + "e" + sign + strings.TrimLeft(exponent[1:len(exponent)-1], "0") + exponent[len(exponent)-1:]
}

// Grouped formats a non-negative number with a comma between thousands.
func Grouped(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
