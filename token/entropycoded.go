package token

import (
	"fmt"
	"math"

	"foretell/internal/portable"
)

// Entropy returns the entropy of a quantiser's tokens under the density, in bits a
// sample: the rate that they need with an ideal code for single tokens. It evaluates the
// integral and needs no samples.
func (d *Density) Entropy(q Staircase) float64 {
	thresholds := q.Thresholds()
	masses := make([]float64, len(thresholds)+1)
	for k := range masses {
		left, right := d.cell(thresholds, k)
		masses[k] = d.between(left, right)[0]
	}
	return portable.Entropy(masses) / math.Ln2
}

const (
	// finest is the largest number of steps that EntropyCoded tries within the density's
	// interval.
	finest = 1 << 15
	// mostCodedBits is the largest entropy that EntropyCoded accepts.
	mostCodedBits = 12
)

// EntropyCoded returns the quantiser with uniform thresholds for a density whose tokens
// have the given entropy, in bits a sample. The thresholds are the odd multiples of half
// a step on both sides of the mean, and each point is the mean of its cell. At high rates
// its distortion is πe/6 times Shannon's lower bound (1.53 dB), and no scalar quantiser
// has less with an ideal code (Gish and Pierce 1968). The entropy must fall as the step
// grows, as it does for a normal density. EntropyCoded returns an error if the entropy is
// outside (0, 12], or if no step gives it to within 10⁻⁹ bits.
func EntropyCoded(d *Density, bits float64) (*Scalar, error) {
	if !(bits > 0 && bits <= mostCodedBits) {
		return nil, fmt.Errorf("entropy_coded: bits = %g is outside (0, %d]", bits, mostCodedBits)
	}
	width := d.high() - d.low
	fine, coarse := width/finest, width*(1-1e-9)/2
	for range 100 {
		step := math.Sqrt(fine * coarse)
		q, err := uniformThresholds(d, step)
		if err != nil {
			return nil, err
		}
		switch got := d.Entropy(q); {
		case math.Abs(got-bits) <= 1e-9:
			return q, nil
		case got > bits:
			fine = step
		default:
			coarse = step
		}
	}
	return nil, fmt.Errorf("entropy_coded: no step gives %g bits a sample", bits)
}

// uniformThresholds returns the quantiser of a density with thresholds at the odd
// multiples of half the step from its mean. Its points are the means of the cells.
func uniformThresholds(d *Density, step float64) (*Scalar, error) {
	var thresholds []float64
	first := math.Ceil((d.low-d.mean)/step - 0.5)
	for k := first; ; k++ {
		t := d.mean + float64((k+0.5)*step)
		if t >= d.high() {
			break
		}
		if t > d.low {
			thresholds = append(thresholds, t)
		}
	}
	points := make([]float64, len(thresholds)+1)
	for k := range points {
		left, right := d.cell(thresholds, k)
		points[k] = left + float64((right-left)/2)
		if m := d.between(left, right); m[0] > 0 {
			points[k] = left + m[1]/m[0]
		}
	}
	return newScalar("entropy_coded", thresholds, points)
}
