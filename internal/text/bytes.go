package text

import "fmt"

// Bytes formats a number of bytes with two or three digits: "12 B", "1.2 kB", "340 MB".
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	x, unit := float64(n), 0
	for x >= 999.5 && unit < len(units)-1 {
		x /= 1000
		unit++
	}
	if x < 9.95 {
		return fmt.Sprintf("%.1f %s", x, units[unit])
	}
	return fmt.Sprintf("%.0f %s", x, units[unit])
}

var units = []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
