package token

import "foretell/internal/kernel"

// perceptron is the function y = x·W₀ + gelu(x·W₁ + b₁)·W₂ + b₂, with `in` inputs, `out`
// outputs, one hidden layer, and a linear path that skips the hidden layer. Its weights
// are one slice: W₀ (in,out), W₁ (in,hidden), b₁, W₂ (hidden,out), b₂.
type perceptron struct{ in, hidden, out int }

func (p perceptron) size() int { return p.in*p.out + (p.in+1)*p.hidden + (p.hidden+1)*p.out }

// perceptronWeights are the parts of a perceptron's weights, or of their gradient.
type perceptronWeights[F kernel.Float] struct{ w0, w1, b1, w2, b2 []F }

func partsOf[F kernel.Float](p perceptron, weights []F) perceptronWeights[F] {
	cut := func(n int) (part []F) {
		part, weights = weights[:n:n], weights[n:]
		return part
	}
	return perceptronWeights[F]{
		cut(p.in * p.out), cut(p.in * p.hidden), cut(p.hidden), cut(p.hidden * p.out), cut(p.out),
	}
}

// perceptronPass holds the values of a forward pass that the backward pass needs.
type perceptronPass[F kernel.Float] struct{ x, pre, post, y []F }

// forward computes y (rows,out) for x (rows,in), and keeps the intermediate values.
func forward[F kernel.Float](p perceptron, weights, x []F) perceptronPass[F] {
	rows, w := len(x)/p.in, partsOf(p, weights)
	a := perceptronPass[F]{x, make([]F, rows*p.hidden), make([]F, rows*p.hidden), make([]F, rows*p.out)}
	kernel.GemmBias(rows, p.hidden, p.in, x, p.in, 1, w.w1, p.hidden, a.pre, p.hidden, w.b1)
	kernel.Activate(kernel.GELU, a.post, a.pre)
	kernel.GemmBias(rows, p.out, p.hidden, a.post, p.hidden, 1, w.w2, p.out, a.y, p.out, w.b2)
	kernel.Gemm(rows, p.out, p.in, x, p.in, 1, w.w0, p.out, a.y, p.out, true)
	return a
}

// backward takes dy, the gradient with respect to y. It adds the gradient with respect to
// the weights to the slice `gradient`, and returns the gradient with respect to x.
func backward[F kernel.Float](p perceptron, weights, gradient []F, a perceptronPass[F], dy []F) (dx []F) {
	rows, w, g := len(dy)/p.out, partsOf(p, weights), partsOf(p, gradient)
	dHidden, transposed := make([]F, rows*p.hidden), make([]F, max(p.in*p.hidden, p.hidden*p.out, p.in*p.out))

	// y = x·W₀ + post·W₂ + b₂
	kernel.ColumnSums(g.b2, dy, p.out, rows, p.out)
	kernel.Gemm(p.hidden, p.out, rows, a.post, 1, p.hidden, dy, p.out, g.w2, p.out, true)
	kernel.Transpose(transposed, p.hidden, w.w2, p.out, p.hidden, p.out)
	kernel.Gemm(rows, p.hidden, p.out, dy, p.out, 1, transposed, p.hidden, dHidden, p.hidden, false)

	kernel.ActivateBackward(kernel.GELU, dHidden, dHidden, a.pre)

	// pre = x·W₁ + b₁
	dx = make([]F, rows*p.in)
	kernel.ColumnSums(g.b1, dHidden, p.hidden, rows, p.hidden)
	kernel.Gemm(p.in, p.hidden, rows, a.x, 1, p.in, dHidden, p.hidden, g.w1, p.hidden, true)
	kernel.Transpose(transposed, p.in, w.w1, p.hidden, p.in, p.hidden)
	kernel.Gemm(rows, p.in, p.hidden, dHidden, p.hidden, 1, transposed, p.in, dx, p.in, false)

	// x·W₀
	kernel.Gemm(p.in, p.out, rows, a.x, 1, p.in, dy, p.out, g.w0, p.out, true)
	kernel.Transpose(transposed, p.in, w.w0, p.out, p.in, p.out)
	kernel.Gemm(rows, p.in, p.out, dy, p.out, 1, transposed, p.in, dx, p.in, true)
	return dx
}

// autoencoder has an encoder from a block to several latent vectors (codes), a codebook
// for each code, and a decoder from the codewords back to the block. Its weights are one
// slice: the encoder's, the decoder's, then the codebooks (codes,codewords,width).
type autoencoder struct {
	encoder, decoder        perceptron
	codes, codewords, width int
}

func newAutoencoder(block, codes, codewords, width, hidden int) autoencoder {
	latent := codes * width
	return autoencoder{
		perceptron{block, hidden, latent}, perceptron{latent, hidden, block}, codes, codewords, width,
	}
}

func (a autoencoder) size() int { return a.encoder.size() + a.decoder.size() + a.books() }

// books returns the number of weights in all codebooks.
func (a autoencoder) books() int { return a.codes * a.codewords * a.width }

// autoencoderWeights are the parts of an autoencoder's weights, or of their gradient.
type autoencoderWeights[F kernel.Float] struct{ encoder, decoder, books []F }

func weightsOf[F kernel.Float](a autoencoder, weights []F) autoencoderWeights[F] {
	e := a.encoder.size()
	d := e + a.decoder.size()
	return autoencoderWeights[F]{weights[:e:e], weights[e:d:d], weights[d:]}
}

// nearest writes to tokens, for each latent vector in z, the index of the codeword that
// is nearest to it. Of equally near codewords it takes the first.
func nearest[F kernel.Float](a autoencoder, tokens []int32, books, z []F) {
	for i := range tokens {
		v := z[i*a.width : (i+1)*a.width]
		book := books[i%a.codes*a.codewords*a.width:][:a.codewords*a.width]
		var least F
		for k := range a.codewords {
			if d := squaredDistance(v, book[k*a.width:(k+1)*a.width]); k == 0 || d < least {
				tokens[i], least = int32(k), d
			}
		}
	}
}

// squaredDistance returns Σ (v−w)², each square rounded before it is added.
func squaredDistance[F kernel.Float](v, w []F) (sum F) {
	for j, x := range v {
		d := x - w[j]
		sum += F(d * d)
	}
	return sum
}

// codeword returns the codeword of the ith token of a sequence. The index i determines
// the codebook.
func codeword[F kernel.Float](a autoencoder, books []F, i int, token int32) []F {
	at := (i%a.codes*a.codewords + int(token)) * a.width
	return books[at : at+a.width : at+a.width]
}

// lookUp returns the codewords of the tokens, (blocks, codes·width).
func lookUp[F kernel.Float](a autoencoder, books []F, tokens []int32) []F {
	q := make([]F, 0, len(tokens)*a.width)
	for i, token := range tokens {
		q = append(q, codeword(a, books, i, token)...)
	}
	return q
}
