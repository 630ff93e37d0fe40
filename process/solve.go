package process

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
	"foretell/internal/random"
)

const (
	// SolveProducts bounds the work of the exact part of [Solve], in products as counted
	// by [HMM.FloorWithin]: some seconds.
	SolveProducts = 2_000_000_000
	// estimateWork bounds the work of the estimated part, in numbers that optimal
	// predictors process; mostSequences and fewestSequences bound the number of sequences.
	estimateWork    = 1_000_000_000
	mostSequences   = 4096
	fewestSequences = 32
	// estimateErrors is the half-width of an estimate, in standard errors of the mean.
	estimateErrors = 2
)

// Solved is the floor of a process at the positions 1 … L: exact as far as that is
// affordable, and estimated at later positions.
type Solved struct {
	Floor
	// Exact is the number of exact positions, counted from the first; at least one.
	Exact int
	// Error[t-1] is a half-width: 0 if the floor is exact up to rounding, otherwise two
	// standard errors of the estimate, in nats. Errors of different positions are
	// correlated, because they come from the same sequences.
	Error []float64
	// Sequences is the number of sequences used for the estimate; 0 if all is exact.
	Sequences int
}

// Solve returns the floor at each of the positions 1 … positions. It is exact as long as
// the computation stays within [SolveProducts] and the memory limit of Floor. At later
// positions it is an unbiased estimate: the mean entropy of the optimal predictor's
// distribution over sampled sequences, which are the same in every call. Solve returns an
// error if positions is less than 1, or too large even for an estimate, or if ctx ends.
func Solve(ctx context.Context, p Process, positions int) (Solved, error) {
	return solve(ctx, p, positions, SolveProducts)
}

// solve is Solve with a given budget of products.
func solve(ctx context.Context, p Process, positions int, products int64) (Solved, error) {
	floor, err := floorWithin(ctx, p, positions, products)
	var spent *BudgetError
	switch {
	case err == nil:
		return Solved{Floor: floor, Exact: positions, Error: make([]float64, positions)}, nil
	case !errors.As(err, &spent):
		return Solved{}, err
	}
	s := Solved{Floor: spent.Floor, Exact: len(spent.Floor.ByPosition)}
	return s, s.estimate(ctx, p, positions)
}

// floorWithin returns the floor of a process, limited to a number of products if the
// process is [Bounded].
func floorWithin(ctx context.Context, p Process, positions int, products int64) (Floor, error) {
	if b, ok := p.(Bounded); ok {
		return b.FloorWithin(ctx, positions, products)
	}
	return p.Floor(ctx, positions)
}

// estimate adds estimated floors at the positions that have no exact floor.
func (s *Solved) estimate(ctx context.Context, p Process, positions int) error {
	e, err := estimateMeans(ctx, p, s.Exact, positions, portable.Entropy)
	if err != nil {
		return err
	}
	s.ByPosition = append(s.ByPosition, e.mean[s.Exact:]...)
	s.Error, s.Sequences = e.half, e.sequences
	return nil
}

// estimated are means by position with their half-widths, and the number of sequences
// that they were estimated from. Positions that were not estimated have 0.
type estimated struct {
	mean, half []float64
	sequences  int
}

// estimateMeans estimates the mean of a function of the optimal predictor's
// distribution at the positions from+1 … positions.
func estimateMeans(ctx context.Context, p Process, from, positions int,
	value func(next []float64) float64,
) (estimated, error) {
	sequences := estimateWork / (positions * stepWork(p))
	e := estimated{make([]float64, positions), make([]float64, positions), min(mostSequences, sequences)}
	if e.sequences < fewestSequences {
		return e, fmt.Errorf("%s: %d positions are too many to estimate their floor, want at most %d",
			p.Name(), positions, estimateWork/(fewestSequences*stepWork(p)))
	}
	square := make([]float64, positions)
	sequence, next := make([]int32, positions), make([]float64, p.Alphabet())
	predictor := p.Predictor()
	for i := range e.sequences {
		p.Sample(sequence, random.New(1, "process/floor", uint64(i)))
		predictor.Reset()
		for t, z := range sequence {
			if err := ctx.Err(); err != nil {
				return e, err
			}
			if t >= from {
				predictor.Next(next)
				x := value(next)
				e.mean[t] += x
				square[t] += float64(x * x)
			}
			if err := predictor.Observe(int(z)); err != nil {
				return e, err
			}
		}
	}
	n := float64(e.sequences)
	for t := from; t < positions; t++ {
		e.mean[t] /= n
		variance := max(0, square[t]/n-float64(e.mean[t]*e.mean[t])) / (n - 1)
		e.half[t] = estimateErrors*math.Sqrt(variance) + rounding
	}
	return e, nil
}

// SolvedCeiling is the greatest accuracy at the positions 1 … L: either exact or
// estimated at all of them.
type SolvedCeiling struct {
	Ceiling
	Error     []float64 // half-widths by position, two standard errors; nil if exact
	Sequences int       // number of sequences used for the estimate; 0 if exact
}

// SolveCeiling returns the greatest accuracy at each of the positions 1 … positions. It
// is exact if the floor of these positions takes at most a tenth of the budget of
// [Solve]; otherwise it is the mean, over sampled sequences, of the optimal predictor's
// largest probability. It returns an error if the process does not state a ceiling, if
// positions are too many, or if ctx ends.
func SolveCeiling(ctx context.Context, p Process, positions int) (SolvedCeiling, error) {
	ceiler, ok := p.(Ceiler)
	if !ok {
		return SolvedCeiling{}, fmt.Errorf("%s: the process does not state its greatest accuracy", p.Name())
	}
	_, err := floorWithin(ctx, p, positions, SolveProducts/10)
	var spent *BudgetError
	if !errors.As(err, &spent) {
		found, err := ceiler.Ceiling(ctx, positions)
		return SolvedCeiling{Ceiling: found}, err
	}
	e, err := estimateMeans(ctx, p, 0, positions, slices.Max[[]float64])
	return SolvedCeiling{Ceiling{ByPosition: e.mean}, e.half, e.sequences}, err
}

// stepWork returns approximately how many numbers an optimal predictor processes per
// token.
func stepWork(p Process) int {
	n := 1
	if o, ok := p.(Observer); ok {
		n = len(o.States())
	}
	return n * (n + p.Alphabet())
}
