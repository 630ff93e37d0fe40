package token

import (
	"math"

	"foretell/internal/kernel"
	"foretell/internal/portable"
	"foretell/internal/random"
)

// commitment is the weight of a latent vector's squared distance from its codeword,
// relative to the reconstruction error (van den Oord et al. 2017, β of Eq. 3).
const commitment = 0.25

// quantised holds the values of an autoencoder's forward pass. In the first training
// steps, which do not use codebooks, tokens is nil and q is the encoder's output.
type quantised[F kernel.Float] struct {
	encoder, decoder perceptronPass[F]
	tokens           []int32
	q                []F // the decoder's input, (blocks, codes·width)
}

func pass[F kernel.Float](a autoencoder, weights, x []F, books bool) quantised[F] {
	w := weightsOf(a, weights)
	p := quantised[F]{encoder: forward(a.encoder, w.encoder, x)}
	p.q = p.encoder.y
	if books {
		p.tokens = make([]int32, len(p.q)/a.width)
		nearest(a, p.tokens, w.books, p.encoder.y)
		p.q = lookUp(a, w.books, p.tokens)
	}
	p.decoder = forward(a.decoder, w.decoder, p.q)
	return p
}

// addGradient adds the gradient of the networks' loss to the slice g. Let x be the
// blocks, y their reconstruction, z the latent vectors and q their codewords. The loss is
//
//	(‖y − x‖² + β‖z − sg q‖²)/len(x)
//
// where sg (stop-gradient) marks a value that counts as a constant. The decoder's input
// is z + sg(q − z), so the gradient passes straight through to z (van den Oord et al.
// 2017, Eq. 3). [codebooks.follow] updates the codebooks.
func addGradient[F kernel.Float](a autoencoder, weights, g []F, p quantised[F]) {
	w, dw := weightsOf(a, weights), weightsOf(a, g)
	x, y, z := p.encoder.x, p.decoder.y, p.encoder.y
	scale := 1 / F(len(x))
	dy := make([]F, len(x))
	for i := range dy {
		dy[i] = 2 * (y[i] - x[i]) * scale
	}
	dz := backward(a.decoder, w.decoder, dw.decoder, p.decoder, dy)
	if p.tokens != nil {
		for i := range dz {
			dz[i] += F(2 * commitment * (z[i] - p.q[i]) * scale)
		}
	}
	backward(a.encoder, w.encoder, dw.encoder, p.encoder, dz)
}

// The training settings.
const (
	learnedBatch  = 128  // number of blocks in a step
	plainShare    = 0.2  // fraction of all steps that run before codebooks are used
	learnedRate   = 5e-3 // initial learning rate, which decays to 0 along half a cosine
	codebookDecay = 0.99 // decay of the codewords' running means
	// A codeword is restarted if it is used for less than this fraction of the blocks that
	// it would get if all codewords were used equally.
	leastUsed = 0.03
)

// trainAutoencoder returns weights trained on x, consecutive blocks of samples with
// variance 1.
func trainAutoencoder(a autoencoder, x []float32, steps int, seed uint64) []float32 {
	weights := initialWeights(a, seed)
	networks := weights[:len(weights)-a.books()]
	g, m, v := make([]float32, len(weights)), make([]float32, len(networks)), make([]float32, len(networks))
	var books *codebooks
	for step := range steps {
		src := random.New(seed, "token: batch", uint64(step))
		if step == int(plainShare*float64(steps)) {
			books = newCodebooks(a, weights, x, src)
		}
		p := pass(a, weights, drawBlocks(x, a.encoder.in, learnedBatch, src), books != nil)
		clear(g)
		addGradient(a, weights, g, p)
		_, cos := portable.Sincos(math.Pi * float64(step) / float64(steps))
		kernel.Adam(networks, g[:len(networks)], m, v, kernel.AdamParams{
			LR: learnedRate * (1 + cos) / 2, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Step: step + 1,
		})
		if books != nil {
			books.follow(p, src)
		}
	}
	return weights
}

