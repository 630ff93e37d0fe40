// Package fuse has a context that ends when it is asked often enough whether it has. With
// it, tests interrupt a computation at every place where it can be interrupted.
package fuse

import (
	"context"
	"sync"
)

// Fuse is a context that ends at a question. Any goroutine may ask.
type Fuse struct {
	context.Context
	mu    sync.Mutex
	asked int
	last  int
	done  chan struct{}
}

// New returns a context that ends when its Err is called for the nth time, n ≥ 1.
func New(n int) *Fuse {
	return &Fuse{Context: context.Background(), last: n, done: make(chan struct{})}
}

// Done is closed when the context has ended.
func (f *Fuse) Done() <-chan struct{} { return f.done }

// Err is nil before the nth call, and [context.Canceled] from then on.
func (f *Fuse) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked++; f.asked == f.last {
		close(f.done)
	}
	if f.asked >= f.last {
		return context.Canceled
	}
	return nil
}

// Asked returns how often Err was called.
func (f *Fuse) Asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}
