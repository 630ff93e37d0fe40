// Package kept computes a result once, on first use, and keeps it unless the computation
// was interrupted.
package kept

import (
	"context"
	"sync"
)

// Result holds the result of a computation on something immutable. The result is computed
// on first use. The result of a computation that was interrupted by the end of its
// context is not kept; the next caller computes it again. Concurrent callers wait for
// each other. The zero Result has computed nothing yet.
type Result[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
	err   error
}

// Get returns the result, and computes it unless it was computed before.
func (r *Result[T]) Get(ctx context.Context, compute func(context.Context) (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made {
		return r.value, r.err
	}
	value, err := compute(ctx)
	if err == nil || ctx.Err() == nil {
		r.made, r.value, r.err = true, value, err
	}
	return value, err
}
