// Package terminal describes the terminal behind a writer: its width, and whether it may
// show colours. A wrapped writer is unwrapped with its method Unwrap, which returns the
// underlying writer.
//
// It also aligns tab-separated cells in columns within a width. If the output is not a
// terminal, each line is written in full, for programs that search it. On a terminal, a
// table that is too wide is first narrowed by cutting the ends of its prose, and then
// split into blocks, each of which begins with the table's first column. Cells of its
// last column, and lines without cells, wrap.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Width returns the width in characters of the terminal that w writes to. ok is false if
// w is not a terminal or the terminal cannot redraw a line (TERM=dumb).
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

// Coloured reports whether output to w may be coloured (https://no-color.org).
func Coloured(w io.Writer) bool {
	_, ok := Width(w)
	return ok && os.Getenv("NO_COLOR") == ""
}
