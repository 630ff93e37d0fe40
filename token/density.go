package token

import (
	"fmt"
	"math"

	"foretell/internal/portable"
)

// Density is a probability density on an interval, with integrals to the accuracy of
// float64 where it is smooth within each of its equal panels.
type Density struct {
	low, width float64 // of the first panel and of each
	panels     []moments
	f          func(x float64) float64
	total      float64 // ∫ of what f is the normalised one of
	mean       float64
	deviation  float64
}

// moments are ∫f, ∫f·(x−c) and ∫f·(x−c)² over an interval, c being its left end where
// nothing else is said.
type moments [3]float64

// mostPanels is enough for panels of a fiftieth of a normal's deviation.
const mostPanels = 1024

// reach is how many deviations a density without bounds is kept for; beyond, a normal has
// a mass of 10⁻²³.
const reach = 10

// Normal returns the normal density, cut at ten deviations. It panics when the deviation
// is not positive.
func Normal(mean, deviation float64) *Density {
	return mustDensity(func(x float64) float64 {
		return portable.Exp(-square((x-mean)/deviation) / 2)
	}, mean-float64(reach*deviation), mean+float64(reach*deviation))
}

// Laplace returns the density ∝ exp(−√2|x − mean|/deviation), cut at 30 deviations. It
// panics when the deviation is not positive.
func Laplace(mean, deviation float64) *Density {
	return mustDensity(func(x float64) float64 {
		return portable.Exp(-float64(math.Sqrt2*math.Abs(x-mean)) / deviation)
	}, mean-float64(3*reach*deviation), mean+float64(3*reach*deviation))
}

func mustDensity(f func(x float64) float64, low, high float64) *Density {
	d, err := NewDensity(f, low, high)
	if err != nil {
		panic("token: " + err.Error())
	}
	return d
}

// NewDensity returns the density ∝ f on [low, high]. It integrates over 1,024 equal
// panels by Gauss–Legendre quadrature of five points, so f is best smooth within each. It
// is an error when f is negative or not finite somewhere it is looked at, or zero
// everywhere.
func NewDensity(f func(x float64) float64, low, high float64) (*Density, error) {
	return newDensity(f, low, high, mostPanels)
}

func newDensity(f func(x float64) float64, low, high float64, panels int) (*Density, error) {
	if !(usable(low) && usable(high) && low < high) {
		return nil, fmt.Errorf("density: the range [%g, %g] is none: want low < high, both within ±%g", low, high, hugest)
	}
	d := &Density{low: low, width: (high - low) / float64(panels), f: f, panels: make([]moments, panels)}
	for i := range d.panels {
		d.panels[i] = d.integrate(d.edge(i), d.edge(i+1))
		if m := d.panels[i][0]; !(m >= 0 && m <= hugest) {
			return nil, fmt.Errorf("density: from %g to %g the integral is %g: want a density that is finite and not negative",
				d.edge(i), d.edge(i+1), m)
		}
		d.total += d.panels[i][0]
	}
	if !(d.total > 0) || !usable(1/d.total) {
		return nil, fmt.Errorf("density: it is zero from %g to %g", low, high)
	}
	d.f = func(x float64) float64 { return f(x) / d.total }
	for i := range d.panels {
		for k := range d.panels[i] {
			d.panels[i][k] /= d.total
		}
	}
	all := d.between(low, high)
	d.mean = low + all[1]
	d.deviation = math.Sqrt(all[2] - square(all[1]))
	return d, nil
}

// Mean returns ∫x·f.
func (d *Density) Mean() float64 { return d.mean }

// Deviation returns the standard deviation.
func (d *Density) Deviation() float64 { return d.deviation }

// At returns f(x), 0 outside of the interval.
func (d *Density) At(x float64) float64 {
	if !(x >= d.low && x <= d.high()) {
		return 0
	}
	return d.f(x)
}

func (d *Density) edge(i int) float64 { return d.low + float64(float64(i)*d.width) }
func (d *Density) high() float64      { return d.edge(len(d.panels)) }

// panel returns the panel of a number in the interval.
func (d *Density) panel(x float64) int {
	return min(max(int((x-d.low)/d.width), 0), len(d.panels)-1)
}

// Nodes and weights of Gauss–Legendre quadrature of five points on [−1, 1].
var (
	legendreNodes   = [...]float64{-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831, 0.906179845938664}
	legendreWeights = [...]float64{
		0.23692688505618908, 0.47862867049936647, 0.5688888888888889, 0.47862867049936647, 0.23692688505618908,
	}
)

// integrate returns the moments of f over an interval within a panel.
func (d *Density) integrate(a, b float64) (m moments) {
	half := (b - a) / 2
	for i, node := range legendreNodes {
		u := float64(half * (1 + node))
		w := float64(float64(half*legendreWeights[i]) * d.f(a+u))
		m[0] += w
		m[1] += float64(w * u)
		m[2] += float64(w * square(u))
	}
	return m
}

// between returns the moments over [a, b], cut to the density's interval.
func (d *Density) between(a, b float64) (sum moments) {
	low, high := max(a, d.low), min(b, d.high())
	if !(low < high) {
		return sum
	}
	first, last := d.panel(low), d.panel(high)
	if first == last {
		sum.add(d.integrate(low, high), low-a)
		return sum
	}
	sum.add(d.integrate(low, d.edge(first+1)), low-a)
	for i := first + 1; i < last; i++ {
		sum.add(d.panels[i], d.edge(i)-a)
	}
	sum.add(d.integrate(d.edge(last), high), d.edge(last)-a)
	return sum
}

// add adds the moments of an interval that begins a distance to the right of m's.
func (m *moments) add(other moments, distance float64) {
	m[0] += other[0]
	m[1] += other[1] + float64(distance*other[0])
	m[2] += other[2] + float64(2*distance*other[1]) + float64(square(distance)*other[0])
}

// about returns ∫f·(x−c)² of moments, c being a distance to the right of their left end.
func (m moments) about(distance float64) float64 {
	return m[2] - float64(2*distance*m[1]) + float64(square(distance)*m[0])
}

// Staircase is a scalar quantiser with its thresholds, ascending, and what stands for the
// samples between them: *[Scalar] and *[Uniform].
type Staircase interface {
	Quantizer
	Thresholds() []float64
	Points() []float64
}

// Distortion returns the mean squared error of a quantiser under the density, ∫f·(x −
// x̂)², by integration and so without samples.
func (d *Density) Distortion(q Staircase) float64 {
	sum, thresholds := 0.0, q.Thresholds()
	for k, point := range q.Points() {
		left, right := d.cell(thresholds, k)
		sum += d.between(left, right).about(point - left)
	}
	return sum
}

// cell returns the ends of cell k, those of the density's interval at the outer ones.
func (d *Density) cell(thresholds []float64, k int) (left, right float64) {
	left, right = d.low, d.high()
	if k > 0 {
		left = max(left, thresholds[k-1])
	}
	if k < len(thresholds) {
		right = max(left, min(right, thresholds[k]))
	}
	return left, right
}
