package text

import (
	"fmt"
	"strings"
)

// Count formats a number and a noun, with an s if it is plural: "1 state", "2 states".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Steps lists steps of a training run, such as "steps 0, 10". A long list ends in the
// number of omitted steps.
func Steps(steps []int) string {
	const most = 12
	text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(steps[:min(most, len(steps))])), ", "), "[]")
	if more := len(steps) - most; more > 0 {
		text += fmt.Sprintf(" and %s", Count(more, "other"))
	}
	return "steps " + text
}

// Each returns the text of each element of a list, such as its name.
func Each[T any](list []T, of func(T) string) []string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = of(x)
	}
	return texts
}

// And joins names: "M2, M4 and M5".
func And(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
