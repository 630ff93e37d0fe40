package interrupt

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Writer passes on what work writes, until the work is left.
type Writer struct {
	to io.Writer

	shut  atomic.Bool
	mu    sync.Mutex
	guard *guard // nil until the work begins
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Unwrap returns what is written to.
func (w *Writer) Unwrap() io.Writer { return w.to }

// EndWith makes the work of a context of [Run] end, as a signal does, when nobody reads
// what is written: the other end of the pipe is closed, or the terminal is gone.
func (w *Writer) EndWith(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.guard = of(ctx)
}

// Write writes to what is behind the Writer, or nothing after Shut.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut.Load() {
		return len(p), nil
	}
	n, err := w.to.Write(p)
	if err != nil && unread(err) && w.guard != nil {
		w.guard.stop()
	}
	return n, err
}

// Shut makes the writes of work that was left go nowhere. It does not wait for one that
// is under way, and may be for ever.
func (w *Writer) Shut() { w.shut.Store(true) }

// Closed says that the Writer's is a standard stream which was closed when the program
// began.
func (w *Writer) Closed() bool {
	f, ok := w.to.(*os.File)
	return ok && closed(f)
}

// unread says of an error of writing that nobody will ever read there.
func unread(err error) bool {
	for _, gone := range []error{syscall.EPIPE, syscall.EIO, syscall.EBADF, os.ErrClosed, io.ErrClosedPipe} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
