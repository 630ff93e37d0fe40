package process

import (
	"errors"
	"fmt"
	"math"

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
// less than 1, or more than can even be estimated.
func Solve(p Process, positions int) (Solved, error) { return solve(p, positions, SolveProducts) }

// solve is Solve with a number of products.
func solve(p Process, positions int, products int64) (Solved, error) {
	floor, err := floorWithin(p, positions, products)
	var spent *BudgetError
	switch {
	case err == nil:
		return Solved{Floor: floor, Exact: positions, Error: make([]float64, positions)}, nil
	case !errors.As(err, &spent):
		return Solved{}, err
	}
	s := Solved{Floor: spent.Floor, Exact: len(spent.Floor.ByPosition)}
	return s, s.estimate(p, positions)
}

// floorWithin is the floor of a process within a number of products, of one that counts
// them.
func floorWithin(p Process, positions int, products int64) (Floor, error) {
	if b, ok := p.(Bounded); ok {
		return b.FloorWithin(positions, products)
	}
	return p.Floor(positions)
}

// estimate adds the positions that are not exact.
func (s *Solved) estimate(p Process, positions int) error {
	s.Sequences = min(mostSequences, estimateWork/(positions*stepWork(p)))
	if s.Sequences < fewestSequences {
		return fmt.Errorf("%s: %d positions are too many to estimate their floor, want at most %d", p.Name(), positions,
			estimateWork/(fewestSequences*stepWork(p)))
	}
	mean, square := make([]float64, positions), make([]float64, positions)
	sequence, next := make([]int32, positions), make([]float64, p.Alphabet())
	predictor := p.Predictor()
	for i := range s.Sequences {
		p.Sample(sequence, random.New(1, "process/floor", uint64(i)))
		predictor.Reset()
		for t, z := range sequence {
			if t >= s.Exact {
				predictor.Next(next)
				h := portable.Entropy(next)
				mean[t] += h
				square[t] += float64(h * h)
			}
			if err := predictor.Observe(int(z)); err != nil {
				return err
			}
		}
	}
	n := float64(s.Sequences)
	s.Error = make([]float64, positions)
	for t := s.Exact; t < positions; t++ {
		mean[t] /= n
		variance := max(0, square[t]/n-float64(mean[t]*mean[t])) / (n - 1)
		s.ByPosition = append(s.ByPosition, mean[t])
		s.Error[t] = estimateErrors*math.Sqrt(variance) + rounding
	}
	return nil
}

// stepWork is how many numbers an optimal predictor goes through for a token, nearly.
func stepWork(p Process) int {
	n := 1
	if o, ok := p.(Observer); ok {
		n = len(o.States())
	}
	return n * (n + p.Alphabet())
}
