package token

import (
	"fmt"
	"math"
	"slices"
)

var uniformTokenizer = Tokenizer{
	Name: "uniform",
	Params: []Param{
		levelsParam,
		{
			"clip", 0, 0, 1000, false,
			"standard deviations from the mean at which samples are clipped; 0 clips at the extremes of the training samples",
		},
	},
	Summary: "equal steps over the range of the training samples, with clipping",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		if p["clip"] == 0 {
			return asQuantizer(FitUniform(x, p.whole("levels")))
		}
		return asQuantizer(FitClipped(x, p.whole("levels"), p["clip"]))
	},
}

// Uniform is the uniform quantiser of EE269 2026, “Tokenizing Continuous Signals via
// Quantization”: x is clipped to [low, high], and its token is
//
//	round((x − low)/Δ), Δ = (high − low)/(B − 1), in 0 … B−1.
//
// The lecture does not say how halves are rounded; here they go to the even token, as in
// the signals of package process. There are B points, from low to high. Inner cells are Δ
// wide, and the two outer cells are Δ/2 wide within [low, high]. For x within [low, high]
// the error is at most Δ/2.
//
// If Δ is large, the distortion can be larger than if every sample were decoded to the
// mean. For example, this is the case for Gaussian samples and two levels at their
// extremes.
type Uniform struct {
	low, high, width float64
	last             float64 // B−1
	levels           []int
	points           []float64
}

// FitUniform returns the uniform quantiser whose range is from the smallest to the
// largest sample of x. It uses no other property of x, so there may be more levels than
// samples.
func FitUniform(x []float64, levels int) (*Uniform, error) {
	if err := checkTraining("uniform", x); err != nil {
		return nil, err
	}
	return NewUniform(slices.Min(x), slices.Max(x), levels)
}

// FitClipped returns the uniform quantiser whose range reaches from `clip` standard
// deviations below the mean of x to `clip` standard deviations above it. For Gaussian
// samples the best clip is 0.80, 2.05 and 2.92 for one, three and five bits.
func FitClipped(x []float64, levels int, clip float64) (*Uniform, error) {
	if err := checkTraining("uniform", x); err != nil {
		return nil, err
	}
	if !(clip > 0 && clip <= 1000) {
		return nil, fmt.Errorf("uniform: clip = %g is outside (0, 1000]", clip)
	}
	mean, deviation := meanAndDeviation(x)
	return NewUniform(mean-float64(clip*deviation), mean+float64(clip*deviation), levels)
}

// NewUniform returns the uniform quantiser on [low, high] with the given number of levels
// B, from 2 to 65,536. It returns an error unless low < high and both are within ±1e150.
// It also returns an error if low and high are so close that float64 does not have B
// different points between them.
func NewUniform(low, high float64, levels int) (*Uniform, error) {
	const name = "uniform"
	if err := checkLevels(name, "levels", levels); err != nil {
		return nil, err
	}
	if !(usable(low) && usable(high) && low < high) {
		return nil, fmt.Errorf("%s: the range [%g, %g] is not valid: want low < high, both within ±%g",
			name, low, high, hugest)
	}
	u := &Uniform{low, high, high - low, float64(levels - 1), []int{levels}, make([]float64, levels)}
	for t := range u.points {
		u.points[t] = low + float64(float64(t)*u.width)/u.last
	}
	u.points[levels-1] = high
	if err := checkRoundTrip(name, u.token, u.points); err != nil {
		return nil, err
	}
	return u, nil
}

// token returns the token of a number.
func (u *Uniform) token(x float64) int32 {
	if x < u.low {
		x = u.low
	}
	if x > u.high {
		x = u.high
	}
	return int32(math.RoundToEven(float64((x-u.low)*u.last) / u.width))
}

// Step returns Δ.
func (u *Uniform) Step() float64 { return u.width / u.last }

// Points returns the decoded value of each token, low + tΔ. The caller must not modify
// it.
func (u *Uniform) Points() []float64 { return u.points }

// Thresholds returns the borders between tokens, low + (t + ½)Δ. A sample on a border
// gets the even one of the two tokens.
func (u *Uniform) Thresholds() []float64 { return midways(u.points) }

// Block returns 1.
func (u *Uniform) Block() int { return 1 }

// Levels returns one element, the number of tokens.
func (u *Uniform) Levels() []int { return u.levels }

// Encode appends the tokens of x; see [Quantizer].
func (u *Uniform) Encode(dst []int32, x []float64) ([]int32, error) {
	all, tokens := extend(dst, len(x))
	for i, v := range x {
		if !usable(v) {
			return dst, checkSamples("uniform", x)
		}
		tokens[i] = u.token(v)
	}
	return all, nil
}

// Decode appends the points of tokens; see [Quantizer].
func (u *Uniform) Decode(dst []float64, tokens []int32) ([]float64, error) {
	return decodeScalar("uniform", dst, tokens, u.points, u.levels)
}

// decodeScalar appends the points of tokens.
func decodeScalar(name string, dst []float64, tokens []int32, points []float64, levels []int) ([]float64, error) {
	all, decoded := extend(dst, len(tokens))
	for i, z := range tokens {
		if uint(z) >= uint(len(points)) {
			return dst, checkTokens(name, tokens, levels)
		}
		decoded[i] = points[z]
	}
	return all, nil
}
