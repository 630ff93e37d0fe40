package theory

import (
	"context"
	"errors"
	"testing"

	"foretell/process"
)

// What takes a context ends with it, and leaves nothing behind that a later call would
// take for the answer.
func TestAContextThatEnds(t *testing.T) {
	for name, call := range map[string]func(context.Context, *Layer, *process.Prefixes) error{
		"Linear": func(ctx context.Context, l *Layer, _ *process.Prefixes) error { return last(l.Linear(ctx, []int32{0})) },
		"Steady": func(ctx context.Context, l *Layer, _ *process.Prefixes) error {
			return last(l.LinearFilter().Steady(ctx))
		},
		"SteadyR2": func(ctx context.Context, l *Layer, _ *process.Prefixes) error {
			return last(l.LinearFilter().SteadyR2(ctx))
		},
		"R2": func(ctx context.Context, l *Layer, _ *process.Prefixes) error {
			return last(l.LinearFilter().R2(ctx, 3))
		},
		"HeadsR2": func(ctx context.Context, l *Layer, _ *process.Prefixes) error { return last(l.HeadsR2(ctx, 4, 1)) },
		"Best": func(ctx context.Context, l *Layer, _ *process.Prefixes) error {
			return last(mustSums(t, l.h, 3, 1).Best(ctx))
		},
		"BestOwn": func(ctx context.Context, l *Layer, _ *process.Prefixes) error {
			return last(mustSums(t, l.h, 3, 1).BestOwn(ctx))
		},
		"Spectrum": func(ctx context.Context, l *Layer, _ *process.Prefixes) error { return last(l.Spectrum(ctx)) },
		"words Linear": func(ctx context.Context, _ *Layer, words *process.Prefixes) error {
			return last(LinearPrefixes(ctx, words))
		},
	} {
		h := mustMess3(t, 0.15, 0.6)
		l := Of(h)
		words := must(process.WordsOf(t.Context(), h, [][]int32{{0, 1, 2}}, 1))
		ended, end := context.WithCancel(t.Context())
		end()
		if err := call(ended, l, words); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v from a context that has ended", name, err)
		}
		if err := call(t.Context(), l, words); err != nil {
			t.Errorf("%s: %v once a call has been ended", name, err)
		}
	}
}
