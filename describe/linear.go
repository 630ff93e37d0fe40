package describe

import (
	"context"

	"foretell/probe"
	"foretell/process"
	"foretell/theory"
)

const (
	filteredWords = 100_000 // largest number of sequences over which the filter is compared with the belief
	summedWords   = 2_500   // largest number of sequences whose geometric sums are decoded to beliefs
	fewestSummed  = 4       // smallest length of the sequences whose geometric sums are decoded
	sumsDegree    = 3       // degree of the polynomial that decodes the sums, see [theory.GeometricSums]
	mostHeadFits  = 3       // largest number of heads whose fit is computed
)

// Linear describes how well the belief is approximated by a sum over the tokens seen, in
// which each term is a function of position and token; see [theory.LinearFilter].
type Linear struct {
	Steady     *SteadyLinear     `json:"steady,omitempty"`
	NoSteady   string            `json:"no_steady,omitempty"` // why Steady is nil
	ByPosition []theory.LinearR2 `json:"by_position"`         // at each of the first positions, at most 10
	// Heads describes how well 0, 1, … heads, fewer than the constrained beliefs need, can
	// approximate these beliefs over 10 positions; see [theory.HeadsR2].
	Heads []theory.HeadsR2 `json:"heads,omitempty"`
	// Geometric lists, for a linear and a cubic decoder, the decay rate of the geometric sum
	// of tokens that the decoder maps best to the belief; see [theory.GeometricSums].
	Geometric []Geometric `json:"geometric,omitempty"`
}

// SteadyLinear is the filter long after the start, see [theory.SteadyFilter].
type SteadyLinear struct {
	Position int              `json:"position"` // from this position on, the filter no longer changes
	Decays   [][2]float64     `json:"decays"`   // real and imaginary part of each decay
	Gain     [][]float64      `json:"gain"`     // [token][state]
	Transfer [][]float64      `json:"transfer"` // [state][state]
	R2       *theory.LinearR2 `json:"r2,omitempty"`
	NoR2     string           `json:"no_r2,omitempty"` // reason why R2 is nil
}

// Geometric describes how well a decoder maps a geometric sum of tokens to the belief;
// see [theory.GeometricReading].
type Geometric struct {
	Degree int     `json:"degree"` // degree of the polynomial that decodes the sum
	Length int     `json:"length"` // length of the sequences
	Decay  float64 `json:"decay"`
	R2     float64 `json:"r2"`
}

// addLinear adds the linear filter of the belief if the process has one.
func (d *Description) addLinear(ctx context.Context, p process.Process) {
	h, ok := p.(*process.HMM)
	if !ok {
		return
	}
	layer := theory.Of(h)
	filter := layer.LinearFilter()
	byPosition, err := filter.R2(ctx, max(1, probe.LongestWords(p, filteredWords, attendedPositions)))
	if err != nil {
		d.LinearError = err.Error()
		return
	}
	d.Linear = &Linear{ByPosition: byPosition}
	d.Linear.addSteady(ctx, filter)
	if d.Spectrum != nil { // else the number of heads is not known
		d.Linear.addHeads(ctx, layer, d.Spectrum.Heads.Belief)
	}
	d.Linear.addGeometric(ctx, layer, p.Alphabet())
}

// addSteady adds the filter long after the start, or the reason why there is no limit.
func (d *Linear) addSteady(ctx context.Context, filter *theory.LinearFilter) {
	steady, err := filter.Steady(ctx)
	if err != nil {
		d.NoSteady = err.Error()
		return
	}
	n := 1
	for n*n < len(steady.Transfer) {
		n++
	}
	d.Steady = &SteadyLinear{
		Position: steady.Position, Decays: [][2]float64{},
		Gain: square(steady.Gain, n), Transfer: square(steady.Transfer, n),
	}
	for _, decay := range steady.Decays {
		d.Steady.Decays = append(d.Steady.Decays, [2]float64{real(decay), imag(decay)})
	}
	r2, err := filter.SteadyR2(ctx)
	if err != nil {
		d.Steady.NoR2 = err.Error()
		return
	}
	d.Steady.R2 = &r2
}

// addHeads adds the fits of fewer heads than the constrained beliefs need, at most three
// heads, unless that is too much work. needed is the number that they need.
func (d *Linear) addHeads(ctx context.Context, layer *theory.Layer, needed int) {
	found, err := layer.HeadsR2(ctx, attendedPositions, min(needed-1, mostHeadFits))
	if err == nil { // else no heads are needed, or too many
		d.Heads = found
	}
}

// addGeometric adds the decay rate of the geometric sum that decodes best to the belief:
// once for a linear decoder, and once for a polynomial of degree 3, beyond which the fit
// hardly improves. It adds nothing if the alphabet is so large that there are too many
// sequences.
func (d *Linear) addGeometric(ctx context.Context, layer *theory.Layer, alphabet int) {
	length := 1
	for words := alphabet * alphabet; words <= summedWords && length < attendedPositions; words *= alphabet {
		length++
	}
	if length < fewestSummed {
		return
	}
	for _, degree := range []int{1, sumsDegree} {
		sums, err := layer.GeometricSums(ctx, length, degree)
		if err != nil {
			return
		}
		best, err := sums.Best(ctx)
		if err != nil {
			return
		}
		d.Geometric = append(d.Geometric, Geometric{degree, length, best.Decay, best.R2})
	}
}
