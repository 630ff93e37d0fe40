package token

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

const (
	// mostLevels is the largest number of levels of a scalar quantiser, and of codewords of
	// a vector quantiser.
	mostLevels = 1 << 16
	// hugest is the largest magnitude of a sample; its square is still finite.
	hugest = 1e150
)

// Quantizer maps blocks of samples to tokens and back.
type Quantizer interface {
	// Block returns the number of samples that are encoded together, 1 for scalar
	// quantisers.
	Block() int
	// Levels returns the alphabet size of each token of a block, in order: token i of a
	// block is in 0 … Levels()[i]−1. The caller must not modify it.
	Levels() []int
	// Encode appends the tokens of x to dst: len(Levels()) tokens for each block. It returns
	// an error, and dst unchanged, if len(x) is not a multiple of Block() or a sample is
	// NaN, infinite or beyond ±1e150.
	Encode(dst []int32, x []float64) ([]int32, error)
	// Decode decodes the tokens and appends the samples to dst: Block() samples for each
	// len(Levels()) tokens. It returns an error, and dst unchanged, if len(tokens) is not a
	// multiple of len(Levels()) or a token is not in its alphabet.
	Decode(dst []float64, tokens []int32) ([]float64, error)
}

// Rate returns the bits per sample that a quantiser's tokens need with a fixed-length
// code, Σ log₂(Levels)/Block.
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

// EntropyRate returns the bits per sample that the given tokens of q need with an ideal
// code. Each position in a block has its own code for the frequencies of its tokens. The
// rate is Σ H/Block, where H is the entropy at one position in bits; it is at most
// [Rate]. It ignores the dependence between neighbouring tokens. It returns an error if
// there are no tokens, or if q cannot decode them.
func EntropyRate(q Quantizer, tokens []int32) (float64, error) {
	levels := q.Levels()
	if len(tokens) == 0 {
		return 0, fmt.Errorf("entropy rate: no tokens were given: want at least one block")
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

// Distortion returns the mean squared error of x after encoding and decoding, in squared
// units of x. It returns the errors of Encode, and an error if there are no samples.
func Distortion(q Quantizer, x []float64) (float64, error) {
	if len(x) == 0 {
		return 0, fmt.Errorf("distortion: no samples were given: want at least one block")
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

// meanAndDeviation returns the mean and the standard deviation of x.
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

// extend returns dst with n more elements, and the slice of the added elements.
func extend[T int32 | float64](dst []T, n int) (all, added []T) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	return all, all[len(dst):]
}

// usable reports whether a sample can be encoded or used for fitting. It is false for
// NaN.
func usable(x float64) bool { return x >= -hugest && x <= hugest }

// checkSamples returns an error for the first sample of x that is not usable.
func checkSamples(name string, x []float64) error {
	for i, v := range x {
		if !usable(v) {
			return fmt.Errorf("%s: sample %d is %g: want numbers within ±%g", name, i, v, hugest)
		}
	}
	return nil
}

// checkBlocks returns an error unless n samples are whole blocks.
func checkBlocks(name string, n, block int) error {
	if n%block != 0 {
		return fmt.Errorf("%s: %d samples cannot be divided into blocks of %d", name, n, block)
	}
	return nil
}

// checkTokens returns an error for the first token that is not in its alphabet, or if the
// tokens are not whole blocks.
func checkTokens(name string, tokens []int32, levels []int) error {
	if len(tokens)%len(levels) != 0 {
		return fmt.Errorf("%s: %d tokens cannot be divided into blocks of %d tokens", name, len(tokens), len(levels))
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

// checkTraining returns an error if a quantiser cannot be fitted on x, because x is
// empty, has an unusable sample, or has only equal or nearly equal samples.
func checkTraining(name string, x []float64) error {
	if len(x) == 0 {
		return fmt.Errorf("%s: no samples were given to fit the quantiser on", name)
	}
	if err := checkSamples(name, x); err != nil {
		return err
	}
	low, high := slices.Min(x), slices.Max(x)
	if low == high {
		return fmt.Errorf("%s: every sample is %g: want a signal that changes", name, low)
	}
	if high-low < 1/hugest {
		return fmt.Errorf("%s: the samples differ by %g: want at least %g", name, high-low, 1/hugest)
	}
	return nil
}

func checkLevels(name, what string, levels int) error {
	if levels < 2 || levels > mostLevels {
		return fmt.Errorf("%s: %s = %d is outside [2, %d]", name, what, levels, mostLevels)
	}
	return nil
}

// checkRoundTrip returns an error unless the point of each token of a scalar quantiser is
// encoded as that token. It is encoded as another token if float64 has too few numbers in
// the range.
func checkRoundTrip(name string, token func(x float64) int32, points []float64) error {
	for t, point := range points {
		if token(point) != int32(t) {
			return fmt.Errorf("%s: float64 cannot distinguish %d levels between %g and %g: "+
				"want fewer levels or a wider range",
				name, len(points), points[0], points[len(points)-1])
		}
	}
	return nil
}
