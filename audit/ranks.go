package audit

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"foretell/internal/random"
)

// Ranks are where outcomes fell among what was forecast, one a step, in the order of
// time: 0 is below all that was thought possible, 0.5 is the median, 1 is above all. Each
// is known up to a cell, an interval between two levels.
type Ranks struct {
	levels     []float64 // edges of the cells, from 0 to 1
	cells      []int     // the cell of each rank; −1 is missing
	histograms [][]float64
	histogram  Histogram
	hypothesis string
	errors     []float64 // nil unless the ranks are of errors among earlier errors
	seed       uint64    // orders equal errors
}

// Histogram counts ranks. Under the hypothesis, each count is near the expected one.
type Histogram struct {
	Edges    []float64 `json:"edges"`    // of the intervals, from 0 to 1
	Counts   []int     `json:"counts"`   // of ranks in each interval
	Expected []float64 `json:"expected"` // what Counts are on average if the forecasts are right
}

// FromDistributions takes the ranks of outcomes among full forecast distributions: the
// forecast probability of a value that is at most the outcome (the probability integral
// transform). NaN is a missing outcome. It returns a one-line error if a rank is outside
// [0, 1].
func FromDistributions(ranks []float64) (*Ranks, error) {
	r := fine("the forecasts are right: given the past, the rank of an outcome among what was forecast is uniform")
	for i, u := range ranks {
		if u < 0 || u > 1 {
			return nil, fmt.Errorf("audit: rank %g in row %d: want 0 to 1", u, i+1)
		}
		r.add(u)
	}
	return r, nil
}

// FromQuantiles takes forecasts that are quantiles. levels are their probabilities, such
// as 0.1 … 0.9, increasing and between 0 and 1; forecasts[t] are the quantiles for
// outcomes[t]. NaN is a missing outcome. An outcome that equals a quantile counts as
// below it. It returns a one-line error if there are fewer than two levels, or if the
// quantiles of a row are not numbers that increase.
func FromQuantiles(levels []float64, forecasts [][]float64, outcomes []float64) (*Ranks, error) {
	if len(levels) < 2 {
		return nil, fmt.Errorf("audit: %d quantiles: want at least 2", len(levels))
	}
	edges := slices.Concat([]float64{0}, levels, []float64{1})
	for i := range levels {
		if !(edges[i+1] > edges[i]) || !(levels[i] < 1) {
			return nil, fmt.Errorf("audit: quantile levels %g: want increasing ones between 0 and 1", levels)
		}
	}
	if len(forecasts) != len(outcomes) {
		return nil, fmt.Errorf("audit: %d rows of forecasts for %d outcomes", len(forecasts), len(outcomes))
	}
	r := &Ranks{levels: edges, histograms: coarser(edges)}
	r.hypothesis = "the quantiles are right: given the past, an outcome falls between two of them " +
		"with the probability that their levels state"
	r.histogram = newHistogram(edges)
	for t, row := range forecasts {
		if err := checkRow(t, levels, row, outcomes[t]); err != nil {
			return nil, err
		}
		if math.IsNaN(outcomes[t]) {
			r.add(outcomes[t])
			continue
		}
		cell := sort.SearchFloat64s(row, outcomes[t])
		r.add((edges[cell] + edges[cell+1]) / 2)
	}
	return r, nil
}

// coarser returns the edges of all cells and, if these are more than three, of pairs.
func coarser(edges []float64) [][]float64 {
	if len(edges) < 5 {
		return [][]float64{edges}
	}
	var pairs []float64
	for i := 0; i < len(edges)-1; i += 2 {
		pairs = append(pairs, edges[i])
	}
	return [][]float64{edges, append(pairs, 1)}
}

// checkRow returns a one-line error unless the quantiles of row t increase.
func checkRow(t int, levels, row []float64, outcome float64) error {
	if len(row) != len(levels) {
		return fmt.Errorf("audit: row %d has %d quantiles: want %d", t+1, len(row), len(levels))
	}
	name := func(i int) string { return fmt.Sprintf("q%.4g", 100*levels[i]) }
	for i, q := range row {
		if math.IsNaN(q) || math.IsInf(q, 0) {
			return fmt.Errorf("audit: row %d: %s is %g: want a number", t+1, name(i), q)
		}
		if i > 0 && !(q > row[i-1]) {
			return fmt.Errorf("audit: row %d: %s is %g and %s is %g: quantiles must increase",
				t+1, name(i-1), row[i-1], name(i), q)
		}
	}
	return checkOutcome(t, outcome)
}

func checkOutcome(t int, outcome float64) error {
	if math.IsInf(outcome, 0) {
		return fmt.Errorf("audit: row %d: the outcome is %g: want a number, or NaN if it is missing", t+1, outcome)
	}
	return nil
}

