package token

import (
	"fmt"
	"slices"
)

var learnedTokenizer = Tokenizer{
	Name: learned, Params: learnedParams,
	Summary: "an autoencoder with codebooks (VQ-VAE), trained on blocks of the training samples",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitLearned(x, p.whole("block"), p.whole("codes"), p.whole("codewords"), p.whole("steps"),
			uint64(p["seed"])))
	},
}

const learned = "learned"

var learnedParams = []Param{
	{"block", 16, 1, longestBlock, true, "samples encoded together"},
	{"codes", 4, 1, 256, true, "tokens in a block"},
	{"codewords", 16, 2, 4096, true, "alphabet size of each token"},
	{"steps", 2000, 10, 1e6, true, "training steps, with 128 blocks each"},
	seedParam,
}

// hiddenUnits is the number of hidden units of the encoder and of the decoder.
const hiddenUnits = 64

// Learned is an autoencoder with codebooks between encoder and decoder (a VQ-VAE, van den
// Oord et al. 2017). The encoder, x·W₀ + gelu(x·W₁ + b₁)·W₂ + b₂ with 64 hidden units,
// computes several latent vectors for a block, called its codes. Each code has its own
// codebook, and its token is the index of the nearest codeword in that codebook. A
// decoder of the same form computes the block from the codewords of all codes. The
// networks are trained in float32 with the engine's kernels, so the seed and the samples
// determine every bit of the weights.
//
// With one code for each block, Learned has one decoded block for each codeword, like a
// vector quantiser. It is then not better than a vector quantiser, because k-means
// optimises the decoded blocks directly. With several codes for each block it can be
// better, because the encoder can rotate and warp the samples before they are quantised,
// as transforms do.
//
// Samples outside the range of the training samples are clipped, because networks do not
// extrapolate. Encoding a decoded block may give different tokens.
type Learned struct {
	network     autoencoder
	weights     []float32
	mean, scale float64 // the network's input is (x − mean)/scale
	low, high   float64
	levels      []int
}

// FitLearned trains a learned quantiser on the whole blocks of x. It trains for the given
// number of steps, with 128 blocks each. A block has `codes` tokens, and each token has
// one of `codewords` values, so a block has codes·log₂(codewords) bits.
//
// The first fifth of the steps does not use codebooks. After that, each codeword starts
// as the latent vector of a block of x and follows the mean of the latent vectors that
// are nearest to it. A codeword that is rarely used is restarted. The gradient for the
// encoder passes straight through the codewords.
//
// It returns an error if a number is out of its range (see [Tokenizers]), if x has fewer
// blocks than codewords, or if the samples cannot be fitted; see [Fit].
func FitLearned(x []float64, block, codes, codewords, steps int, seed uint64) (*Learned, error) {
	_, err := resolve(learned, learnedParams, Params{
		"block": float64(block), "codes": float64(codes), "codewords": float64(codewords), "steps": float64(steps),
	})
	if err != nil {
		return nil, err
	}
	if err := checkTraining(learned, x); err != nil {
		return nil, err
	}
	blocks := len(x) / block
	if blocks < codewords {
		return nil, fmt.Errorf("%s: %d samples are %d blocks of %d: want at least one block for each of %d codewords",
			learned, len(x), blocks, block, codewords)
	}
	l := &Learned{
		network: newAutoencoder(block, codes, codewords, max(2, (block+codes-1)/codes), hiddenUnits),
		low:     slices.Min(x), high: slices.Max(x), levels: slices.Repeat([]int{codewords}, codes),
	}
	l.mean, l.scale = meanAndDeviation(x)
	if !(l.scale > 0) {
		return nil, fmt.Errorf("%s: samples between %g and %g are too close together for float64: want a wider range",
			learned, l.low, l.high)
	}
	l.weights = trainAutoencoder(l.network, l.normalised(x[:blocks*block]), steps, seed)
	if slices.ContainsFunc(l.weights, func(w float32) bool { return w-w != 0 }) {
		return nil, fmt.Errorf("%s: training for %d steps diverged: want fewer steps or another seed", learned, steps)
	}
	return l, nil
}

// normalised returns the network's input for samples.
func (l *Learned) normalised(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32((min(max(v, l.low), l.high) - l.mean) / l.scale)
	}
	return y
}

// Block returns the number of samples in a block.
func (l *Learned) Block() int { return l.network.encoder.in }

// Levels returns the number of codewords for each code of a block.
func (l *Learned) Levels() []int { return l.levels }

// chunk is the number of blocks in one forward pass of the networks.
const chunk = 256

// Encode appends the tokens of x; see [Quantizer].
func (l *Learned) Encode(dst []int32, x []float64) ([]int32, error) {
	if err := checkBlocks(learned, len(x), l.Block()); err != nil {
		return dst, err
	}
	if err := checkSamples(learned, x); err != nil {
		return dst, err
	}
	all, tokens := extend(dst, len(x)/l.Block()*l.network.codes)
	w := weightsOf(l.network, l.weights)
	for part := range slices.Chunk(x, chunk*l.Block()) {
		z := forward(l.network.encoder, w.encoder, l.normalised(part)).y
		n := len(part) / l.Block() * l.network.codes
		nearest(l.network, tokens[:n], w.books, z)
		tokens = tokens[n:]
	}
	return all, nil
}

// Decode appends the samples for the tokens; see [Quantizer].
func (l *Learned) Decode(dst []float64, tokens []int32) ([]float64, error) {
	if err := checkTokens(learned, tokens, l.levels); err != nil {
		return dst, err
	}
	all, x := extend(dst, len(tokens)/l.network.codes*l.Block())
	w := weightsOf(l.network, l.weights)
	for part := range slices.Chunk(tokens, chunk*l.network.codes) {
		y := forward(l.network.decoder, w.decoder, lookUp(l.network, w.books, part)).y
		for i, v := range y {
			x[i] = float64(float64(v)*l.scale) + l.mean
		}
		x = x[len(y):]
	}
	return all, nil
}
