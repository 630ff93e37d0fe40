package token

import (
	"fmt"
	"math/bits"
	"slices"
)

// transformTokenizer returns the table entry for a transform.
func transformTokenizer(kind, what string) Tokenizer {
	return Tokenizer{
		Name: kind,
		Params: []Param{
			{"block", 16, 1, longestBlock, true, "samples transformed together"},
			{
				"bits", 32, 1, longestBlock * mostCoefficientBits, true,
				"bits for a block, distributed among its coefficients",
			},
		},
		Summary: what + ", then Lloyd–Max for each coefficient with the best distribution of bits",
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
	// mostCoefficientBits is the largest number of bits of one coefficient.
	mostCoefficientBits = 8
	// cellSamples is the smallest allowed number of training blocks for each cell of a
	// coefficient's quantiser, on average.
	cellSamples = 8
	// transformTolerance is the tolerance of Lloyd–Max, in standard deviations.
	transformTolerance = 1e-3
	// leastSpread is the smallest standard deviation, relative to the largest coefficient,
	// with which a coefficient gets a quantiser. A smaller deviation may be rounding error.
	// Rounding errors are about 1e-14 of the largest coefficient, and they must be small
	// compared with one of 256 cells.
	leastSpread = 1e-11
)

// Transformed is a transform of blocks with a quantiser for each coefficient. A block has
// a token for each coefficient that was given bits, in the order of the transform. The
// other coefficients decode to their mean.
type Transformed struct {
	transform  *Transform
	means      []float64 // mean of each coefficient
	places     []int     // indices of the coefficients that have tokens
	quantizers []*Scalar // the quantisers of these coefficients
	levels     []int
}

// FitTransformed returns the quantiser for blocks of x after the named transform (see
// [NewTransform]). A block gets at most the given number of bits. FitTransformed combines
// [FitCoefficients] and [Coefficients.Share].
func FitTransformed(x []float64, transform string, block, bits int) (*Transformed, error) {
	c, err := FitCoefficients(x, transform, block)
	if err != nil {
		return nil, err
	}
	return c.Share(bits)
}

// Coefficients holds, for each coefficient of a transform, quantisers with 0, 1, 2 …
// bits. [Coefficients.Share] chooses one of them for each coefficient.
type Coefficients struct {
	transform   *Transform
	means       []float64
	quantizers  [][]*Scalar // [coefficient][bits]; nil for 0 bits
	distortions [][]float64 // [coefficient][bits]: distortions on the training blocks
}

// FitCoefficients fits quantisers of the coefficients of the named transform (see
// [NewTransform]) on the whole blocks of x, as [FitLloydMax] does with a tolerance of
// 1e-3 standard deviations. A coefficient gets at most 8 bits. It gets fewer if there
// would be, on average, fewer than eight blocks for each cell.
//
// It returns an error if the transform does not allow the block length, if x has fewer
// than 16 blocks, if all blocks are equal, or if the samples cannot be fitted; see [Fit].
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
		return nil, fmt.Errorf("%s: %d samples are %d blocks of %d: want at least %d blocks to fit a quantiser",
			transform, len(x), blocks, block, 2*cellSamples)
	}
	c := &Coefficients{transform: t}
	if err := c.fit(t.columns(x[:blocks*block])); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.quantizers, func(of []*Scalar) bool { return len(of) > 1 }) {
		return nil, fmt.Errorf("%s: every block of %d samples is the same, up to rounding: want another block length",
			transform, block)
	}
	return c, nil
}

// fit fits the quantisers of the coefficients. A coefficient that changes only by
// rounding gets no quantiser.
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
		c.means = append(c.means, mean)
		c.quantizers = append(c.quantizers, quantizers)
		c.distortions = append(c.distortions, distortions)
	}
	return nil
}

// columns transforms the blocks of x. Element [k][b] of the result is coefficient k of
// block b, clipped to the range of usable samples.
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

// byBits returns the quantisers with 0, 1, 2 … bits for the training values of one
// coefficient, and their distortions.
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
		all = append(all, q)
		distortions = append(distortions, d)
	}
	return all, distortions, nil
}

// Share returns a quantiser of blocks. It distributes bits among the coefficients so that
// the sum of their distortions on the training blocks is as small as possible
// ([AllocateBits]). Because the transform is orthonormal, this sum is the distortion of
// the samples. Bits that no coefficient can use are not used. It returns an error if bits
// is less than 1 or more than 8 times the block length, or if no coefficient gains from
// the bits.
func (c *Coefficients) Share(bits int) (*Transformed, error) {
	if most := c.transform.n * mostCoefficientBits; bits < 1 || bits > most {
		return nil, fmt.Errorf("%s: bits = %d is outside [1, %d] for a block of %d",
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
		return nil, fmt.Errorf("%s: no coefficient gains from %d bits: want more bits", c.transform.name, bits)
	}
	return q, nil
}

// Block returns the number of samples in a block.
func (q *Transformed) Block() int { return q.transform.n }

// Levels returns the alphabet sizes of the coefficients that have bits.
func (q *Transformed) Levels() []int { return q.levels }

// Bits returns the number of bits of each coefficient of a block.
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

// Decode appends the samples for the tokens; see [Quantizer].
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
