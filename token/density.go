package token

import (
	"fmt"
	"math"

	"foretell/internal/portable"
)

// Density is a probability density f on an interval. The interval is divided into equal
// panels; integrals are accurate to float64 if the density is smooth within each panel.
type Density struct {
	low, width float64 // the left end of the first panel, and the width of each panel
	panels     []moments
	f          func(x float64) float64
	total      float64 // ∫f before normalisation
	mean       float64
	deviation  float64
}

// moments are ∫f, ∫f·(x−c) and ∫f·(x−c)² over an interval. c is the left end of the
// interval unless stated otherwise.
type moments [3]float64

// mostPanels is the number of panels of a density. A panel of a normal density is then
// about a fiftieth of a standard deviation wide.
const mostPanels = 1024

// reach is the distance from the mean, in standard deviations, at which a normal density
// is cut off. The mass beyond it is 10⁻²³. A Laplace density is cut off at 3·reach.
const reach = 10

// Normal returns the normal density, cut at ten standard deviations. It panics if the
// standard deviation is not positive.
func Normal(mean, deviation float64) *Density {
	return mustDensity(func(x float64) float64 {
		return portable.Exp(-square((x-mean)/deviation) / 2)
	}, mean-float64(reach*deviation), mean+float64(reach*deviation))
}

// Laplace returns the density ∝ exp(−√2|x − mean|/deviation), cut at 30 standard
// deviations. It panics if the standard deviation is not positive.
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
// panels by five-point Gauss–Legendre quadrature, so f should be smooth within each
// panel. It returns an error if f is zero everywhere, or negative or not finite where it
// is evaluated.
func NewDensity(f func(x float64) float64, low, high float64) (*Density, error) {
	return newDensity(f, low, high, mostPanels)
}

func newDensity(f func(x float64) float64, low, high float64, panels int) (*Density, error) {
	if !(usable(low) && usable(high) && low < high) {
		return nil, fmt.Errorf("density: the range [%g, %g] is not valid: want low < high, both within ±%g",
			low, high, hugest)
	}
	d := &Density{low: low, width: (high - low) / float64(panels), f: f, panels: make([]moments, panels)}
	for i := range d.panels {
		d.panels[i] = d.integrate(d.edge(i), d.edge(i+1))
		if m := d.panels[i][0]; !(m >= 0 && m <= hugest) {
			return nil, fmt.Errorf("density: from %g to %g the integral is %g: "+
				"want a density that is finite and not negative",
				d.edge(i), d.edge(i+1), m)
		}
		d.total += d.panels[i][0]
	}
	if !(d.total > 0) || !usable(1/d.total) {
		return nil, fmt.Errorf("density: the function is zero from %g to %g", low, high)
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

// Mean returns the mean, ∫x·f(x) dx.
func (d *Density) Mean() float64 { return d.mean }

// Deviation returns the standard deviation.
func (d *Density) Deviation() float64 { return d.deviation }

// At returns the density f(x), or 0 outside the interval.
func (d *Density) At(x float64) float64 {
	if !(x >= d.low && x <= d.high()) {
		return 0
	}
	return d.f(x)
}

func (d *Density) edge(i int) float64 { return d.low + float64(float64(i)*d.width) }
func (d *Density) high() float64      { return d.edge(len(d.panels)) }

// panel returns the index of the panel that contains x.
func (d *Density) panel(x float64) int {
	return min(max(int((x-d.low)/d.width), 0), len(d.panels)-1)
}

// Nodes and weights of five-point Gauss–Legendre quadrature on [−1, 1].
var (
	legendreNodes   = [...]float64{-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831, 0.906179845938664}
	legendreWeights = [...]float64{
		0.23692688505618908, 0.47862867049936647, 0.5688888888888889, 0.47862867049936647, 0.23692688505618908,
	}
)

// integrate returns the moments of f over [a, b], which must be within one panel.
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

// between returns the moments, with c = a, over the part of [a, b] that is inside the
// density's interval.
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

// add adds the moments of another interval. Its left end is the given distance to the
// right of the left end that m refers to.
func (m *moments) add(other moments, distance float64) {
	m[0] += other[0]
	m[1] += other[1] + float64(distance*other[0])
	m[2] += other[2] + float64(2*distance*other[1]) + float64(square(distance)*other[0])
}

// about returns ∫f·(x−c)², where c is the given distance to the right of the left end.
func (m moments) about(distance float64) float64 {
	return m[2] - float64(2*distance*m[1]) + float64(square(distance)*m[0])
}

// Staircase is a scalar quantiser with ascending thresholds. A sample between two
// thresholds decodes to the point between them. *[Scalar] and *[Uniform] implement it.
type Staircase interface {
	Quantizer
	Thresholds() []float64
	Points() []float64
}

// Distortion returns the mean squared error ∫f·(x − x̂)² of a quantiser under the
// density. It evaluates the integral and needs no samples.
func (d *Density) Distortion(q Staircase) float64 {
	sum, thresholds := 0.0, q.Thresholds()
	for k, point := range q.Points() {
		left, right := d.cell(thresholds, k)
		sum += d.between(left, right).about(point - left)
	}
	return sum
}

// cell returns the ends of cell k, which is between thresholds k−1 and k. The outer cells
// end where the density's interval ends.
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
