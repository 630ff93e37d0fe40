package token

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"foretell/internal/random"
)

var vectorTokenizer = Tokenizer{
	Name: "vector",
	Params: []Param{
		{"block", 2, 1, longestBlock, true, "samples of a vector"},
		{"codewords", 64, 2, mostLevels, true, "vectors of the codebook, which are the tokens"},
		seedParam,
	},
	Summary: "the nearest of a codebook's vectors, k-means++ and then LBG",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitVector(x, p.whole("block"), p.whole("codewords"), uint64(p["seed"])))
	},
}

const vectorName = "vector"

// Vector is a vector quantiser: the token of a block is that of the nearest codeword in
// squared distance, the first of those that are equally near. Codewords are in
// lexicographic order.
type Vector struct {
	block     int
	codewords []float64 // [token*block+i]
	firsts    []float64 // of each codeword the first component, ascending
	levels    []int
}

// leastGain is the part by which an iteration of LBG lowers the distortion if another one
// is to follow.
const leastGain = 1e-7

// FitVector returns a codebook for the whole blocks of x. It is drawn from them by
// k-means++ (Arthur and Vassilvitskii 2007), each codeword with a probability ∝ the
// squared distance from those before it, and moved to the means of its blocks by the
// algorithm of Linde, Buzo and Gray (1980), until that gains less than a 10⁻⁷ part of the
// distortion. A codeword that loses its blocks takes the place of the block that is
// farthest from its own. It is a least distortion nearby, not the least.
//
// It is an error when a block is longer than the signal, and when there are more
// codewords than distinct blocks.
func FitVector(x []float64, block, codewords int, seed uint64) (*Vector, error) {
	if err := checkBlock(vectorName, len(x), block); err != nil {
		return nil, err
	}
	if err := checkLevels(vectorName, "codewords", codewords); err != nil {
		return nil, err
	}
	if err := checkTraining(vectorName, x); err != nil {
		return nil, err
	}
	x = x[:len(x)/block*block]
	c := clusters{block: block, x: x, nearest: make([]int32, len(x)/block), distances: make([]float64, len(x)/block)}
	if err := c.seed(codewords, random.New(seed, "token/vector")); err != nil {
		return nil, err
	}
	for before := math.Inf(1); ; {
		v := newVector(block, c.codewords)
		distortion := c.assign(v)
		if distortion >= before*(1-leastGain) {
			return v, nil
		}
		before = distortion
		c.move(v)
	}
}

// checkBlock says whether a signal of n samples has a block.
func checkBlock(name string, n, block int) error {
	if block < 1 || block > longestBlock {
		return fmt.Errorf("%s: block = %d is outside [1, %d]", name, block, longestBlock)
	}
	if n > 0 && block > n {
		return fmt.Errorf("%s: a block of %d samples is longer than the signal of %d", name, block, n)
	}
	return nil
}

// NewVector returns the quantiser of given codewords, all of one length, which it copies
// and sorts.
func NewVector(codewords [][]float64) (*Vector, error) {
	if err := checkLevels(vectorName, "codewords", len(codewords)); err != nil {
		return nil, err
	}
	block := len(codewords[0])
	if err := checkBlock(vectorName, 0, block); err != nil {
		return nil, err
	}
	for i, c := range codewords {
		if len(c) != block {
			return nil, fmt.Errorf("%s: codeword %d has %d components, the first one %d", vectorName, i, len(c), block)
		}
		if err := checkSamples(vectorName, c); err != nil {
			return nil, err
		}
	}
	return newVector(block, codewords), nil
}

func newVector(block int, codewords [][]float64) *Vector {
	sorted := slices.Clone(codewords)
	slices.SortFunc(sorted, slices.Compare)
	v := &Vector{block: block, levels: []int{len(sorted)}}
	for _, c := range sorted {
		v.codewords = append(v.codewords, c...)
		v.firsts = append(v.firsts, c[0])
	}
	return v
}

// Codeword returns the vector that a token stands for. The caller must not change it.
func (v *Vector) Codeword(token int) []float64 {
	return v.codewords[token*v.block : (token+1)*v.block]
}

// Block returns the samples of a vector.
func (v *Vector) Block() int { return v.block }

// Levels returns the one alphabet, the codewords.
func (v *Vector) Levels() []int { return v.levels }

// Encode appends the tokens of x; see [Quantizer].
func (v *Vector) Encode(dst []int32, x []float64) ([]int32, error) {
	if err := checkBlocks(vectorName, len(x), v.block); err != nil {
		return dst, err
	}
	if err := checkSamples(vectorName, x); err != nil {
		return dst, err
	}
	all, tokens := extend(dst, len(x)/v.block)
	for i := range tokens {
		part := x[i*v.block : (i+1)*v.block]
		if v.block == 1 { // where distances round to the same, the nearest is still at an end
			part = []float64{min(max(part[0], v.firsts[0]), v.firsts[len(v.firsts)-1])}
		}
		token, _ := v.nearest(part)
		tokens[i] = int32(token)
	}
	return all, nil
}

