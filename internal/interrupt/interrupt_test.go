package interrupt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestRunReturnsWhatTheWorkDoes(t *testing.T) {
	failure := errors.New("failed")
	for _, want := range []error{nil, failure} {
		if err := Run(t.Context(), func(context.Context) error { return want }); err != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// Work that keeps nothing is not waited for.
func TestWorkIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan bool)
	err := Run(ctx, func(context.Context) error {
		cancel()
		<-never
		return nil
	})
	if !errors.Is(err, ErrLeft) || err.Error() != "interrupted" {
		t.Errorf("error %v", err)
	}
	close(never)
}

// Work that keeps something is.
func TestWorkIsWaitedFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	kept := errors.New("kept")
	err := Run(ctx, func(ctx context.Context) error {
		Keep(ctx, "interrupted")
		cancel()
		<-ctx.Done()
		return kept
	})
	if err != kept {
		t.Errorf("error %v", err)
	}
}

// Work that keeps something and only computes is left, where it computes when the context
// ends and where it begins to after that, and never comes to what follows.
func TestFreeWorkIsLeft(t *testing.T) {
	for name, begin := range map[string]func(ctx context.Context, cancel func()) func(){
		"ends within":  func(ctx context.Context, cancel func()) func() { end := Free(ctx); cancel(); return end },
		"ended before": func(ctx context.Context, cancel func()) func() { cancel(); <-ctx.Done(); return Free(ctx) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		computed := make(chan bool)
		var beyond atomic.Bool
		err := Run(ctx, func(ctx context.Context) error {
			Keep(ctx, "the work is kept in x")
			Free(ctx)() // and what it computed before is of no consequence
			end := begin(ctx, cancel)
			<-computed
			end()
			beyond.Store(true)
			return nil
		})
		if !errors.Is(err, ErrLeft) || err.Error() != "the work is kept in x" {
			t.Errorf("%s: error %v", name, err)
		}
		computed <- true
		for range 1000 {
			runtime.Gosched()
		}
		if beyond.Load() {
			t.Errorf("%s: work that was left went on", name)
		}
	}
}

// Without Run there is nothing that could be left.
func TestOtherContexts(t *testing.T) {
	Keep(t.Context(), "")
	Free(t.Context())()
	NewWriter(io.Discard).EndWith(t.Context())
}

// failing is written to without success.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// Where nobody reads the messages the work ends; where the disk is full it does not.
func TestBrokenMessages(t *testing.T) {
	for _, c := range []struct {
		error
		ends bool
	}{{syscall.EPIPE, true}, {syscall.EIO, true}, {io.ErrClosedPipe, true}, {syscall.ENOSPC, false}} {
		w := NewWriter(failing{c.error})
		ended := false
		err := Run(t.Context(), func(ctx context.Context) error {
			Keep(ctx, "interrupted")
			w.EndWith(ctx)
			if _, err := w.Write([]byte("x")); !errors.Is(err, c.error) {
				t.Errorf("%v: error %v", c.error, err)
			}
			ended = ctx.Err() != nil
			return nil
		})
		if err != nil || ended != c.ends {
			t.Errorf("%v: ended %v, error %v", c.error, ended, err)
		}
	}
}

func TestShut(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for range 2 {
		if n, err := w.Write([]byte("once")); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		w.Shut()
	}
	if b.String() != "once" || w.Unwrap() != io.Writer(&b) || w.Closed() {
		t.Errorf("%q", b.String())
	}
}
