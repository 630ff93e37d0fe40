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

// Writer forwards the work's output until the work is abandoned.
type Writer struct {
	to io.Writer

	shut  atomic.Bool
	mu    sync.Mutex
	guard *guard // nil until the work begins
}

// NewWriter returns a Writer that forwards to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Unwrap returns the underlying writer.
func (w *Writer) Unwrap() io.Writer { return w.to }

// EndWith makes the work of a context from [Run] end, as a signal does, when nobody can
// read the output: the other end of the pipe is closed, or the terminal is gone.
func (w *Writer) EndWith(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.guard = of(ctx)
}

// Write writes to the underlying writer, or discards p after Shut.
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

// Shut discards all further output, for work that was abandoned. It does not wait for a
// write in progress, which may block forever.
func (w *Writer) Shut() { w.shut.Store(true) }

// Closed reports whether the underlying writer is a standard stream that was closed when
// the program began.
func (w *Writer) Closed() bool {
	f, ok := w.to.(*os.File)
	return ok && closed(f)
}

// unread reports whether a write error means that nobody will ever read the output.
func unread(err error) bool {
	for _, gone := range []error{syscall.EPIPE, syscall.EIO, syscall.EBADF, os.ErrClosed, io.ErrClosedPipe} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
