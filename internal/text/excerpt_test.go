package text

import "testing"

// What is long is cut with its brackets, and says how much there is of it.
func TestExcerpt(t *testing.T) {
	for text, want := range map[string]string{
		"[1, 2]":                                 "[1, 2]",
		"[-2.863312345678, 2.912312345678]":      "[-2.8633, 2.9123]",
		"[1.25, 2.25, 3.25, 4.25, 5.25]":         "[1.25, 2.25, 3.25, …] (5 numbers)",
		"[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]": "[[0.5, 0.25, 0.25], …]",
		"a text of more than so many letters":    "a text of more than so…",
	} {
		if got := Excerpt(text, 23); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