// initialWeights draws the elements of each matrix with variance 1/(number of inputs);
// biases and codebooks are 0.
func initialWeights(a autoencoder, seed uint64) []float32 {
	weights := make([]float32, a.size())
	w, src := weightsOf(a, weights), random.New(seed, "token: weights")
	fill := func(m []float32, inputs int) {
		scale := 1 / math.Sqrt(float64(inputs))
		for i := range m {
			m[i] = float32(src.Normal() * scale)
		}
	}
	encoder, decoder := partsOf(a.encoder, w.encoder), partsOf(a.decoder, w.decoder)
	fill(encoder.w0, a.encoder.in)
	fill(encoder.w1, a.encoder.in)
	fill(encoder.w2, a.encoder.hidden)
	fill(decoder.w0, a.decoder.in)
	fill(decoder.w1, a.decoder.in)
	fill(decoder.w2, a.decoder.hidden)
	return weights
}

// drawBlocks returns blocks of n samples, drawn from the blocks of x with replacement.
func drawBlocks(x []float32, n, blocks int, src *random.Stream) []float32 {
	drawn := make([]float32, 0, blocks*n)
	for range blocks {
		at := src.IntN(len(x)/n) * n
		drawn = append(drawn, x[at:at+n]...)
	}
	return drawn
}

// codebooks keeps, for each codeword, a running mean of the latent vectors that are
// nearest to it (van den Oord et al. 2017, Appendix A.1).
type codebooks struct {
	a     autoencoder
	books []float32 // the codewords, in the autoencoder's weights
	sums  []float32 // same layout as books: running sums of latent vectors
	used  []float32 // at code*codewords+k: running number of latent vectors nearest to the codeword
}

// newCodebooks initialises codewords with the latent vectors of blocks drawn from x.
func newCodebooks(a autoencoder, weights, x []float32, src *random.Stream) *codebooks {
	w := weightsOf(a, weights)
	c := &codebooks{a, w.books, make([]float32, a.books()), make([]float32, a.codes*a.codewords)}
	z := forward(a.encoder, w.encoder, drawBlocks(x, a.encoder.in, a.codewords, src)).y
	for k := range a.codewords {
		for code := range a.codes {
			c.start(code*a.codewords+k, z[(k*a.codes+code)*a.width:])
		}
	}
	return c
}

// fairShare returns how many blocks of a batch each codeword gets if all codewords are
// used equally.
func (c *codebooks) fairShare() float32 { return float32(learnedBatch) / float32(c.a.codewords) }

// start sets codeword k to the latent vector z. The index k counts the codewords of all
// codebooks.
func (c *codebooks) start(k int, z []float32) {
	c.used[k] = c.fairShare()
	for j, v := range z[:c.a.width] {
		c.books[k*c.a.width+j], c.sums[k*c.a.width+j] = v, v*c.used[k]
	}
}

// follow moves the codewords to the running means of the latent vectors nearest to them.
// It restarts a codeword that was rarely used: it sets the codeword to a latent vector of
// the batch.
func (c *codebooks) follow(p quantised[float32], src *random.Stream) {
	for i := range c.sums {
		c.sums[i] *= codebookDecay
	}
	for k := range c.used {
		c.used[k] *= codebookDecay
	}
	for i, token := range p.tokens {
		k := i%c.a.codes*c.a.codewords + int(token)
		c.used[k] += 1 - codebookDecay
		for j, v := range p.encoder.y[i*c.a.width : (i+1)*c.a.width] {
			c.sums[k*c.a.width+j] += float32((1 - codebookDecay) * v)
		}
	}
	blocks := len(p.tokens) / c.a.codes
	for k, n := range c.used {
		if n < leastUsed*c.fairShare() {
			c.start(k, p.encoder.y[(src.IntN(blocks)*c.a.codes+k/c.a.codewords)*c.a.width:])
			continue
		}
		for j := k * c.a.width; j < (k+1)*c.a.width; j++ {
			c.books[j] = c.sums[j] / n
		}
	}
}
