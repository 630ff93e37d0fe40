// Package plural says how many of a thing there are.
package plural

import (
	"fmt"
	"strings"
)

// Count returns "1 state", "2 states": a number and the thing's plural by an s.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Steps lists some steps of a training, "steps 0, 10", and says how many more there are.
func Steps(steps []int) string {
	const most = 12
	text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(steps[:min(most, len(steps))])), ", "), "[]")
	if more := len(steps) - most; more > 0 {
		text += fmt.Sprintf(" and %s", Count(more, "other"))
	}
	return "steps " + text
}
