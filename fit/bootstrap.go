package fit

import (
	"context"
	"fmt"

	"foretell/internal/parallel"
	"foretell/internal/random"
	"foretell/process"
)

// Draw is what a model says that was fitted to a sequence drawn from a fitted model.
type Draw struct {
	Floors                        []float64 // at positions 1, 2, …, in nats
	EntropyRate, EntropyRateError float64   // in nats; the rate and its half-width
}

// Bootstrap draws sequences from r.HMM, each of the length of the one that r was fitted
// to, and fits a model to each, starting close to r's: the parametric bootstrap.
// The draws show how far chance moves the floors and the entropy rate, if the series came
// from such a model. They do not show a bias that all of them share with r, nor what
// another maximum of the likelihood would give. Draws depend on the seed of r's options
// alone. Bootstrap returns an error if ctx ends, if there are less than one draw or one
// position, or if [process.HMM.Floor] returns one.
func (r *Result) Bootstrap(ctx context.Context, draws, positions int) ([]Draw, error) {
	if draws < 1 || positions < 1 {
		return nil, fmt.Errorf("fit: %d draws and %d positions; give at least 1 of each", draws, positions)
	}
	list := make([]Draw, draws)
	err := parallel.With(ctx, r.options.Workers, draws, func() func(int) error {
		sequence := make([]int32, r.length)
		w := newPass(sequence)
		return func(b int) error {
			r.HMM.Sample(sequence, random.New(r.options.Seed, "fit/bootstrap", uint64(b)))
			h, err := r.again(ctx, w)
			if err != nil {
				return err
			}
			list[b], err = drawOf(ctx, h, positions)
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// again fits a model to the sequence of w, starting from r.
func (r *Result) again(ctx context.Context, w *pass) (*process.HMM, error) {
	l, of := r.options.limits(0, r.length, r.length), r.options.kind()
	l.report = nil
	c, err := w.climb(ctx, of, of.freshened(r.model.from(r.HMM.Stationary())), l)
	if err != nil {
		return nil, err
	}
	_, h, err := c.process(r.options.Name, r.HMM.Tokens())
	return h, err
}

func drawOf(ctx context.Context, h *process.HMM, positions int) (Draw, error) {
	floor, err := h.Floor(ctx, positions)
	if err != nil {
		return Draw{}, err
	}
	rate, within, err := h.EntropyRate(ctx)
	return Draw{floor.ByPosition, rate, within}, err
}
