package series

import (
	"math"
	"testing"

	"foretell/internal/random"

	"pgregory.net/rapid"
)

// near fails unless two numbers differ by at most a tolerance.
func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.9g, want %.9g ± %g", what, got, want, tolerance)
	}
}

// noise returns n normal numbers.
func noise(seed uint64, n int) []float64 {
	stream := random.New(seed, "series/test")
	values := make([]float64, n)
	for i := range values {
		values[i] = stream.Normal()
	}
	return values
}

// distributions are one of each kind, with most of their mass within ±8.
func distributions(t testing.TB) map[string]Distribution {
	values := noise(1, 40)
	empirical, err := NewEmpirical(append(values, math.NaN(), values[3], values[3]))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := FitCells(values, 4)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Distribution{
		"normal":    Normal{0.3, 1.2},
		"point":     Normal{0.5, 0},
		"empirical": empirical,
		"cells":     cells.Distribution([]float64{0.1, 0.5, 0, 0.4}),
	}
}

// CRPS is the integral that defines it, and the quantile is the inverse of the CDF.
func TestDistributions(t *testing.T) {
	for name, d := range distributions(t) {
		t.Run(name, func(t *testing.T) {
			const step = 1e-4
			for _, x := range []float64{-3, -0.4, 0.3, 0.9, 4} {
				integral, mean := 0.0, 0.0
				for y := -8 + step/2; y < 8; y += step {
					f := d.CDF(y)
					integral += step * (f - indicator(y >= x)) * (f - indicator(y >= x))
					mean += step * (indicator(y >= 0) - f)
				}
				near(t, "CRPS", d.CRPS(x), integral, 1e-3)
				if name != "cells" { // whose mean is by the means of the fitted values
					near(t, "mean", d.Mean(), mean, 1e-3)
				}
			}
			for p := 0.01; p < 1; p += 0.03 {
				x := d.Quantile(p)
				if d.CDF(x) < p-1e-9 || d.CDF(x-1e-6) > p+1e-9 {
					t.Errorf("quantile %g is %g, where the CDF is %g to %g", p, x, d.CDF(x-1e-6), d.CDF(x))
				}
			}
		})
	}
}

// The cells' probabilities of any forecast have a sum of 1, each value that the cells
// were fitted on is inside its cell, and the quantiser has the same cells.
func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(-20, 20).Draw(t, "value")) / 4
		}), 2, 200).Draw(t, "values")
		values = append(values, 6) // at least two different values
		levels := rapid.IntRange(2, 40).Draw(t, "levels")
		if values[0] == 6 {
			values[0] = 5
		}
		cells, err := FitCells(values, levels)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := cells.Encode(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range values {
			cell, low, high := cells.cell(x)
			if int(tokens[i]) != cell || !(low < x && x < high) {
				t.Fatalf("%g is token %d, in cell %d from %g to %g", x, tokens[i], cell, low, high)
			}
		}
		empirical, _ := NewEmpirical(values)
		for _, d := range []Distribution{Normal{0, 2}, Normal{1, 0}, empirical} {
			sum := 0.0
			for _, point := range cells.Points() {
				sum += math.Exp(-cells.Nats(d, point))
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("probabilities have the sum %g", sum)
			}
		}
	})
}

// Cells have equal probability where values differ; nats have a ceiling.
func TestCellsAreEquallyProbable(t *testing.T) {
	values := noise(2, 1600)
	cells, err := FitCells(append(values, math.NaN()), 16)
	if err != nil || cells.Levels()[0] != 16 {
		t.Fatal(cells, err)
	}
	empirical, _ := NewEmpirical(values)
	for _, x := range values {
		near(t, "nats", cells.Nats(empirical, x), math.Log(16), 1e-9)
	}
	near(t, "the most nats", cells.Nats(Normal{-100, 1}, 100), math.Log(1600), 1e-9)
	for _, bad := range [][]float64{nil, {math.NaN()}, {3, 3, 3}} {
		if _, err := FitCells(bad, 4); err == nil {
			t.Errorf("cells of %v", bad)
		}
	}
}

// Cells have 2 to 4,096 levels.
func TestCellsHaveLimits(t *testing.T) {
	values := noise(1, 100)
	for levels, ok := range map[int]bool{1: false, 2: true, 4096: true, 4097: false} {
		if _, err := FitCells(values, levels); (err == nil) != ok {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}
