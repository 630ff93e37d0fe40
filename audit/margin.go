package audit

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// normalLaw is the hypothesis that the normal score of a rank, Φ⁻¹(u), has mean shift and
// standard deviation spread, instead of 0 and 1. The forecasts are then too low if shift
// is positive, and too narrow if spread is greater than 1.
type normalLaw struct {
	shift, spread float64
	prior         float64
	below         []float64 // its probability below each edge of the cells
	inside        []float64 // its probability of each cell
}

// shifts and spreads are the faults of size that are bet on, with either sign, and
// with the inverse spreads.
var (
	shifts  = []float64{0.1, 0.2, 0.35, 0.5, 0.75, 1.1, 1.6, 2.4}
	spreads = []float64{1.1, 1.2, 1.35, 1.5, 1.75, 2.1, 2.8}
)

// normalLaws returns the laws on a grid of shifts and spreads. Half of the prior is on a
// shift of 0, and independently half on a spread of 1.
func normalLaws(levels []float64) (laws []normalLaw) {
	allShifts, allSpreads := []float64{0}, []float64{1}
	for _, s := range shifts {
		allShifts = append(allShifts, s, -s)
	}
	for _, s := range spreads {
		allSpreads = append(allSpreads, s, 1/s)
	}
	for i, shift := range allShifts {
		for j, spread := range allSpreads {
			prior := halfOnFirst(i, len(allShifts)) * halfOnFirst(j, len(allSpreads))
			laws = append(laws, newNormalLaw(shift, spread, prior, levels))
		}
	}
	return laws
}

func halfOnFirst(i, n int) float64 {
	if i == 0 {
		return 0.5
	}
	return 0.5 / float64(n-1)
}

func newNormalLaw(shift, spread, prior float64, levels []float64) normalLaw {
	l := normalLaw{shift: shift, spread: spread, prior: prior}
	edge := func(level float64) float64 { return (mathext.NormalQuantile(level) - shift) / spread }
	for i, level := range levels {
		below, _ := normal(edge(level), math.Inf(1))
		l.below = append(l.below, below)
		if i > 0 {
			_, inside := normal(edge(levels[i-1]), edge(level))
			l.inside = append(l.inside, inside)
		}
	}
	return l
}

// normal returns the standard normal probabilities below an interval and in it, the
// latter accurate in both tails.
func normal(lo, hi float64) (below, inside float64) {
	if lo > 0 {
		above, beyond := math.Erfc(lo/math.Sqrt2)/2, math.Erfc(hi/math.Sqrt2)/2
		return 1 - above, above - beyond
	}
	below = math.Erfc(-lo/math.Sqrt2) / 2
	return below, math.Erfc(-hi/math.Sqrt2)/2 - below
}

// margin predicts the cell of the next rank from the cells so far, whatever their order:
// a mixture of normal laws and of histograms, each weighted by its prior probability and
// by its success so far.
type margin struct {
	levels     []float64 // edges of the cells, from 0 to 1
	laws       []normalLaw
	histograms []*law
	weights    []float64 // probability of each law, then of each histogram, after the cells so far
	inside     []float64 // their probabilities of the present cell
}

// newMargin mixes the laws with histograms. The latter share a quarter of the prior, all
// of it if there are no laws.
func newMargin(levels []float64, laws []normalLaw, histograms []*law) *margin {
	m := &margin{levels: levels, laws: laws, histograms: histograms}
	for _, l := range laws {
		m.weights = append(m.weights, l.prior)
	}
	if sum := floats.Sum(m.weights); sum > 0 {
		floats.Scale(3/sum, m.weights)
	}
	for range histograms {
		m.weights = append(m.weights, 1/float64(len(histograms)))
	}
	floats.Scale(1/floats.Sum(m.weights), m.weights)
	m.inside = make([]float64, len(m.weights))
	return m
}

// leastShare is the share of the rank as it was in each stage of an engine, so that no
// cell has probability 0. It costs at most 0.0001 nats a value in each stage.
const leastShare = 1e-4

// predict returns the probabilities that the mixture predicts below the two edges of a
// cell: the recalibrated rank is between them.
func (m *margin) predict(cell int) (lo, hi float64) {
	for _, h := range m.histograms {
		h.predict()
	}
	return m.below(cell), m.below(cell + 1)
}

// below is the predicted probability below an edge.
func (m *margin) below(edge int) (sum float64) {
	for i, l := range m.laws {
		sum += m.weights[i] * l.below[edge]
	}
	for i, h := range m.histograms {
		sum += m.weights[len(m.laws)+i] * h.cdf(m.levels[edge])
	}
	return sum
}

// learn updates the weights and the histograms, after predict.
func (m *margin) learn(cell int) error {
	for i, l := range m.laws {
		m.inside[i] = l.inside[cell]
	}
	lo, hi := m.levels[cell], m.levels[cell+1]
	for i, h := range m.histograms {
		m.inside[len(m.laws)+i] = h.cdf(hi) - h.cdf(lo)
		if err := h.bettor.Observe(part(h.edges, (lo+hi)/2)); err != nil {
			return err
		}
	}
	reweigh(m.weights, m.inside, floats.Dot(m.weights, m.inside))
	return nil
}
