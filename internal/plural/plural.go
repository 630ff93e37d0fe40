// Package plural says how many of a thing there are.
package plural

import "fmt"

// Count returns "1 state", "2 states": a number and the thing's plural by an s.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
