package paper

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// each calls f for 0 … n−1 on a number of goroutines, and returns when all are
// done or ctx has ended, with the errors in the order of the numbers.
func each(ctx context.Context, workers, n int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, workers) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[i] = f(i)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}
