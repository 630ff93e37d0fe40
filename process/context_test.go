package process

import (
	"context"
	"errors"
	"testing"
)

// inContext is a test, or a check of rapid's, with its context.
type inContext interface {
	Fatal(args ...any)
	Context() context.Context
}

// must returns the value of a call that cannot fail in a test.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// rateOf returns the entropy rate of a process and its half-width.
func rateOf(t inContext, p Process) (rate, halfWidth float64) {
	rate, halfWidth, err := p.EntropyRate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rate, halfWidth
}

// What takes a context ends with it, and leaves nothing behind that a later call would
// take for the answer.
func TestAContextThatEnds(t *testing.T) {
	for name, call := range map[string]func(context.Context, *HMM, *Prefixes) error{
		"Limits":  func(ctx context.Context, h *HMM, _ *Prefixes) error { return last(h.Limits(ctx)) },
		"Floor":   func(ctx context.Context, h *HMM, _ *Prefixes) error { return last(h.Floor(ctx, 3)) },
		"Ceiling": func(ctx context.Context, h *HMM, _ *Prefixes) error { return last(h.Ceiling(ctx, 3)) },
		"Check":   func(ctx context.Context, h *HMM, _ *Prefixes) error { return last(h.Check(ctx)) },
		"Words":   func(ctx context.Context, h *HMM, _ *Prefixes) error { return last(Words(ctx, h, 3)) },
		"WordsOf": func(ctx context.Context, h *HMM, words *Prefixes) error {
			return last(WordsOf(ctx, h, [][]int32{{0, 1, 2}}, 1))
		},
		"Solve":        func(ctx context.Context, h *HMM, _ *Prefixes) error { return last(Solve(ctx, h, 3)) },
		"SolveCeiling": func(ctx context.Context, h *HMM, _ *Prefixes) error { return last(SolveCeiling(ctx, h, 3)) },
	} {
		h := mustMess3(t, 0.15, 0.6)
		words := must(WordsOf(t.Context(), h, [][]int32{{0, 1, 2}}, 1))
		ended, end := context.WithCancel(t.Context())
		end()
		if err := call(ended, h, words); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v from a context that has ended", name, err)
		}
		if err := call(t.Context(), h, words); err != nil {
			t.Errorf("%s: %v once a call has been ended", name, err)
		}
	}
	even := must(Build("even", nil)).(*HMM)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, err := range map[string]error{
		"Presentation": last(even.Presentation(ended)), "coin": last(must(Build("coin", nil)).Floor(ended, 3)),
		"interleaved": last(must(Build("interleaved", nil)).Floor(ended, 6)),
		"recording":   last(must(Build("mackey_glass", nil)).Floor(ended, 3)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v from a context that has ended", name, err)
		}
	}
}

func last[T any](_ T, err error) error { return err }
