package process

import (
	"fmt"
	"slices"

	"foretell/internal/portable"
)

const (
	longestDelay     = 1 << 10
	longestRecording = 1 << 20
	// leastSwing is the least difference of maximum and minimum for which a recording does
	// not count as constant.
	leastSwing = 1e-6
)

var mackeyGlassEntry = Entry{
	Name: "mackey_glass",
	Kind: "signal",
	Params: []Param{
		{"tau", 25.0, "[1, 1024]", "the delay, in steps; 25 is chaotic"},
		{"levels", 32.0, "[2, 1024]", "levels of the uniform quantiser, which are the tokens"},
		{"points", 10000.0, "[2, 1048576]", "length of the recording"},
		{"transient", 1000.0, "[0, 1048576]", "steps discarded before the recording"},
		{"beta", 0.3, "(0, 10]", "rate of production"},
		{"gamma", 0.1, "(0, 1]", "rate of decay"},
		{"start", 1.2, "(0, 2]", "x[0] and all earlier values; another value gives another recording"},
	},
	Summary: "windows of one recording of the Mackey–Glass delay equation, joined end to start, chaotic and " +
		"quantised: the next token depends on the one tau steps back",
	New: func(p Params) (Sampler, error) {
		const name = "mackey_glass"
		m := MackeyGlassParams{Beta: p.Number("beta"), Gamma: p.Number("gamma"), Start: p.Number("start")}
		for _, whole := range m.wholes() {
			var err error
			if *whole.value, err = p.Whole(name, whole.name, whole.low, whole.high); err != nil {
				return nil, err
			}
		}
		return asSampler(MackeyGlass(m))
	},
}

// MackeyGlassParams are the parameters of the signal; the catalogue has their ranges
// and defaults.
type MackeyGlassParams struct {
	Tau, Levels, Points, Transient int
	Beta, Gamma, Start             float64
}

// MackeyGlass returns Signal 2 of EE269 2026,
//
//	x[n+1] = x[n] + β·x[n−τ]/(1 + x[n−τ]¹⁰) − γ·x[n],
//
// recorded for the given number of points after a transient, and quantised uniformly
// between the smallest and the largest value recorded. EE269 uses τ = 25 (also 5 and
// 17), β = 0.3, γ = 0.1 and 32 levels. It does not say how long its recording is, how
// it begins, or which range the quantiser has; here x[n] = start for n ≤ 0, and the
// other choices are the parameters' defaults.
//
// The optimal predictor has memorised the recording; see [Ring] for the consequences
// for the floors. With the defaults the floors at positions 1 to 3 agree with the
// floors for a million points to 2 %; from position 9 on they are less than half as
// large. They therefore fall to nearly zero even before a window holds x[n−τ], although
// EE269 says that a model needs it. The bits of x are the same on every architecture.
// This is necessary, because the signal is chaotic: the smallest difference would lead
// to another recording.
//
// MackeyGlass returns an error if a parameter is out of its range, or if the signal
// becomes constant.
func MackeyGlass(p MackeyGlassParams) (*Ring, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	x := p.trajectory()
	low, high := slices.Min(x), slices.Max(x)
	if high-low < leastSwing {
		return nil, fmt.Errorf("mackey_glass: the signal is constant at %.4g after the transient, "+
			"so there is nothing to quantise; give a larger tau or beta", low)
	}
	record := make([]int32, len(x))
	for n, v := range x {
		record[n] = int32(quantise(v, low, high, p.Levels))
	}
	r := newRing("mackey_glass", numbers(p.Levels), record)
	r.levels = levelsOf(low, high, p.Levels)
	return r, nil
}

// wholeParam is a parameter that is a whole number, with its range.
type wholeParam struct {
	name      string
	value     *int
	low, high int
}

func (p *MackeyGlassParams) wholes() []wholeParam {
	return []wholeParam{
		{"tau", &p.Tau, 1, longestDelay},
		{"levels", &p.Levels, 2, mostLevels},
		{"points", &p.Points, 2, longestRecording},
		{"transient", &p.Transient, 0, longestRecording},
	}
}

func (p MackeyGlassParams) check() error {
	for _, whole := range p.wholes() {
		if *whole.value < whole.low || *whole.value > whole.high {
			return fmt.Errorf("mackey_glass: %s = %d is outside [%d, %d]",
				whole.name, *whole.value, whole.low, whole.high)
		}
	}
	for _, number := range []struct {
		name        string
		value, high float64
	}{{"beta", p.Beta, 10}, {"gamma", p.Gamma, 1}, {"start", p.Start, 2}} {
		if !(number.value > 0 && number.value <= number.high) {
			return fmt.Errorf("mackey_glass: %s = %g is outside (0, %g]", number.name, number.value, number.high)
		}
	}
	return nil
}

// trajectory returns x[n] for n = transient … transient+points−1.
func (p MackeyGlassParams) trajectory() []float64 {
	x := make([]float64, p.Tau+p.Transient+p.Points) // [τ+n]: x[n], from x[−τ]
	for n := range x {
		if n <= p.Tau {
			x[n] = p.Start
			continue
		}
		now, delayed := x[n-1], x[n-1-p.Tau]
		produced := float64(p.Beta*delayed) / (1 + portable.Power(delayed, 10))
		x[n] = now + produced - float64(p.Gamma*now)
	}
	return x[p.Tau+p.Transient:]
}
