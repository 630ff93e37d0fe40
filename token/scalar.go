package token

import (
	"fmt"
	"slices"
	"sort"
)

// Scalar quantises single samples by thresholds: the token of x is the number of
// thresholds that are not above x. Token t decodes to point t.
type Scalar struct {
	name       string
	thresholds []float64
	points     []float64
	levels     []int
	guide      guide
}

// NewScalar returns the quantiser with the given thresholds and points, which it copies.
// It returns an error unless points[0] < thresholds[0] ≤ points[1] < thresholds[1] ≤ …,
// with one more point than thresholds, all within ±1e150.
func NewScalar(thresholds, points []float64) (*Scalar, error) {
	return newScalar("scalar", slices.Clone(thresholds), slices.Clone(points))
}

func newScalar(name string, thresholds, points []float64) (*Scalar, error) {
	if err := checkLevels(name, "levels", len(points)); err != nil {
		return nil, err
	}
	if len(points) != len(thresholds)+1 {
		return nil, fmt.Errorf("%s: %d thresholds and %d points: want one more point than thresholds",
			name, len(thresholds), len(points))
	}
	if err := checkSamples(name, points); err != nil {
		return nil, err
	}
	for k, threshold := range thresholds {
		if !(points[k] < threshold && threshold <= points[k+1]) {
			return nil, fmt.Errorf("%s: threshold %d is %g: want it above the point %g and not above the next point, %g",
				name, k, threshold, points[k], points[k+1])
		}
	}
	return &Scalar{name, thresholds, points, []int{len(points)}, newGuide(thresholds)}, nil
}

// Thresholds returns the thresholds, one fewer than the tokens. The caller must not
// modify them.
func (s *Scalar) Thresholds() []float64 { return s.thresholds }

// Points returns the decoded value of each token. The caller must not modify it.
func (s *Scalar) Points() []float64 { return s.points }

// Block returns 1.
func (s *Scalar) Block() int { return 1 }

// Levels returns one element, the number of tokens.
func (s *Scalar) Levels() []int { return s.levels }

// Encode appends the tokens of x; see [Quantizer].
func (s *Scalar) Encode(dst []int32, x []float64) ([]int32, error) {
	all, tokens := extend(dst, len(x))
	for i, v := range x {
		if !usable(v) {
			return dst, checkSamples(s.name, x)
		}
		tokens[i] = s.guide.count(v)
	}
	return all, nil
}

// Decode appends the points of tokens; see [Quantizer].
func (s *Scalar) Decode(dst []float64, tokens []int32) ([]float64, error) {
	return decodeScalar(s.name, dst, tokens, s.points, s.levels)
}

// guide counts the thresholds that are not above a number. The range from the first
// threshold to the last is divided into equal steps, and before[c] is the number of
// thresholds in the steps before step c. The step of a number is computed by monotone
// operations. So, whatever the rounding, thresholds in earlier steps are below the number
// and thresholds in later steps are above it, and only the thresholds in its own step
// have to be compared.
type guide struct {
	thresholds []float64
	first      float64
	last       float64
	perUnit    float64 // number of steps per unit of x
	before     []int32 // one element more than there are steps
}

// A guide has stepsPerLevel steps for each threshold, but at most mostSteps in total. Few
// steps then have more than one threshold, even for companders.
const (
	stepsPerLevel = 64
	mostSteps     = 1 << 16
)

func newGuide(thresholds []float64) guide {
	last := len(thresholds) - 1
	steps := min(stepsPerLevel*len(thresholds), mostSteps)
	g := guide{thresholds: thresholds, first: thresholds[0], last: thresholds[last]}
	g.perUnit = float64(steps-1) / (g.last - g.first)
	if last == 0 || !usable(g.perUnit) {
		steps, g.perUnit = 1, 0
	}
	g.before = make([]int32, steps+1)
	for c := range g.before {
		g.before[c] = int32(sort.Search(len(thresholds), func(k int) bool { return g.step(thresholds[k]) >= c }))
	}
	g.before[steps] = int32(len(thresholds))
	return g
}

// step returns the step of a number between the first threshold and the last.
func (g *guide) step(x float64) int { return int((x - g.first) * g.perUnit) }

// count returns the number of thresholds that are not above x.
func (g *guide) count(x float64) int32 {
	if x < g.first {
		return 0
	}
	if x >= g.last {
		return int32(len(g.thresholds))
	}
	c := g.step(x)
	low, high := g.before[c], g.before[c+1]
	for high-low > 1 {
		middle := (low + high) / 2
		if x < g.thresholds[middle] {
			high = middle
		} else {
			low = middle
		}
	}
	above := int32(0) // set without a branch; if step c has no threshold, thresholds[low] is above x
	if x >= g.thresholds[low] {
		above = 1
	}
	return low + above
}
