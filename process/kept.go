package process

import (
	"context"
	"sync"
)

// kept holds the result of a computation on an immutable process, which is made when it
// is first asked for. A computation that its context ended is not kept: the next caller
// makes it again. Callers wait for one another.
type kept[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
	err   error
}

// get returns the result, made by compute unless it was made before.
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
