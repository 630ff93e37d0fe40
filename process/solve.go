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
	// SolveProducts bounds the work of the exact part of [Solve], in products as
	// [HMM.FloorWithin] counts them: some seconds.
	SolveProducts = 2_000_000_000
	// estimateWork bounds the numbers that optimal predictors go through in its
	// estimated part, and mostSequences and fewestSequences the sequences.
	estimateWork    = 1_000_000_000
	mostSequences   = 4096
	fewestSequences = 32
	// estimateErrors is how many standard errors of a mean a half-width is.
	estimateErrors = 2
)

// Solved is the floor of a process at the positions 1 … L: exact as far as that is
// affordable, and estimated from there on.
type Solved struct {
	Floor
	// Exact is how many positions are exact, those from the first on, at least one.
	Exact int
	// Error[t-1] is a half-width: 0 where the floor is exact, to rounding, else two
	// standard errors of the estimate, in nats. Errors of different positions go together:
	// they are of the same sequences.
	Error []float64
	// Sequences is of how many sequences the estimate is; 0 where all is exact.
	Sequences int
}

// Solve returns the floor at each of the positions 1 … positions. It is exact within a
// budget of [SolveProducts] and of the memory of Floor; beyond that it is the mean
// entropy of what the optimal predictor expects on sampled sequences, which is an
// unbiased estimate, from the same sequences each time. It is an error when positions is
// less than 1, or more than can even be estimated, and when ctx ends.
func Solve(ctx context.Context, p Process, positions int) (Solved, error) {
	return solve(ctx, p, positions, SolveProducts)
}

// solve is Solve with a number of products.
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

// floorWithin is the floor of a process within a number of products, of one that counts
// them.
func floorWithin(ctx context.Context, p Process, positions int, products int64) (Floor, error) {
	if b, ok := p.(Bounded); ok {
		return b.FloorWithin(ctx, positions, products)
	}
	return p.Floor(ctx, positions)
}

// estimate adds the positions that are not exact.
func (s *Solved) estimate(ctx context.Context, p Process, positions int) error {
	e, err := estimateMeans(ctx, p, s.Exact, positions, portable.Entropy)
	if err != nil {
		return err
	}
	s.ByPosition, s.Error, s.Sequences = append(s.ByPosition, e.mean[s.Exact:]...), e.half, e.sequences
	return nil
}

// estimated are means by position with their half-widths, from so many sequences; 0 at
// the positions that were left out.
type estimated struct {
	mean, half []float64
	sequences  int
}

// estimateMeans is the mean of a function of what the optimal predictor expects at the
// positions from+1 … positions.
func estimateMeans(ctx context.Context, p Process, from, positions int,
	value func(next []float64) float64,
) (estimated, error) {
	e := estimated{
		make([]float64, positions), make([]float64, positions), min(mostSequences, estimateWork/(positions*stepWork(p))),
	}
	if e.sequences < fewestSequences {
		return e, fmt.Errorf("%s: %d positions are too many to estimate their floor, want at most %d", p.Name(), positions,
			estimateWork/(fewestSequences*stepWork(p)))
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

// SolvedCeiling is the greatest accuracy at the positions 1 … L: exact, or estimated at
// all of them.
type SolvedCeiling struct {
	Ceiling
	Error     []float64 // half-widths by position, two standard errors; nil where it is exact
	Sequences int       // of how many sequences the estimate is; 0 where it is exact
}

// SolveCeiling returns the greatest accuracy at each of the positions 1 … positions:
// exact where the floor of these positions is within a tenth of the budget of [Solve],
// and else the mean, on sampled sequences, of the probability of what the optimal
// predictor holds most likely. It is an error where the process states no ceiling, where
// positions are too many, and when ctx ends.
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

// stepWork is how many numbers an optimal predictor goes through for a token, nearly.
func stepWork(p Process) int {
	n := 1
	if o, ok := p.(Observer); ok {
		n = len(o.States())
	}
	return n * (n + p.Alphabet())
}
