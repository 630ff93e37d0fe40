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
		{"block", 2, 1, longestBlock, true, "samples in a vector"},
		{"codewords", 64, 2, mostLevels, true, "number of vectors in the codebook (tokens)"},
		seedParam,
	},
	Summary: "the nearest vector of a codebook, fitted by k-means++ and LBG",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitVector(x, p.whole("block"), p.whole("codewords"), uint64(p["seed"])))
	},
}

const vectorName = "vector"

// Vector is a vector quantiser: the token of a block is the index of the codeword with
// the smallest squared distance from it. Of equally near codewords it takes the first.
// Codewords are in lexicographic order.
type Vector struct {
	block     int
	codewords []float64 // component i of the codeword of a token is at token*block + i
	firsts    []float64 // the first component of each codeword, ascending
	levels    []int
}

// leastGain is the relative decrease of the distortion below which [FitVector] stops.
const leastGain = 1e-7

// FitVector returns a codebook for the whole blocks of x. It draws the codewords from the
// blocks by k-means++ (Arthur and Vassilvitskii 2007), each with probability ∝ the
// squared distance from the nearest codeword so far. It then moves them to the means of
// their blocks by the algorithm of Linde, Buzo and Gray (1980), until a step lowers the
// distortion by less than a fraction 10⁻⁷. A codeword that loses all its blocks is moved
// to the block that is farthest from its own codeword. The result is a local minimum of
// the distortion.
//
// FitVector returns an error if a block is longer than the signal, or if there are more
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

// checkBlock returns an error if the block length is out of range, or if a signal of n >
// 0 samples is shorter than one block.
func checkBlock(name string, n, block int) error {
	if block < 1 || block > longestBlock {
		return fmt.Errorf("%s: block = %d is outside [1, %d]", name, block, longestBlock)
	}
	if n > 0 && block > n {
		return fmt.Errorf("%s: a block of %d samples is longer than the signal of %d", name, block, n)
	}
	return nil
}

// NewVector returns the quantiser with the given codewords, all of the same length, which
// it copies and sorts.
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
			return nil, fmt.Errorf("%s: codeword %d has %d components, but the first has %d",
				vectorName, i, len(c), block)
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

// Codeword returns the vector of a token. The caller must not modify it.
func (v *Vector) Codeword(token int) []float64 {
	return v.codewords[token*v.block : (token+1)*v.block]
}

// Block returns the number of samples in a vector.
func (v *Vector) Block() int { return v.block }

// Levels returns one element, the number of codewords.
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
		if v.block == 1 { // outside the range of codewords, different distances can round to the same number
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

// nearest returns the token of the codeword nearest to a block, and its squared distance.
// It starts from the codewords whose first component is similar and searches in both
// directions, until the first component alone is too far away.
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

// distanceUpTo returns Σ(x − y)², or a partial sum once it is above limit.
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

// clusters are training blocks with their nearest codewords.
type clusters struct {
	block     int
	x         []float64
	codewords [][]float64
	nearest   []int32
	distances []float64 // squared distance of each block from its nearest codeword
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

// tooFewBlocks returns the error for a signal with fewer distinct blocks than codewords.
func tooFewBlocks(block, codewords, distinct int) error {
	if distinct == 1 {
		return fmt.Errorf("%s: every block of %d samples is the same: want another block length", vectorName, block)
	}
	return fmt.Errorf("%s: %d codewords, but the signal has %d distinct blocks of %d samples: "+
		"want at most %d codewords",
		vectorName, codewords, distinct, block, distinct)
}

// assign finds the nearest codeword of each block and returns the sum of squared errors.
func (c *clusters) assign(v *Vector) float64 {
	sum := 0.0
	for i := range c.nearest {
		token, distance := v.nearest(c.at(i))
		c.nearest[i], c.distances[i] = int32(token), distance
		sum += distance
	}
	return sum
}

// move sets each codeword to the mean of the blocks whose nearest codeword in v it is. A
// codeword without such blocks moves to the block that is farthest from its own codeword.
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
	used := slices.DeleteFunc(slices.Clone(counts), func(n float64) bool { return n == 0 })
	far := c.farthest(len(counts) - len(used))
	for k, n := range counts {
		if n == 0 {
			c.codewords[k], far = slices.Clone(c.at(far[0])), far[1:]
		}
	}
}

// farthest returns the indices of the n blocks that are farthest from their codewords.
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
