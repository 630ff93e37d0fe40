package process

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

const (
	longestSine = 512
	// mostLevels bounds the levels of a quantised signal.
	mostLevels = 1 << 10
)

var sineEntry = Entry{
	Name: "sine",
	Kind: "signal",
	Params: []Param{
		{"period", 16.0, "[1, 512]", "number of samples in one period"},
		{"levels", 32.0, "[2, 1024]", "levels of the uniform quantiser, which are the tokens"},
	},
	Summary: "a sine wave, quantised uniformly, from any phase: one period of context is enough to predict the rest",
	New: func(p Params) (Sampler, error) {
		period, err := p.Whole("sine", "period", 1, longestSine)
		if err != nil {
			return nil, err
		}
		levels, err := p.Whole("sine", "levels", 2, mostLevels)
		if err != nil {
			return nil, err
		}
		return asSampler(Sine(period, levels))
	},
}

// Sine returns Signal 1 of EE269 2026, x[n] = sin(2πn/period), quantised uniformly over
// [−1, 1] to the given number of levels. State k precedes sample k of the period,
// counted from x[0] = 0. EE269 does not say where a sequence begins; here it begins at
// each of the samples with equal probability.
//
// Tokens are 0 … levels−1, including levels that no sample takes (23 of EE269's 32). If
// the number of levels is even, two levels are equally near to x = 0, and the even one is
// taken: 16 of 32, as in EE269's list. (The sine here is 0 at half a period to the last
// bit. math.Sin of 2πn/16 for growing n would sometimes give 15.)
//
// Sine returns an error if period is outside [1, 512], if levels is outside [2, 1024], or
// if the matrices have more than 16,777,216 entries.
func Sine(period, levels int) (*HMM, error) {
	const name = "sine"
	switch {
	case period < 1 || period > longestSine:
		return nil, fmt.Errorf("sine: period = %d is outside [1, %d]", period, longestSine)
	case levels < 2 || levels > mostLevels:
		return nil, fmt.Errorf("sine: levels = %d is outside [2, %d]", levels, mostLevels)
	}
	if err := checkSize(name, period, levels); err != nil {
		return nil, err
	}
	matrices := make([][][]float64, levels)
	for z := range matrices {
		matrices[z] = zeros(period)
	}
	for k := range period {
		matrices[quantise(sineAt(k, period), -1, 1, levels)][k][(k+1)%period] = 1
	}
	h, err := New(name, numbers(levels), numbers(period), matrices)
	if err != nil {
		return nil, err
	}
	h.levels = levelsOf(-1, 1, levels)
	return h.withParams(map[string]float64{"period": float64(period), "levels": float64(levels)}), nil
}

// sineAt returns sin(2πk/period) for 0 ≤ k < period. It computes all values from the
// first quarter, so samples that are mathematically equal are equal to the last bit.
func sineAt(k, period int) float64 {
	quarter, rest := 4*k/period, 4*k%period
	if quarter%2 == 1 {
		rest = period - rest
	}
	sine, _ := portable.Sincos(float64(math.Pi/2*float64(rest)) / float64(period))
	if quarter >= 2 {
		return -sine
	}
	return sine
}

// quantise returns the token of x, low ≤ x ≤ high, by the uniform quantiser of EE269
// 2026, round((x − low)/Δ) with Δ = (high − low)/(levels − 1), in 0 … levels−1. Halves
// are rounded to the even token.
func quantise(x, low, high float64, levels int) int {
	return int(math.RoundToEven(float64((x-low)*float64(levels-1)) / (high - low)))
}

// levelsOf returns the values that [quantise] rounds to, by token.
func levelsOf(low, high float64, levels int) []float64 {
	list := make([]float64, levels)
	for z := range list {
		list[z] = low + float64((high-low)*float64(z))/float64(levels-1)
	}
	return list
}

// Levels returns the values of the tokens of a sine, noisy or not, in [−1, 1], or nil
// for any other HMM.
func (h *HMM) Levels() []float64 { return slices.Clone(h.levels) }
