// Package interrupt ends a program when it is asked to: by Ctrl-C, SIGTERM, SIGHUP or the
// signals of batch systems (SIGUSR1, SIGUSR2, SIGXCPU), or because nobody reads its
// messages any more.
//
// [Run] runs a program's work with a context that ends then. Most work has nothing to
// lose: Run does not wait for it. Work that has, such as a training that writes a
// checkpoint, says so with [Keep], and is waited for; while it only computes, it can say
// with [Free] that it need not be.
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
	"syscall"
)

// Error says what an interruption left, and how to go on. [Run] returns one where it did
// not wait for the work. Its goroutine may then still compute, but what it tries to keep
// from then on waits for ever, and what it writes to a [Writer] goes nowhere: the program
// should end.
type Error struct {
	Text  string
	Cause error
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ErrLeft is the cause of Run's own [Error].
var ErrLeft = errors.New("the work was left")

// Run calls work and returns its error. At the first signal, or when ctx ends, the work's
// context ends, and Run waits for what is to be kept; a second signal does what it would
// do without Run: SIGUSR1, SIGUSR2 and SIGXCPU, which batch systems repeat, have no
// effect, the others end the program. Ctrl-C and SIGHUP have no effect from the start if
// the parent process ignored them, as nohup does.
func Run(ctx context.Context, work func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &guard{stop: cancel, leave: make(chan struct{})}
	signals := make(chan os.Signal, 1)
	if list := wanted(); len(list) > 0 { // none would be all
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
		return &Error{g.text(), ErrLeft}
	}
}

// wanted are the signals that end the work.
var wanted = sync.OnceValue(func() (list []os.Signal) {
	for _, s := range requests {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
})

// key is that of a context's guard.
type key struct{}

// guard knows whether there is something to keep.
type guard struct {
	stop context.CancelFunc

	mu    sync.Mutex
	kept  int           // what there is to be kept
	said  string        // of it
	ended bool          // the context has
	left  bool          // leave is closed
	leave chan struct{} // closed when nobody is to be waited for any more
}

// text says what the work has kept.
func (g *guard) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.said == "" {
		return "interrupted"
	}
	return g.said
}

// of returns the guard of a context, nil where it is not that of [Run].
func of(ctx context.Context) *guard {
	g, _ := ctx.Value(key{}).(*guard)
	return g
}

// end says that the context has ended.
func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.check()
}

// keep changes how much there is to be kept. From work that has been left it does not
// return.
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

// Keep says that from now on there is something to keep, so that [Run] waits for the work
// to return; kept is the text of its error where it does not, in between. From now on,
// too, a write to a pipe that nobody reads is an error and no longer the end of the
// program. With a context that is not Run's it does nothing.
func Keep(ctx context.Context, kept string) {
	g := of(ctx)
	if g == nil {
		return
	}
	g.keep(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = kept
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// Free says that until the function that it returns is called, work that keeps something
// need not be waited for: it only computes, and what it computes can be computed again.
func Free(ctx context.Context) (end func()) {
	g := of(ctx)
	if g == nil {
		return func() {}
	}
	g.keep(-1)
	return func() { g.keep(1) }
}
