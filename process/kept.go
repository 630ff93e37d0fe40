package process

import (
	"context"
	"sync"
)

// kept holds the result of a computation on an immutable process. The result is computed
// on first use. The result of a computation that was interrupted by the end of its
// context is not kept; the next caller computes it again. Concurrent callers wait for
// each other.
type kept[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
	err   error
}

// get returns the result, and computes it unless it was computed before.
func (k *kept[T]) get(ctx context.Context, compute func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made {
		return k.value, k.err
	}
	value, err := compute(ctx)
	if err == nil || ctx.Err() == nil {
		k.made, k.value, k.err = true, value, err
	}
	return value, err
}
