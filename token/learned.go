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
	{"codes", 4, 1, 256, true, "tokens of a block"},
	{"codewords", 16, 2, 4096, true, "alphabet of each token"},
	{"steps", 2000, 10, 1e6, true, "steps of training, of 128 blocks each"},
	seedParam,
}

// hiddenUnits are those of the encoder and of the decoder.
const hiddenUnits = 64

// Learned is an autoencoder with codebooks in between (a VQ-VAE, van den Oord et al.
// 2017): an encoder, x·W₀ + gelu(x·W₁ + b₁)·W₂ + b₂ with 64 hidden units, makes a latent
// vector for each code of a block; its token is that of the nearest codeword in the
// code's own codebook; and a decoder of the same form makes the block of all codewords.
// It is trained in float32 with the kernels of the engine, so that seed and samples
// decide its bits.
//
// With one code it has as many blocks to decode to as a vector quantiser of so many
// codewords, and no better ones: k-means looks for the best. It can gain where several
// codes share a block, whose samples it may rotate and bend before they are quantised,
// as transforms do.
//
// Samples beyond those of training are clipped, for networks do not extrapolate. A
// decoded block need not have the tokens again that it was decoded from.
type Learned struct {
	network     autoencoder
	weights     []float32
	mean, scale float64 // samples are (x − mean)/scale to the network
	low, high   float64
	levels      []int
}

// FitLearned trains a learned quantiser on the whole blocks of x, for a number of steps
// of 128 blocks each. A block has codes tokens, each of codewords: codes·log₂(codewords)
// bits.
//
// The first fifth of the steps has no codebooks. Codewords then start as latent vectors
// of the training and follow the mean of those nearest to them, the encoder's gradient
// goes straight through them, and a codeword that is hardly used starts anew.
//
// It is an error when a number is out of its range (see [Tokenizers]), when x has less
// than codewords blocks, and for what is wrong with samples; see [Fit].
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
		return nil, fmt.Errorf("%s: %d samples are %d blocks of %d: want at least one for each of %d codewords",
			learned, len(x), blocks, block, codewords)
	}
	l := &Learned{
		network: newAutoencoder(block, codes, codewords, max(2, (block+codes-1)/codes), hiddenUnits),
		low:     slices.Min(x), high: slices.Max(x), levels: slices.Repeat([]int{codewords}, codes),
	}
	l.mean, l.scale = meanAndDeviation(x)
	if !(l.scale > 0) {
		return nil, fmt.Errorf("%s: samples between %g and %g are too near to each other for float64", learned, l.low, l.high)
	}
	l.weights = trainAutoencoder(l.network, l.normalised(x[:blocks*block]), steps, seed)
	if slices.ContainsFunc(l.weights, func(w float32) bool { return w-w != 0 }) {
		return nil, fmt.Errorf("%s: the training of %d steps diverged: want fewer steps or another seed", learned, steps)
	}
	return l, nil
}

// normalised returns what the network sees of samples.
func (l *Learned) normalised(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32((min(max(v, l.low), l.high) - l.mean) / l.scale)
	}
	return y
}

// Block returns the samples of a block.
func (l *Learned) Block() int { return l.network.encoder.in }

// Levels returns the codewords of each code.
func (l *Learned) Levels() []int { return l.levels }

// chunk is how many blocks go through the networks together.
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

// Decode appends the samples that tokens stand for; see [Quantizer].
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
