package token

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

const (
	// mostLevels bounds the levels of a scalar quantiser and the codewords of a vector one.
	mostLevels = 1 << 16
	// hugest bounds samples: finite numbers whose squares are finite, too.
	hugest = 1e150
)

// Quantizer maps blocks of samples to tokens and back, as it was fitted.
type Quantizer interface {
	// Block is the number of samples that are encoded together, 1 for scalar quantisers.
	Block() int
	// Levels has the alphabet of each token of a block, in order: token i of a block is
	// in 0 … Levels()[i]−1. The caller must not change it.
	Levels() []int
	// Encode appends the tokens of x to dst, len(Levels()) for each block. It is an error,
	// and dst is returned as it was, when len(x) is no multiple of Block or a sample is
	// NaN, infinite or beyond ±1e150.
	Encode(dst []int32, x []float64) ([]int32, error)
	// Decode appends the samples that stand for tokens to dst, Block() for each
	// len(Levels()) tokens. It is an error, and dst is returned as it was, when
	// len(tokens) is no multiple of len(Levels()) or a token is not in its alphabet.
	Decode(dst []float64, tokens []int32) ([]float64, error)
}

// Rate returns the bits a sample of a quantiser's tokens, Σ log₂(Levels)/Block: what they
// take when each token of an alphabet takes the same space.
func Rate(q Quantizer) float64 {
	bits := 0.0
	for _, levels := range q.Levels() {
		bits += log2(levels)
	}
	return bits / float64(q.Block())
}

// log2 returns the binary logarithm of n ≥ 1, exact for powers of two.
func log2(n int) float64 {
	fraction, exponent := math.Frexp(float64(n))
	return portable.Log(2*fraction)/math.Ln2 + float64(exponent-1)
}

// EntropyRate returns the bits a sample of tokens of q when each is coded by the
// frequencies of its place in a block, Σ H/Block: at most [Rate]. It says nothing of what
// neighbouring tokens tell of each other. Tokens that q cannot decode are an error, and
// so are none.
func EntropyRate(q Quantizer, tokens []int32) (float64, error) {
	levels := q.Levels()
	if len(tokens) == 0 {
		return 0, fmt.Errorf("entropy rate: no tokens were given")
	}
	if err := checkTokens("entropy rate", tokens, levels); err != nil {
		return 0, err
	}
	bits, blocks := 0.0, float64(len(tokens)/len(levels))
	for place, alphabet := range levels {
		frequencies := make([]float64, alphabet)
		for at := place; at < len(tokens); at += len(levels) {
			frequencies[tokens[at]]++
		}
		for t := range frequencies {
			frequencies[t] /= blocks
		}
		bits += portable.Entropy(frequencies) / math.Ln2
	}
	return bits / float64(q.Block()), nil
}

// Distortion returns the mean squared error of x encoded and decoded, in squared units of
// x. Its errors are those of Encode; no samples are an error, too.
func Distortion(q Quantizer, x []float64) (float64, error) {
	if len(x) == 0 {
		return 0, fmt.Errorf("distortion: no samples were given")
	}
	tokens, err := q.Encode(nil, x)
	if err != nil {
		return 0, err
	}
	decoded, err := q.Decode(nil, tokens)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, v := range x {
		sum += square(v - decoded[i])
	}
	return sum / float64(len(x)), nil
}

func square(x float64) float64 { return float64(x * x) }

// meanAndDeviation returns the mean of x and the root of its mean squared distance from
// it.
func meanAndDeviation(x []float64) (mean, deviation float64) {
	n, sum := float64(len(x)), 0.0
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		sum += square(v-mean) / n
	}
	return mean, math.Sqrt(sum)
}

// extend returns dst with n more elements, and these elements.
func extend[T int32 | float64](dst []T, n int) (all, added []T) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	return all, all[len(dst):]
}

// usable says whether a sample may be encoded and learned from; it is false for NaN.
func usable(x float64) bool { return x >= -hugest && x <= hugest }

// checkSamples says which sample of x is not usable.
func checkSamples(name string, x []float64) error {
	for i, v := range x {
		if !usable(v) {
			return fmt.Errorf("%s: sample %d is %g: want numbers within ±%g", name, i, v, hugest)
		}
	}
	return nil
}

// checkBlocks says whether n samples are blocks.
func checkBlocks(name string, n, block int) error {
	if n%block != 0 {
		return fmt.Errorf("%s: %d samples are no whole number of blocks of %d", name, n, block)
	}
	return nil
}

// checkTokens says which token is not in its alphabet.
func checkTokens(name string, tokens []int32, levels []int) error {
	if len(tokens)%len(levels) != 0 {
		return fmt.Errorf("%s: %d tokens are no whole number of blocks of %d tokens", name, len(tokens), len(levels))
	}
	place := 0
	for i, z := range tokens {
		if z < 0 || int(z) >= levels[place] {
			return fmt.Errorf("%s: token %d is %d: want 0 to %d", name, i, z, levels[place]-1)
		}
		if place++; place == len(levels) {
			place = 0
		}
	}
	return nil
}

// checkTraining says what is wrong with samples to fit a quantiser on: none, unusable
// ones, all of them the same or next to it.
func checkTraining(name string, x []float64) error {
	if len(x) == 0 {
		return fmt.Errorf("%s: no samples were given to fit the quantiser on", name)
	}
	if err := checkSamples(name, x); err != nil {
		return err
	}
	low, high := slices.Min(x), slices.Max(x)
	if low == high {
		return fmt.Errorf("%s: every sample is %g: a quantiser is fitted on a signal that changes", name, low)
	}
	if high-low < 1/hugest {
		return fmt.Errorf("%s: the samples differ by %g: want %g at least", name, high-low, 1/hugest)
	}
	return nil
}

func checkLevels(name, what string, levels int) error {
	if levels < 2 || levels > mostLevels {
		return fmt.Errorf("%s: %s = %d is outside [2, %d]", name, what, levels, mostLevels)
	}
	return nil
}

// checkRoundTrip says whether each token of a scalar quantiser is the token of its own
// point, which fails where float64 has too few numbers in its range.
func checkRoundTrip(name string, token func(x float64) int32, points []float64) error {
	for t, point := range points {
		if token(point) != int32(t) {
			return fmt.Errorf("%s: float64 does not tell %d levels between %g and %g apart: want fewer levels or a wider range",
				name, len(points), points[0], points[len(points)-1])
		}
	}
	return nil
}
