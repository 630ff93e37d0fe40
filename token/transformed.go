package token

import (
	"fmt"
	"math/bits"
	"slices"
)

// transformTokenizer is the table's line for a transform.
func transformTokenizer(kind, what string) Tokenizer {
	return Tokenizer{
		Name: kind,
		Params: []Param{
			{"block", 16, 1, longestBlock, true, "samples transformed together"},
			{"bits", 32, 1, longestBlock * mostCoefficientBits, true, "bits of a block, shared out among its coefficients"},
		},
		Summary: what + ", each coefficient by Lloyd–Max with the bits that pay best",
		Fit: func(x []float64, p Params) (Quantizer, error) {
			return asQuantizer(FitTransformed(x, kind, p.whole("block"), p.whole("bits")))
		},
	}
}

var (
	dftTokenizer         = transformTokenizer("dft", "the discrete Fourier transform of a block")
	dctTokenizer         = transformTokenizer("dct", "the cosine transform of a block")
	haarTokenizer        = transformTokenizer("haar", "Haar's wavelet transform of a block")
	daubechies4Tokenizer = transformTokenizer("daubechies4", "Daubechies's wavelet transform of a block, of four taps")
)

const (
	// mostCoefficientBits are those that one coefficient may have.
	mostCoefficientBits = 8
	// cellSamples is how many coefficients of the training a cell has in the mean, at
	// least.
	cellSamples = 8
	// transformTolerance is that of Lloyd–Max, in standard deviations.
	transformTolerance = 1e-3
	// leastSpread is the part of the largest coefficient that one has to spread over; less
	// may be rounding, which is 1e-14 of it or so and has to be small beside a cell of 256.
	leastSpread = 1e-11
)

// Transformed is a transform of blocks with a quantiser of each coefficient: a block has
// a token for each that got bits, in the transform's order; the others stand for their
// mean.
type Transformed struct {
	transform  *Transform
	means      []float64 // of each coefficient
	places     []int     // of the coefficients that have tokens
	quantizers []*Scalar // theirs
	levels     []int
}

// FitTransformed returns the quantiser of a transform by its name (see [NewTransform])
// for blocks of x with a number of bits each: [FitCoefficients] and [Coefficients.Share].
func FitTransformed(x []float64, transform string, block, bits int) (*Transformed, error) {
	c, err := FitCoefficients(x, transform, block)
	if err != nil {
		return nil, err
	}
	return c.Share(bits)
}

// Coefficients has quantisers of each coefficient of a transform with 0, 1, 2 … bits, of
// which [Coefficients.Share] takes one each.
type Coefficients struct {
	transform   *Transform
	means       []float64
	quantizers  [][]*Scalar // [coefficient][bits], nil for no bits
	distortions [][]float64 // as long: theirs in training
}

// FitCoefficients fits quantisers of the coefficients of a transform by its name (see
// [NewTransform]) on the whole blocks of x, as [FitLloydMax] does with a tolerance of
// 1e-3 deviations. A coefficient has at most 8 bits, and no more than leave eight of the
// blocks for a cell in the mean.
//
// It is an error when the transform does not fit the block, when x has fewer than 16
// blocks, when every block is the same, and for what is wrong with samples; see [Fit].
func FitCoefficients(x []float64, transform string, block int) (*Coefficients, error) {
	t, err := NewTransform(transform, block)
	if err != nil {
		return nil, err
	}
	if err := checkTraining(transform, x); err != nil {
		return nil, err
	}
	blocks := len(x) / block
	if blocks < 2*cellSamples {
		return nil, fmt.Errorf("%s: %d samples are %d blocks of %d: want at least %d to fit a quantiser on",
			transform, len(x), blocks, block, 2*cellSamples)
	}
	c := &Coefficients{transform: t}
	if err := c.fit(t.columns(x[:blocks*block])); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.quantizers, func(of []*Scalar) bool { return len(of) > 1 }) {
		return nil, fmt.Errorf("%s: every block of %d samples is the same, but for rounding: want another block",
			transform, block)
	}
	return c, nil
}

// fit finds the quantisers of coefficients, of which those that change by no more than
// rounding have none.
func (c *Coefficients) fit(columns [][]float64) (err error) {
	largest := 0.0
	for _, column := range columns {
		largest = max(largest, slices.Max(column), -slices.Min(column))
	}
	for _, column := range columns {
		mean, deviation := meanAndDeviation(column)
		quantizers, distortions := []*Scalar{nil}, []float64{square(deviation)}
		if deviation > leastSpread*largest {
			if quantizers, distortions, err = byBits(column, square(deviation)); err != nil {
				return err
			}
		}
		c.means, c.quantizers = append(c.means, mean), append(c.quantizers, quantizers)
		c.distortions = append(c.distortions, distortions)
	}
	return nil
}

