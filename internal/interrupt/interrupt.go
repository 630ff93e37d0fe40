// Package interrupt ends a program on request: on Ctrl-C, SIGTERM, SIGHUP or the signals
// of batch systems (SIGUSR1, SIGUSR2, SIGXCPU), or when the reader of its messages is
// gone.
//
// [Run] runs a program's work with a context that ends on such a request. Most work can
// be abandoned: Run does not wait for it. Work with results to save, such as a training
// run that writes a checkpoint, calls [Keep], and Run then waits for it. While such work
// only computes, it can call [Free] to allow Run not to wait.
//
//	err := interrupt.Run(ctx, func(ctx context.Context) error {
//		interrupt.Keep(ctx, "interrupted; what was trained is kept in reports/mess3")
//		train(ctx)
//		end := interrupt.Free(ctx)
//		analyse(ctx)
//		end()
//		write()
//	})
package interrupt

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
)

// Error describes what an interruption left behind, and how to continue. [Run] returns an
// Error if it did not wait for the work. The work's goroutine may still be running then,
// but its calls of Keep block forever, and its output to a [Writer] is discarded: the
// program should end.
type Error struct {
	Text  string
	Cause error
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ErrLeft is the cause of the [Error] that Run itself returns.
var ErrLeft = errors.New("the work was abandoned")

// Run calls work and returns its error. At the first signal, or when ctx ends, the work's
// context ends, and Run waits if the work has called [Keep]. A second signal has its
// default effect and ends the program, except that SIGUSR1, SIGUSR2 and SIGXCPU, which
// batch systems repeat, have no effect. Ctrl-C and SIGHUP are ignored from the start if
// the parent process ignored them, as nohup does.
func Run(ctx context.Context, work func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &guard{stop: cancel, said: "interrupted", leave: make(chan struct{})}
	signals := make(chan os.Signal, 1)
	if list := wanted(); len(list) > 0 { // an empty list would mean all signals
		signal.Notify(signals, list...)
		defer signal.Stop(signals)
	}
	done := make(chan error, 1)
	go func() { done <- work(context.WithValue(ctx, key{}, g)) }()
	select {
	case err := <-done:
		return err
	case <-signals:
		signal.Stop(signals)
		cancel()
	case <-ctx.Done():
	}
	g.end()
	select {
	case err := <-done:
		return err
	case <-g.leave:
		return &Error{g.said, ErrLeft}
	}
}

// wanted returns the signals that end the work.
var wanted = sync.OnceValue(func() (list []os.Signal) {
	for _, s := range requests {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
})

// key is the context key of a guard.
type key struct{}

// guard records whether the work has results to keep, for which Run must wait.
type guard struct {
	stop context.CancelFunc

	mu    sync.Mutex
	kept  int           // number of results to keep
	said  string        // text for the error of Run; not written after leave is closed
	ended bool          // whether the context has ended
	left  bool          // leave is closed
	leave chan struct{} // closed when Run need not wait any more
}

// of returns the guard of a context, or nil if the context is not from [Run].
func of(ctx context.Context) *guard {
	g, _ := ctx.Value(key{}).(*guard)
	return g
}

// end records that the context has ended.
func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.check()
}

// keep changes the number of results to keep. It blocks forever if the work has been
// abandoned.
func (g *guard) keep(change int) {
	g.mu.Lock()
	if g.left {
		g.mu.Unlock()
		select {}
	}
	defer g.mu.Unlock()
	g.kept += change
	g.check()
}

func (g *guard) check() {
	if g.ended && g.kept == 0 && !g.left {
		g.left = true
		close(g.leave)
	}
}

// Keep declares that from now on the work has something to keep: [Run] waits for the work
// to return. The argument kept is the text of Run's error if Run does not wait (see
// [Free]). From now on a write to a pipe without a reader is an error instead of the end
// of the program. Keep does nothing if ctx is not from Run.
func Keep(ctx context.Context, kept string) {
	g := of(ctx)
	if g == nil {
		return
	}
	g.keep(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = kept
	keepPipes()
}

// Free declares that Run need not wait for the work until end is called, because the work
// only computes and can repeat the computation.
func Free(ctx context.Context) (end func()) {
	g := of(ctx)
	if g == nil {
		return func() {}
	}
	g.keep(-1)
	return func() { g.keep(1) }
}
