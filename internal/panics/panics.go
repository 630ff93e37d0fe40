// Package panics has what a function panics with, for tests of misuse.
package panics

import "fmt"

// Text calls a function and returns what it panics with as text, or "" if it returns.
func Text(f func()) (text string) {
	defer func() {
		if got := recover(); got != nil {
			text = fmt.Sprint(got)
		}
	}()
	f()
	return ""
}

// Does reports whether a function panics.
func Does(f func()) bool { return Text(f) != "" }