// columns returns the coefficients of x by their place in a block, limited as samples
// are.
func (t *Transform) columns(x []float64) [][]float64 {
	c := make([]float64, len(x))
	t.Forward(c, x)
	columns := make([][]float64, t.n)
	for k := range columns {
		columns[k] = make([]float64, len(x)/t.n)
		for b := range columns[k] {
			columns[k][b] = min(max(c[b*t.n+k], -hugest), hugest)
		}
	}
	return columns
}

// byBits returns the quantisers of a coefficient's training values with 0, 1, 2 … bits,
// and their distortions.
func byBits(column []float64, variance float64) (all []*Scalar, distortions []float64, err error) {
	sorted := slices.Clone(column)
	slices.Sort(sorted)
	distinct := len(slices.Compact(sorted))
	most := min(mostCoefficientBits, bits.Len(uint(len(column)/cellSamples))-1, bits.Len(uint(distinct))-1)
	all, distortions = []*Scalar{nil}, []float64{variance}
	for b := 1; b <= most; b++ {
		q, err := FitLloydMax(column, 1<<b, transformTolerance)
		if err != nil {
			return nil, nil, err
		}
		d, err := Distortion(q, column)
		if err != nil {
			return nil, nil, err
		}
		all, distortions = append(all, q), append(distortions, d)
	}
	return all, distortions, nil
}

// Share returns the quantiser of blocks in which the coefficients share a number of bits
// so that the sum of their distortions in training is least ([AllocateBits]). As the
// transform is orthonormal, that is the distortion of the samples. Bits for which no
// coefficient has room are left unused. It is an error when bits are not from 1 to 8 a
// sample.
func (c *Coefficients) Share(bits int) (*Transformed, error) {
	if most := c.transform.n * mostCoefficientBits; bits < 1 || bits > most {
		return nil, fmt.Errorf("%s: bits = %d is outside [1, %d], of which a block of %d has room",
			c.transform.name, bits, most, c.transform.n)
	}
	shares, err := AllocateBits(c.distortions, bits)
	if err != nil {
		return nil, err
	}
	q := &Transformed{transform: c.transform, means: c.means}
	for k, share := range shares {
		if share > 0 {
			q.places = append(q.places, k)
			q.quantizers = append(q.quantizers, c.quantizers[k][share])
			q.levels = append(q.levels, 1<<share)
		}
	}
	if len(q.places) == 0 {
		return nil, fmt.Errorf("%s: no coefficient gains by %d bits: want more", c.transform.name, bits)
	}
	return q, nil
}

// Block returns the samples of a block.
func (q *Transformed) Block() int { return q.transform.n }

// Levels returns the alphabets of the coefficients that have bits.
func (q *Transformed) Levels() []int { return q.levels }

// Bits returns how many bits each coefficient of a block has.
func (q *Transformed) Bits() []int {
	shares := make([]int, q.transform.n)
	for i, k := range q.places {
		shares[k] = bits.Len(uint(q.levels[i])) - 1
	}
	return shares
}

// Encode appends the tokens of x; see [Quantizer].
func (q *Transformed) Encode(dst []int32, x []float64) ([]int32, error) {
	if err := checkBlocks(q.transform.name, len(x), q.transform.n); err != nil {
		return dst, err
	}
	if err := checkSamples(q.transform.name, x); err != nil {
		return dst, err
	}
	columns, blocks := q.transform.columns(x), len(x)/q.transform.n
	all, tokens := extend(dst, blocks*len(q.places))
	var of []int32
	for i, k := range q.places {
		var err error
		if of, err = q.quantizers[i].Encode(of[:0], columns[k]); err != nil {
			return dst, err
		}
		for b, token := range of {
			tokens[b*len(q.places)+i] = token
		}
	}
	return all, nil
}

// Decode appends the samples that tokens stand for; see [Quantizer].
func (q *Transformed) Decode(dst []float64, tokens []int32) ([]float64, error) {
	if err := checkTokens(q.transform.name, tokens, q.levels); err != nil {
		return dst, err
	}
	blocks, n := len(tokens)/len(q.places), q.transform.n
	c := slices.Repeat(q.means, blocks)
	for b := range blocks {
		for i, k := range q.places {
			c[b*n+k] = q.quantizers[i].points[tokens[b*len(q.places)+i]]
		}
	}
	all, x := extend(dst, blocks*n)
	q.transform.Inverse(x, c)
	return all, nil
}