// Decode appends the codewords of tokens; see [Quantizer].
func (v *Vector) Decode(dst []float64, tokens []int32) ([]float64, error) {
	if err := checkTokens(vectorName, tokens, v.levels); err != nil {
		return dst, err
	}
	all, x := extend(dst, len(tokens)*v.block)
	for i, z := range tokens {
		copy(x[i*v.block:], v.Codeword(int(z)))
	}
	return all, nil
}

// nearest returns the codeword nearest to a block and its squared distance. It goes from
// those with a similar first component to both sides, until that alone is too far.
func (v *Vector) nearest(x []float64) (token int, distance float64) {
	middle, _ := slices.BinarySearch(v.firsts, x[0])
	token, distance = -1, math.Inf(1)
	for i := middle; i < len(v.firsts) && square(x[0]-v.firsts[i]) <= distance; i++ {
		if d := distanceUpTo(x, v.Codeword(i), distance); d < distance {
			token, distance = i, d
		}
	}
	for i := middle - 1; i >= 0 && square(x[0]-v.firsts[i]) <= distance; i-- {
		if d := distanceUpTo(x, v.Codeword(i), distance); d <= distance {
			token, distance = i, d
		}
	}
	return token, distance
}

// distanceUpTo returns Σ(x − y)², or a part of it that is above a limit.
func distanceUpTo(x, y []float64, limit float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += square(v - y[i])
		if sum > limit {
			break
		}
	}
	return sum
}

// clusters are blocks of training, each with its nearest codeword.
type clusters struct {
	block     int
	x         []float64
	codewords [][]float64
	nearest   []int32
	distances []float64 // squared
}

func (c *clusters) at(i int) []float64 { return c.x[i*c.block : (i+1)*c.block] }

// seed draws codewords from the blocks by k-means++.
func (c *clusters) seed(codewords int, r *random.Stream) error {
	c.codewords = [][]float64{slices.Clone(c.at(r.IntN(len(c.nearest))))}
	for i := range c.distances {
		c.distances[i] = math.Inf(1)
	}
	sums := make([]float64, len(c.distances))
	for {
		last, total := c.codewords[len(c.codewords)-1], 0.0
		for i := range c.distances {
			c.distances[i] = min(c.distances[i], distanceUpTo(c.at(i), last, math.Inf(1)))
			total += c.distances[i]
			sums[i] = total
		}
		if len(c.codewords) == codewords {
			return nil
		}
		if total == 0 {
			return tooFewBlocks(c.block, codewords, len(c.codewords))
		}
		drawn := float64(r.Float64() * total)
		i := sort.Search(len(sums)-1, func(i int) bool { return sums[i] > drawn })
		for c.distances[i] == 0 {
			i--
		}
		c.codewords = append(c.codewords, slices.Clone(c.at(i)))
	}
}

// tooFewBlocks is the error of a signal with fewer distinct blocks than codewords.
func tooFewBlocks(block, codewords, distinct int) error {
	if distinct == 1 {
		return fmt.Errorf("%s: every block of %d samples is the same: want another block", vectorName, block)
	}
	return fmt.Errorf("%s: %d codewords, but the signal has %d distinct blocks of %d samples: want at most %d codewords",
		vectorName, codewords, distinct, block, distinct)
}

// assign gives each block its nearest codeword and returns the sum of squared errors.
func (c *clusters) assign(v *Vector) float64 {
	sum := 0.0
	for i := range c.nearest {
		token, distance := v.nearest(c.at(i))
		c.nearest[i], c.distances[i] = int32(token), distance
		sum += distance
	}
	return sum
}

// move makes codewords of the means of what each of a quantiser's has.
func (c *clusters) move(v *Vector) {
	counts := make([]float64, len(c.codewords))
	for k := range c.codewords {
		c.codewords[k] = make([]float64, c.block)
	}
	for _, token := range c.nearest {
		counts[token]++
	}
	for i, token := range c.nearest {
		for j, x := range c.at(i) {
			c.codewords[token][j] += x / counts[token]
		}
	}
	far := c.farthest(len(counts) - len(slices.DeleteFunc(slices.Clone(counts), func(n float64) bool { return n == 0 })))
	for k, n := range counts {
		if n == 0 {
			c.codewords[k], far = slices.Clone(c.at(far[0])), far[1:]
		}
	}
}

// farthest returns the n blocks that are farthest from their codewords.
func (c *clusters) farthest(n int) []int {
	if n == 0 {
		return nil
	}
	order := make([]int, len(c.distances))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.distances[b], c.distances[a]) })
	return order[:n]
}
