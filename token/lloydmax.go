package token

import (
	"fmt"
	"math"
	"slices"
)

var lloydMaxTokenizer = Tokenizer{
	Name: "lloyd_max",
	Params: []Param{
		levelsParam,
		{"tolerance", 1e-6, 0, 1, false, "largest distance of a point from its cell's mean, in standard deviations"},
	},
	Summary: "points at the means of their cells, thresholds midway between points: a local optimum",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitLloydMax(x, p.whole("levels"), p["tolerance"]))
	},
}

const lloydMaxName = "lloyd_max"

// mostIterations is the largest number of iterations of Lloyd's method.
const mostIterations = 20_000

// LloydMax returns the quantiser of a density that satisfies the conditions of Lloyd
// (1957, published 1982) and Max (1960): each threshold is midway between two points, and
// each point differs from the mean of its cell (the interval between its two thresholds)
// by at most the tolerance, which is in standard deviations. For a log-concave density,
// such as the normal density, exactly one quantiser satisfies these conditions, and it
// has the least mean squared error. The computation starts from the quantiser of
// [HighRate]. It takes a step of Newton's method, or a step of Lloyd's method where
// Newton's does not move the points closer to the means. It returns an error if it does
// not reach the tolerance; because of rounding, the tolerance must be at least about
// 10⁻¹².
func LloydMax(d *Density, levels int, tolerance float64) (*Scalar, error) {
	start, err := HighRate(d, levels)
	if err != nil {
		return nil, err
	}
	if err := checkTolerance(tolerance); err != nil {
		return nil, err
	}
	now := d.cells(start.points)
	for range mostIterations {
		if now.gap <= tolerance*d.deviation {
			return newScalar(lloydMaxName, now.thresholds, now.points)
		}
		next := d.newton(now)
		if next == nil {
			next = d.cells(now.means)
		}
		now = next
	}
	return nil, notReached(now.gap/d.deviation, tolerance)
}

func checkTolerance(tolerance float64) error {
	if !(tolerance >= 0 && tolerance <= 1) {
		return fmt.Errorf("%s: tolerance = %g is outside [0, 1]", lloydMaxName, tolerance)
	}
	return nil
}

func notReached(gap, tolerance float64) error {
	return fmt.Errorf("%s: after %d iterations a point is %.2g standard deviations from its cell's mean, not %g: "+
		"want a larger tolerance", lloydMaxName, mostIterations, gap, tolerance)
}

// cells are the cells of a quantiser: its points and thresholds, and the means that the
// points should equal.
type cells struct {
	points     []float64
	thresholds []float64 // midway between the points
	means      []float64 // mean of each cell, or its point if the cell has no mass
	masses     []float64
	gap        float64 // largest distance between a point and the mean of its cell
}

// newCells returns the cells of a quantiser with the given points. The function mean
// returns the mean and the mass of cell k.
func newCells(points []float64, mean func(thresholds []float64, k int) (mean, mass float64)) *cells {
	c := &cells{points: points, thresholds: midways(points)}
	for k, point := range points {
		m, mass := mean(c.thresholds, k)
		if mass == 0 {
			m = point
		}
		c.means = append(c.means, m)
		c.masses = append(c.masses, mass)
		c.gap = max(c.gap, math.Abs(m-point))
	}
	return c
}

// midways returns the numbers midway between neighbouring points, rounded so that each is
// above the lower point and not above the upper one.
func midways(points []float64) []float64 {
	thresholds := make([]float64, len(points)-1)
	for k := range thresholds {
		a, b := points[k], points[k+1]
		thresholds[k] = a + (b-a)/2
		if thresholds[k] <= a {
			thresholds[k] = b
		}
	}
	return thresholds
}

func (d *Density) cells(points []float64) *cells {
	return newCells(points, func(thresholds []float64, k int) (mean, mass float64) {
		left, right := d.cell(thresholds, k)
		m := d.between(left, right)
		if m[0] == 0 {
			return 0, 0
		}
		return left + m[1]/m[0], m[0]
	})
}

// newton returns the cells after one step of Newton's method for the equation
// means(points) = points. It halves the step until the largest distance between a point
// and its cell's mean decreases. It returns nil if that distance does not decrease.
func (d *Density) newton(c *cells) *cells {
	step := d.newtonStep(c)
	for fraction := 1.0; fraction > 1e-3; fraction /= 2 {
		points := slices.Clone(c.points)
		ordered := true
		for k := range points {
			points[k] += float64(fraction * step[k])
			ordered = ordered && points[k] > d.low && points[k] < d.high() && (k == 0 || points[k] > points[k-1])
		}
		if !ordered {
			continue
		}
		if next := d.cells(points); next.gap < c.gap {
			return next
		}
	}
	return nil
}

// newtonStep returns the Newton step of each point. The derivative of a cell's mean with
// respect to its left threshold s is f(s)(mean − s)/mass, with respect to its right
// threshold t it is f(t)(t − mean)/mass, and the derivative of a threshold with respect
// to each of its points is one half. This gives a tridiagonal system.
func (d *Density) newtonStep(c *cells) []float64 {
	n := len(c.points)
	lower, diagonal, upper, step := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		if c.masses[k] > 0 && k > 0 {
			s := c.thresholds[k-1]
			lower[k] = float64(d.At(s)*(c.means[k]-s)) / (2 * c.masses[k])
		}
		if c.masses[k] > 0 && k < n-1 {
			t := c.thresholds[k]
			upper[k] = float64(d.At(t)*(t-c.means[k])) / (2 * c.masses[k])
		}
		diagonal[k] = lower[k] + upper[k] - 1
		step[k] = c.points[k] - c.means[k]
	}
	solveTridiagonal(lower, diagonal, upper, step)
	return step
}

// solveTridiagonal solves lower[k]·x[k−1] + diagonal[k]·x[k] + upper[k]·x[k+1] = b[k] by
// elimination without pivoting. It overwrites b with x, and diagonal with scratch values.
func solveTridiagonal(lower, diagonal, upper, b []float64) {
	for k := 1; k < len(b); k++ {
		factor := lower[k] / diagonal[k-1]
		diagonal[k] -= float64(factor * upper[k-1])
		b[k] -= float64(factor * b[k-1])
	}
	for k := len(b) - 1; k >= 0; k-- {
		if k < len(b)-1 {
			b[k] -= float64(upper[k] * b[k+1])
		}
		b[k] /= diagonal[k]
	}
}

// FitLloydMax returns the quantiser that Lloyd's method finds for samples, starting from
// the quantiser of [FitHighRate]. Each threshold is midway between points, and each point
// differs from the mean of the samples in its cell by at most the tolerance, which is in
// standard deviations. With tolerance 0 it continues until nothing changes. The result is
// a local optimum: a different quantiser may be better ([FitOptimal] finds the best). A
// point does not move while its cell contains no samples. FitLloydMax returns an error if
// there are more levels than distinct samples, or if it does not reach the tolerance.
func FitLloydMax(x []float64, levels int, tolerance float64) (*Scalar, error) {
	if err := checkTolerance(tolerance); err != nil {
		return nil, err
	}
	if err := checkDistinct(lloydMaxName, x, levels); err != nil {
		return nil, err
	}
	start, err := FitHighRate(x, levels)
	if err != nil {
		return nil, err
	}
	s := newRanked(x)
	deviation := math.Sqrt(s.meanSquare())
	now := s.cells(start.points)
	for range mostIterations {
		if now.gap <= tolerance*deviation {
			return newScalar(lloydMaxName, now.thresholds, now.points)
		}
		now = s.cells(now.means)
	}
	return nil, notReached(now.gap/deviation, tolerance)
}
