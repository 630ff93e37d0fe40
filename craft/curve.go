package craft

import (
	"fmt"
	"math"
	"slices"
)

// Curve is a piecewise-linear function of one number, computed by a layer of ReLU
// neurons: Offset + Σ ramps. Each ramp is one neuron.
type Curve struct {
	Offset float64
	Ramps  []Ramp
}

// Ramp is Slope·max(0, x − Knot), or Slope·max(0, Knot − x) if it opens to the left.
type Ramp struct {
	Knot, Slope float64
	Left        bool
}

// At returns the value at x.
func (c Curve) At(x float64) float64 {
	y := c.Offset
	for _, r := range c.Ramps {
		y += r.Slope * max(0, r.sign()*(x-r.Knot))
	}
	return y
}

// sign returns −1 for a ramp that opens to the left, otherwise 1.
func (r Ramp) sign() float64 {
	if r.Left {
		return -1
	}
	return 1
}

// Point is a vertex of a curve.
type Point struct{ X, Y float64 }

// Through returns the curve through two or more points with ascending X; its first and
// last segment continue beyond the ends. It has one neuron for each segment that is not
// level (two if there is only one segment). The ramps open away from a vertex of the
// least steep segment, so that the ramps of a convex or concave curve all have the same
// sign and do not cancel. It panics if there are fewer than two points or X does not
// ascend.
func Through(points []Point) Curve {
	if len(points) < 2 {
		panic(fmt.Sprintf("craft: a curve through %d points; want at least two", len(points)))
	}
	slopes := make([]float64, len(points)-1)
	least := 0
	for i := range slopes {
		from, to := points[i], points[i+1]
		if !(to.X > from.X) {
			panic(fmt.Sprintf("craft: a curve through x = %v and then x = %v; want ascending x", from.X, to.X))
		}
		slopes[i] = (to.Y - from.Y) / (to.X - from.X)
		if math.Abs(slopes[i]) < math.Abs(slopes[least]) {
			least = i
		}
	}
	middle := max(1, least) // segments before it are ramps to the left
	c := Curve{Offset: points[middle].Y}
	inner := 0.0
	for i := middle - 1; i >= 0; i-- {
		c.add(Ramp{points[i+1].X, inner - slopes[i], true})
		inner = slopes[i]
	}
	if inner = 0; len(slopes) == 1 {
		c.add(Ramp{points[1].X, slopes[0], false})
	}
	for i := middle; i < len(slopes); i++ {
		c.add(Ramp{points[i].X, slopes[i] - inner, false})
		inner = slopes[i]
	}
	return c
}

// add adds a ramp unless its slope is 0.
func (c *Curve) add(r Ramp) {
	if r.Slope != 0 {
		c.Ramps = append(c.Ramps, r)
	}
}

// Step is the curve that rises from 0 to 1 on the interval [at − width/2, at + width/2].
// It has two neurons.
func Step(at, width float64) Curve {
	return Curve{Ramps: []Ramp{{at - width/2, 1 / width, false}, {at + width/2, -1 / width, false}}}
}

// Bump is the curve that is 1 at the given point and falls to 0 at the given distance
// (width) on both sides. It has three neurons. If the point is an integer and the width
// is 1, the curve is 0 at all other integers.
func Bump(at, width float64) Curve {
	return Curve{Ramps: []Ramp{{at - width, 1 / width, false}, {at, -2 / width, false}, {at + width, 1 / width, false}}}
}

// Table is the curve that is values[i] at the integer first+i and 0 at all other
// integers, with at most len(values)+2 neurons: a sum of one [Bump] for each value, where
// neighbours share ramps.
func Table(first int, values []float64) Curve {
	points := []Point{{float64(first - 2), 0}, {float64(first - 1), 0}}
	for i, y := range values {
		points = append(points, Point{float64(first + i), y})
	}
	end := float64(first + len(values))
	return Through(append(points, Point{end, 0}, Point{end + 1, 0}))
}

// Approximate returns a curve within maxError of f on [lo, hi] with the fewest possible
// segments. The function f must be concave or convex on a neighbourhood of [lo, hi], and
// the function slope must be its derivative there. It panics unless lo < hi and maxError
// > 0.
//
// For concave f the vertices of the curve are on f + maxError (except the last, which may
// be below), and each segment touches f − maxError. A tangent of a concave function is
// nowhere below it, and a chord is nowhere above it, so the curve stays between f −
// maxError and f + maxError. Starting from the end of the previous segment, no segment
// can reach farther without leaving the band, so there is no curve with fewer segments.
func Approximate(f, slope func(float64) float64, lo, hi, maxError float64) Curve {
	if !(lo < hi && maxError > 0) {
		panic(fmt.Sprintf("craft: an approximation with error %v on [%v, %v]; want a positive error and lo < hi",
			maxError, lo, hi))
	}
	sign := 1.0
	if slope(hi) > slope(lo) {
		sign = -1
	}
	b := band{
		lower: func(x float64) float64 { return sign*f(x) - maxError },
		slope: func(x float64) float64 { return sign * slope(x) },
		upper: func(x float64) float64 { return sign*f(x) + maxError },
		from:  lo,
	}
	points := b.leftwards(Point{hi, b.upper(hi)}, lo)
	for i := range points {
		points[i].Y *= sign
	}
	return Through(points)
}

// band is the region between two concave curves. The derivative of the lower curve is the
// function slope. The lower curve need not be defined to the left of the number `from`.
type band struct {
	lower, slope, upper func(float64) float64
	from                float64
}

// leftwards returns the vertices, in the order of x, of the path with the fewest segments
// from the given point of the band left to x = lo. Each segment is the tangent to the
// lower curve through the last vertex, up to its intersection with the upper curve.
func (b band) leftwards(start Point, lo float64) []Point {
	points := []Point{start}
	for at := start; at.X > lo; {
		next := Point{lo, b.upper(lo)} // left of b.from there is no lower curve to touch
		if touch := b.touch(at); touch > b.from {
			line := func(x float64) float64 { return at.Y + b.slope(touch)*(x-at.X) }
			next = Point{lo, line(lo)}
			if next.Y > b.upper(lo) {
				next.X = bisect(lo, touch, func(x float64) bool { return line(x) > b.upper(x) })
				next.Y = b.upper(next.X)
			}
		}
		if next.X >= at.X {
			panic(fmt.Sprintf("craft: the error is too small for float64 at x = %v", at.X))
		}
		points = append(points, next)
		at = next
	}
	slices.Reverse(points)
	return points
}

// touch returns the x at which a tangent through the point `at` touches the lower curve,
// to the left of the point. If the line from the point to the curve's left end stays
// above the curve, touch returns that end, b.from.
func (b band) touch(at Point) float64 {
	return bisect(b.from, at.X, func(x float64) bool {
		return b.lower(x)+b.slope(x)*(at.X-x) > at.Y
	})
}

// bisect returns, up to rounding, the largest x in [lo, hi] for which before(x) is true.
// The function must be true up to that x and false beyond it.
func bisect(lo, hi float64, before func(float64) bool) float64 {
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if before(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
