package token

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

var highRateTokenizer = Tokenizer{
	Name:    "high_rate",
	Params:  []Param{levelsParam},
	Summary: "the high-rate law: the density of levels is proportional to the cube root of the histogram",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitHighRate(x, p.whole("levels")))
	},
}

// cubeRoot returns the density ∝ f^⅓. In the limit of many levels, the levels of the best
// quantiser have this density.
func (d *Density) cubeRoot() (*Density, error) {
	return newDensity(func(x float64) float64 {
		y := d.At(x)
		if y <= 0 {
			return 0
		}
		return portable.Exp(portable.Log(y) / 3)
	}, d.low, d.high(), len(d.panels))
}

// HighRateDistortion returns the mean squared error of the best quantiser with B levels,
// in the limit of many levels (Panter and Dite 1951),
//
//	D ≈ (∫f^⅓)³/(12B²).
//
// For a normal density it is √3π/2·σ²/B². For a uniform density it is exact for every B.
func HighRateDistortion(d *Density, levels int) (float64, error) {
	if levels < 1 {
		return 0, fmt.Errorf("high_rate: levels = %d: want 1 or more", levels)
	}
	root, err := d.cubeRoot()
	if err != nil {
		return 0, err
	}
	return portable.Power(root.total, 3) / (12 * square(float64(levels))), nil
}

// HighRate returns the quantiser of the high-rate law (Panter and Dite 1951): a compander
// G(x) ∝ ∫f^⅓, followed by B equal steps, each of which decodes to its middle. The
// thresholds are G⁻¹(k/B), and the points are G⁻¹((k + ½)/B). The quantiser approaches
// the optimal one as the number of levels grows.
func HighRate(d *Density, levels int) (*Scalar, error) {
	const name = "high_rate"
	if err := checkLevels(name, "levels", levels); err != nil {
		return nil, err
	}
	root, err := d.cubeRoot()
	if err != nil {
		return nil, err
	}
	halves := root.quantiles(2 * levels)
	thresholds, points := make([]float64, 0, levels-1), make([]float64, 0, levels)
	for i, x := range halves {
		if i%2 == 0 {
			points = append(points, x)
		} else {
			thresholds = append(thresholds, x)
		}
	}
	return newScalar(name, thresholds, points)
}

// FitHighRate returns the quantiser of the high-rate law for the histogram of the n
// samples x with 2∛n bins (the Rice rule). It returns an error if there are more levels
// than distinct samples.
func FitHighRate(x []float64, levels int) (*Scalar, error) {
	if err := checkDistinct("high_rate", x, levels); err != nil {
		return nil, err
	}
	d, err := histogram(x)
	if err != nil {
		return nil, err
	}
	return HighRate(d, levels)
}

// checkDistinct returns an error if x cannot be used for fitting, or has fewer distinct
// samples than the given number of levels.
func checkDistinct(name string, x []float64, levels int) error {
	if err := checkLevels(name, "levels", levels); err != nil {
		return err
	}
	if err := checkTraining(name, x); err != nil {
		return err
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	if n := len(slices.Compact(sorted)); n < levels {
		return fmt.Errorf("%s: %d levels, but the samples have %d distinct values: want at most %d levels",
			name, levels, n, n)
	}
	return nil
}

// histogram returns the density of samples in equal bins between their extremes. It
// divides the counts by a power of two that is close to the width of a bin, so that no
// integral overflows float64, whatever the samples are.
func histogram(x []float64) (*Density, error) {
	low, high := slices.Min(x), slices.Max(x)
	bins := 2
	for portable.Power(float64(bins), 3) < 8*float64(len(x)) {
		bins++
	}
	counts := make([]float64, bins)
	bin := func(v float64) int { return min(int(float64((v-low)*float64(bins))/(high-low)), bins-1) }
	for _, v := range x {
		counts[bin(v)]++
	}
	_, exponent := math.Frexp((high - low) / float64(bins))
	for i, n := range counts {
		counts[i] = math.Ldexp(n, -exponent)
	}
	return newDensity(func(v float64) float64 { return counts[max(bin(v), 0)] }, low, high, bins)
}

// quantiles returns the n−1 numbers below which the mass is 1/n, 2/n, ….
func (d *Density) quantiles(n int) []float64 {
	all, below, at := make([]float64, 0, n-1), 0.0, 0
	for k := 1; k < n; k++ {
		share := float64(k) / float64(n)
		for at < len(d.panels)-1 && below+d.panels[at][0] < share {
			below += d.panels[at][0]
			at++
		}
		left, right := d.edge(at), d.edge(at+1)
		reached := func(x float64) bool { return below+d.integrate(left, x)[0] >= share }
		all = append(all, firstAbove(left, right, reached))
	}
	return all
}
