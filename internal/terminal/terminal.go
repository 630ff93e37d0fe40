// Package terminal says on what a writer shows: how wide the terminal is, and whether it
// may be coloured. What stands between the program and its output is looked through: a
// writer with a method Unwrap, which returns what it writes to.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Width returns how many characters wide the terminal is that w writes to. ok is false
// where there is none, or one that cannot redraw a line (TERM=dumb).
func Width(w io.Writer) (width int, ok bool) {
	for {
		wrapper, wraps := w.(interface{ Unwrap() io.Writer })
		if !wraps {
			break
		}
		w = wrapper.Unwrap()
	}
	f, isFile := w.(*os.File)
	if !isFile || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil && width > 0
}

// Coloured says whether what is written to w may be coloured (https://no-color.org).
func Coloured(w io.Writer) bool {
	_, ok := Width(w)
	return ok && os.Getenv("NO_COLOR") == ""
}
