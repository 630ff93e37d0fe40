package token

import "math"

// haarTaps returns the low-pass taps of the Haar wavelet.
func haarTaps() []float64 { return []float64{math.Sqrt2 / 2, math.Sqrt2 / 2} }

// daubechies4Taps returns the low-pass taps (1+√3, 3+√3, 3−√3, 1−√3)/(4√2). With these,
// the details of a straight line are zero (Daubechies 1988).
func daubechies4Taps() []float64 {
	root, scale := math.Sqrt(3), 1/(4*math.Sqrt2)
	return []float64{(1 + root) * scale, (3 + root) * scale, (3 - root) * scale, (1 - root) * scale}
}

// splits reports whether the wavelet can split a block of this length into low-pass
// coefficients and details.
func (t *Transform) splits(length int) bool { return length%2 == 0 && length >= len(t.scaling) }

// detail returns tap m of the high-pass filter: the low-pass filter reversed, with every
// second tap negated.
func (t *Transform) detail(m int) float64 {
	tap := t.scaling[len(t.scaling)-1-m]
	if m%2 == 1 {
		return -tap
	}
	return tap
}

// analyse computes the levels from fine to coarse. Each level replaces the low-pass
// coefficients x of the previous level by its own low-pass coefficients and details, with
// low-pass taps h and high-pass taps g:
//
//	low[k] = Σ_m h[m]·x[(2k+m) mod length],  high[k] = Σ_m g[m]·x[(2k+m) mod length]
func (t *Transform) analyse(dst, x, scratch []float64) {
	copy(dst, x)
	for length := t.n; t.splits(length); length /= 2 {
		above, half := scratch[:length], length/2
		copy(above, dst)
		for k := range half {
			low, high := 0.0, 0.0
			for m, tap := range t.scaling {
				v := above[(2*k+m)%length]
				low += float64(tap * v)
				high += float64(t.detail(m) * v)
			}
			dst[k], dst[half+k] = low, high
		}
	}
}

// synthesise computes the levels from coarse to fine, each by the transpose of analyse's
// step, which is its inverse.
func (t *Transform) synthesise(dst, c, scratch []float64) {
	copy(dst, c)
	length := t.n
	for t.splits(length) {
		length /= 2
	}
	for ; length < t.n; length *= 2 {
		above := scratch[:2*length]
		clear(above)
		for k := range length {
			for m, tap := range t.scaling {
				at := (2*k + m) % (2 * length)
				above[at] += float64(tap*dst[k]) + float64(t.detail(m)*dst[length+k])
			}
		}
		copy(dst, above)
	}
}
