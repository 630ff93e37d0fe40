package terminal

import (
	"bufio"
	"io"
	"os"
	"testing"
)

// wrapped is a buffer that says what it writes to.
type wrapped struct {
	*bufio.Writer
	to io.Writer
}

func (w wrapped) Unwrap() io.Writer { return w.to }

// Files and pipes are never drawn on or coloured, however they are wrapped.
func TestNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, w := range []io.Writer{f, io.Discard, wrapped{bufio.NewWriter(f), f}, wrapped{nil, wrapped{nil, nil}}} {
		if width, ok := Width(w); ok || width != 0 || Coloured(w) {
			t.Errorf("%T is taken for a terminal of %d columns", w, width)
		}
	}
}
