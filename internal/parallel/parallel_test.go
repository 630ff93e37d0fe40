package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"foretell/internal/fuse"
)

// Each index is used once, for any number of goroutines and of indices.
func TestEach(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 3, 100} {
		for _, n := range []int{0, 1, 2, 50} {
			calls := make([]atomic.Int64, n)
			err := Each(t.Context(), workers, n, func(i int) error {
				calls[i].Add(1)
				return nil
			})
			for i := range calls {
				if got := calls[i].Load(); got != 1 {
					t.Errorf("%d workers, %d indices: %d calls with %d", workers, n, got, i)
				}
			}
			if err != nil {
				t.Errorf("%d workers, %d indices: %v", workers, n, err)
			}
		}
	}
}

// The error is the same for any number of goroutines, the one of the smallest index, and
// one goroutine begins no call after it.
func TestFirstError(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		var calls atomic.Int64
		err := Each(t.Context(), workers, 1000, func(i int) error {
			calls.Add(1)
			if i >= 7 {
				return fmt.Errorf("index %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "index 7" {
			t.Errorf("%d workers: %v, want index 7", workers, err)
		}
		if n := int(calls.Load()); n < 8 || n > 7+workers {
			t.Errorf("%d workers: %d calls, want at least 8, and at most 1 for each worker after an error", workers, n)
		}
	}
}

// Nothing begins after the context has ended, and its error counts unless a call failed.
func TestEndOfContext(t *testing.T) {
	var calls []int
	count := func(i int) error {
		calls = append(calls, i)
		return nil
	}
	if err := Each(fuse.New(3), 1, 100, count); !errors.Is(err, context.Canceled) || len(calls) > 3 {
		t.Errorf("%v after calls with %v", err, calls)
	}
	ctx, end := context.WithCancel(t.Context())
	own := errors.New("its own")
	err := Each(ctx, 4, 100, func(int) error {
		end()
		return own
	})
	if !errors.Is(err, own) {
		t.Errorf("%v, want the error of a call", err)
	}
}

// Each goroutine has one function, which no other goroutine calls.
func TestWith(t *testing.T) {
	var begun atomic.Int64
	owners := make([]int64, 200)
	err := With(t.Context(), 5, len(owners), func() func(int) error {
		own := begun.Add(1)
		busy := atomic.Bool{}
		return func(i int) error {
			if busy.Swap(true) {
				return errors.New("two calls at the same time")
			}
			owners[i] = own
			busy.Store(false)
			return nil
		}
	})
	if err != nil || begun.Load() != 5 || slices.Contains(owners, 0) {
		t.Errorf("%v, %d functions, %v", err, begun.Load(), owners)
	}
}

func ExampleEach() {
	squares := make([]int, 5)
	err := Each(context.Background(), 2, len(squares), func(i int) error {
		squares[i] = i * i
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}