// FromPoints takes forecasts that are single numbers. They state no uncertainty, so the
// hypothesis is weaker: the errors, outcomes minus forecasts, are exchangeable, which
// means that every order of them has the same probability. The rank of an error is its
// place among the errors so far; equal ones are ordered at random, and so is each within
// its place, by numbers that depend on seed and row alone. Such ranks are uniform and
// independent (Vovk, Gammerman & Shafer 2022). They cannot show an error that is always
// the same. NaN is a missing outcome. It returns a one-line error if a forecast is not a
// number.
func FromPoints(forecasts, outcomes []float64, seed uint64) (*Ranks, error) {
	if len(forecasts) != len(outcomes) {
		return nil, fmt.Errorf("audit: %d forecasts for %d outcomes", len(forecasts), len(outcomes))
	}
	errors := make([]float64, len(outcomes))
	for t, forecast := range forecasts {
		if math.IsNaN(forecast) || math.IsInf(forecast, 0) {
			return nil, fmt.Errorf("audit: row %d: the forecast is %g: want a number", t+1, forecast)
		}
		if err := checkOutcome(t, outcomes[t]); err != nil {
			return nil, err
		}
		errors[t] = outcomes[t] - forecast
	}
	return ranked(errors, seed, 1), nil
}

// ranked returns the ranks of errors, each among the earlier errors whose distance in
// rows is a multiple of h.
func ranked(errors []float64, seed uint64, h int) *Ranks {
	r := fine("the errors are exchangeable: every order of them has the same probability")
	r.errors, r.seed = errors, seed
	ranks := make([]float64, len(errors))
	for start := range h {
		conformal(ranks, errors, seed, start, h)
	}
	for _, u := range ranks {
		r.add(u)
	}
	return r
}

// conformal sets the ranks of errors[start], errors[start+h] … among the earlier of them;
// NaN for NaN.
func conformal(ranks, errors []float64, seed uint64, start, h int) {
	var sorted []float64
	for t := start; t < len(errors); t += h {
		if !math.IsNaN(errors[t]) {
			sorted = append(sorted, errors[t])
		}
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	counts := make([]int, len(sorted)+1) // a Fenwick tree over sorted
	upTo := func(i int) (n int) {        // the number of errors so far among the first i of sorted
		for ; i > 0; i &= i - 1 {
			n += counts[i]
		}
		return n
	}
	seen := 0
	for t := start; t < len(errors); t += h {
		if ranks[t] = math.NaN(); math.IsNaN(errors[t]) {
			continue
		}
		place := sort.SearchFloat64s(sorted, errors[t])
		less := upTo(place)
		equal := upTo(place+1) - less + 1
		seen++
		v := random.New(seed, "audit/ties", uint64(t)).Float64()
		ranks[t] = (float64(less) + v*float64(equal)) / float64(seen)
		for i := place + 1; i < len(counts); i += i & -i {
			counts[i]++
		}
	}
}

// fine returns no ranks yet, in cells of 1/32 that are halved five times towards 0 and 1,
// where forecasts that are too narrow put many outcomes.
func fine(hypothesis string) *Ranks {
	const inner, halvings = 32, 5
	r := &Ranks{levels: []float64{0}, hypothesis: hypothesis, histogram: newHistogram(equalParts(10))}
	for i := halvings; i > 0; i-- {
		r.levels = append(r.levels, math.Ldexp(1./inner, -i))
	}
	r.levels = append(r.levels, equalParts(inner)[1:inner]...)
	for i := range halvings {
		r.levels = append(r.levels, 1-math.Ldexp(1./inner, -i-1))
	}
	r.levels = append(r.levels, 1)
	r.histograms = [][]float64{equalParts(4), equalParts(8), equalParts(16)}
	return r
}

// equalParts returns the edges of n equal parts of [0, 1].
func equalParts(n int) []float64 {
	edges := make([]float64, n+1)
	for i := range edges {
		edges[i] = float64(i) / float64(n)
	}
	return edges
}

func newHistogram(edges []float64) Histogram {
	return Histogram{edges, make([]int, len(edges)-1), make([]float64, len(edges)-1)}
}

// add appends a rank; NaN is missing.
func (r *Ranks) add(u float64) {
	if math.IsNaN(u) {
		r.cells = append(r.cells, -1)
		return
	}
	r.cells = append(r.cells, part(r.levels, u))
	h := &r.histogram
	h.Counts[part(h.Edges, u)]++
	for i := range h.Expected {
		h.Expected[i] += h.Edges[i+1] - h.Edges[i]
	}
}

// part is the index of the part of [0, 1] between edges that u is in. It belongs to the
// part above an edge, 1 to the last.
func part(edges []float64, u float64) int {
	above := sort.Search(len(edges), func(i int) bool { return edges[i] > u })
	return min(above, len(edges)-1) - 1
}
