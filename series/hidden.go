package series

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"foretell/fit"
	"foretell/process"
)

// HiddenMarkov forecasts the cell of the next value by a hidden Markov model whose states
// emit cells ([fit.States]). It is fitted by Baum–Welch to the longest stretch of the
// past without a missing value, or to the last 20,000 values of it. With a missing value
// its belief moves on without learning.
type HiddenMarkov struct {
	// States is their number; 0 chooses 1 to 6 by the likelihood of the last fifth.
	States int
	// Seed is the seed of the random starts.
	Seed uint64
}

const (
	mostFitted = 20_000 // values that Baum–Welch learns from
	mostStates = 6      // largest number of states that is tried
	fewStarts  = 4      // random starts for each number of states, in a comparison
	manyStarts = 10     // random starts for each number of states, for the whole series
	mostPasses = 300    // of Baum–Welch from one start
)

// Name returns "hidden Markov".
func (HiddenMarkov) Name() string { return "hidden Markov" }

// Fit returns an error if there are fewer values than parameters.
func (f HiddenMarkov) Fit(ctx context.Context, past Past) (Model, error) {
	r, err := f.fit(ctx, past, fit.Stationary, fewStarts)
	if err != nil {
		return nil, err
	}
	m := newFiltered(r.HMM, past.Cells)
	for _, x := range past.Values {
		m.Observe(x)
	}
	return m, nil
}

// fit fits the model to the past.
func (f HiddenMarkov) fit(
	ctx context.Context, past Past, start fit.Start, starts int,
) (*fit.Result, error) {
	record := longestRecord(past)
	record = record[max(0, len(record)-mostFitted):]
	names := make([]string, past.Cells.Levels()[0])
	for z := range names {
		names[z] = strconv.Itoa(z)
	}
	o := fit.Options{
		Name: "series", Emission: fit.States, Start: start, Starts: starts, Seed: f.Seed, Steps: mostPasses,
	}
	if f.States > 0 {
		return fit.HMM(ctx, record, names, f.States, o)
	}
	held := max(1, len(record)/5)
	most := statesFor(len(record)-held, len(names))
	if most == 0 {
		return nil, fmt.Errorf("%s: %d values without a gap are too few for %d cells",
			f.Name(), len(record), len(names))
	}
	c, err := fit.Choose(ctx, record, names, most, held, o)
	if err != nil {
		return nil, err
	}
	return c.Fit, nil
}

// statesFor returns the largest number of states, up to [mostStates], whose model has at
// most one parameter for two values.
func statesFor(values, cells int) int {
	k := mostStates
	for k > 0 && 2*(k*(k-1)+k*(cells-1)+k-1) > values {
		k--
	}
	return k
}

// longestRecord returns the cells of the longest stretch without a missing value.
func longestRecord(past Past) (longest []int32) {
	var run []int32
	for _, x := range past.Values {
		if math.IsNaN(x) {
			run = nil
			continue
		}
		cell, _, _ := past.Cells.cell(x)
		if run = append(run, int32(cell)); len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

// filtered is a hidden Markov model with its belief.
type filtered struct {
	hmm    *process.HMM
	cells  *Cells
	matrix [][]float64 // T^z, row-major
	net    []float64   // Σ_z T^z, row-major
	belief []float64
	spare  []float64
}

func newFiltered(hmm *process.HMM, cells *Cells) *filtered {
	m := &filtered{hmm: hmm, cells: cells, net: hmm.NetTransition(), belief: hmm.Stationary()}
	for z := range hmm.Alphabet() {
		m.matrix = append(m.matrix, hmm.Transition(z))
	}
	m.spare = make([]float64, len(m.belief))
	return m
}

func (m *filtered) Name() string { return fmt.Sprintf("hidden Markov(%d)", len(m.belief)) }

// Observe updates the belief. After a value that is impossible for the model, the belief
// is the stationary distribution again.
func (m *filtered) Observe(x float64) {
	matrix := m.net
	if !math.IsNaN(x) {
		cell, _, _ := m.cells.cell(x)
		matrix = m.matrix[cell]
	}
	if !move(m.spare, m.belief, matrix) {
		copy(m.spare, m.hmm.Stationary())
	}
	m.belief, m.spare = m.spare, m.belief
}

// move sets next to the normalised product of a belief and a matrix. It reports whether
// the product is positive.
func move(next, belief, matrix []float64) bool {
	n, sum := len(belief), 0.0
	for j := range next {
		next[j] = 0
		for i, p := range belief {
			next[j] += p * matrix[i*n+j]
		}
		sum += next[j]
	}
	if !(sum > 0) {
		return false
	}
	for j := range next {
		next[j] /= sum
	}
	return true
}

func (m *filtered) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	belief, next := append([]float64(nil), m.belief...), make([]float64, len(m.belief))
	for k := range all {
		all[k] = m.cells.Distribution(m.hmm.Next(belief))
		if !move(next, belief, m.net) {
			break
		}
		belief, next = next, belief
	}
	return all
}
