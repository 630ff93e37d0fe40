package entropy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/contexttree"
	"foretell/internal/kept"
	"foretell/internal/portable"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
)

// draws is the number of samples from the posterior of the entropy rate. The truth, as
// one more sample, is below all of them or above all with probability 2/40: their range
// is an interval of 95 %.
const draws = 39

// lab measures all estimators once for all rows of a study.
type lab struct {
	profile
	only  []string // sources to measure, for tests; nil means all
	found kept.Result[measured]
}

// measured is what the estimators say.
type measured struct {
	lengths []int
	sources []judged
}

// judged is what the estimators say about one source, by seed.
type judged struct {
	source
	runs []estimated
}

// estimated is what they say about one sequence, whose first symbols are the shorter
// sequences. All numbers are in nats a symbol.
type estimated struct {
	estimates [][estimators]float64 // [length]
	optimal   []float64             // [length]: the optimal predictor's loss on the symbols that the tree codes
	posterior []*claim.Interval     // [length]: of the entropy rate, or nil if a sample's rate was not found
}

// errors returns an estimator's estimates at a length, minus the entropy rate, by seed.
func (j judged) errors(length, estimator int) []float64 {
	return j.over(func(e estimated) float64 { return e.estimates[length][estimator] - j.rate })
}

// over returns a number of each sequence.
func (j judged) over(number func(estimated) float64) []float64 {
	values := make([]float64, len(j.runs))
	for i, e := range j.runs {
		values[i] = number(e)
	}
	return values
}

// standardErrors are how many standard errors count in comparisons.
const standardErrors = 2

// margin is the given number of standard errors of a mean over seeds.
func margin(bySeed []float64) float64 {
	return standardErrors * seeds.StdDev(bySeed) / math.Sqrt(float64(len(bySeed)))
}

// measure returns what the estimators say. The first call computes it.
func (l *lab) measure(ctx context.Context, s *claim.Study) (measured, error) {
	return l.found.Get(ctx, func(ctx context.Context) (measured, error) {
		sources, err := exactSources(ctx, s)
		if err != nil {
			return measured{}, err
		}
		m := measured{lengths: l.lengths}
		for _, of := range sources {
			if l.judges(of.name) {
				m.sources = append(m.sources, judged{of, make([]estimated, l.seeds)})
			}
		}
		n := len(m.sources) * l.seeds
		return m, s.Each(ctx, n, func(ctx context.Context, i int) (err error) {
			of, seed := m.sources[i/l.seeds], i%l.seeds
			s.Tell(fmt.Sprintf("estimating %s from %s symbols, seed %d", of.name, numerals.Grouped(l.longest()), seed))
			if of.runs[seed], err = l.estimate(ctx, of.source, uint64(seed)); err != nil {
				return fmt.Errorf("%s, seed %d: %w", of.name, seed, err)
			}
			s.Part(n)
			return nil
		})
	})
}

// judges reports whether a source is measured.
func (l *lab) judges(name string) bool { return l.only == nil || slices.Contains(l.only, name) }

// estimate samples a sequence and applies every estimator to its beginnings.
func (l *lab) estimate(ctx context.Context, of source, seed uint64) (estimated, error) {
	x := make([]int32, l.longest())
	of.process.Sample(x, random.New(seed, "paper/entropy/"+of.name))
	e := estimated{optimal: optimalLosses(of, x, l.lengths)}
	tree, err := contexttree.New(contexttree.Options{Alphabet: of.alphabet, Depth: of.depth})
	if err != nil {
		return e, err
	}
	previous := longestPrevious(x, of.alphabet)
	coded := 0
	for i, n := range l.lengths {
		if err := tree.Append(x[coded:n]); err != nil {
			return e, err
		}
		coded = n
		between, err := posterior(ctx, tree, seed, uint64(i*draws))
		if err != nil {
			return e, err
		}
		e.posterior = append(e.posterior, between)
		var values [estimators]float64
		values[byTree] = -tree.LogLikelihood() / float64(tree.Coded())
		values[byMatches] = matchEstimate(previous, n)
		for j, k := range orders {
			values[byPlugIn1+j] = plugIn(x[:n], of.alphabet, k)
		}
		values[byPatterns] = patterns(x[:n], patternOrder)
		e.estimates = append(e.estimates, values)
	}
	return e, nil
}

// optimalLosses returns the mean loss of the optimal predictor on the symbols of each
// beginning of a sequence that the context tree codes, in nats.
func optimalLosses(of source, x []int32, lengths []int) (losses []float64) {
	predictor, next := of.process.Predictor(), make([]float64, of.alphabet)
	sum := 0.0
	for i, symbol := range x {
		if i >= of.depth {
			predictor.Next(next)
			sum -= portable.Log(next[symbol])
		}
		if err := predictor.Observe(int(symbol)); err != nil {
			panic("entropy: " + of.name + " drew what it refuses: " + err.Error())
		}
		if slices.Contains(lengths, i+1) {
			losses = append(losses, sum/float64(i+1-of.depth))
		}
	}
	return losses
}

// posterior returns the range of samples from the posterior of the entropy rate. It is
// nil if the rate of a sample is not found, which happens if its contexts hardly mix.
func posterior(ctx context.Context, tree *contexttree.Tree, seed, first uint64) (*claim.Interval, error) {
	between := claim.Interval{Low: math.Inf(1), High: math.Inf(-1)}
	for i := range uint64(draws) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rate, err := tree.Sample(seed, first+i).EntropyRate()
		if err != nil {
			return nil, nil
		}
		between.Low, between.High = min(between.Low, rate), max(between.High, rate)
	}
	return &between, nil
}
