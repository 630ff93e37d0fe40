package kept

import (
	"context"
	"errors"
	"testing"
)

// A result or an error is kept, unless the context ended.
func TestResult(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	var number Result[int]
	calls, failed := 0, errors.New("failed")
	count := func(ctx context.Context) (int, error) {
		calls++
		return calls, ctx.Err()
	}
	if _, err := number.Get(ended, count); !errors.Is(err, context.Canceled) {
		t.Errorf("%v from a context that ended", err)
	}
	for range 2 {
		if got, err := number.Get(t.Context(), count); got != 2 || err != nil {
			t.Errorf("%d, %v, want 2", got, err)
		}
	}
	var never Result[int]
	for range 2 {
		_, err := never.Get(t.Context(), func(context.Context) (int, error) {
			calls++
			return 0, failed
		})
		if err != failed || calls != 3 {
			t.Errorf("%v, %d calls", err, calls)
		}
	}
}
