// Package parallel calls a function with each index of a list, on several goroutines.
//
// Calls begin in the order of the indices. If a call fails, no further call begins, and
// all calls before it have begun already. So the error that a caller gets does not depend
// on the number of goroutines, and neither does anything else, if the calls do not depend
// on each other.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each calls f with 0 … n−1 on the given number of goroutines, or on one if workers is
// below 1, and waits for the calls. It begins no further call after one has failed or
// after ctx has ended. It returns the error of the smallest index that has one, else
// ctx's error.
func Each(ctx context.Context, workers, n int, f func(i int) error) error {
	return With(ctx, workers, n, func() func(int) error { return f })
}

// With is [Each] with one function for each goroutine, which begin makes. The function
// may keep what its calls use one after the other, such as a workspace.
func With(ctx context.Context, workers, n int, begin func() (f func(i int) error)) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(max(1, workers), n) {
		group.Go(func() {
			f := begin()
			for !failed.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = f(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
