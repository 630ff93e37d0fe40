package series

import (
	"math"
	"testing"

	"foretell/internal/random"
)

// The mean of a process with correlated values is inside its 95 % interval about as often
// as it should be; with blocks of one value it would not be.
func TestBootstrapCovers(t *testing.T) {
	covered, single := 0, 0
	const seeds = 200
	for seed := range uint64(seeds) {
		x := autoregressive(seed, 400, 0.6)
		for i, length := range []float64{blockLength(x), 1} {
			draws := resamples(len(x), 300, length, random.New(seed, "series/test/bootstrap"))
			_, interval := meanAndInterval(x, draws)
			if interval[0] <= 0 && 0 <= interval[1] {
				if i == 0 {
					covered++
				} else {
					single++
				}
			}
		}
	}
	t.Logf("%d of %d with blocks, %d with single values", covered, seeds, single)
	if covered < 172 || single > 160 {
		t.Errorf("%d of %d intervals cover the mean, %d with single values", covered, seeds, single)
	}
}

func TestResamples(t *testing.T) {
	for _, block := range []float64{1, 7, 30} {
		total := make([]int, 50)
		for _, counts := range resamples(50, 4000, block, random.New(1, "series/test")) {
			sum := 0
			for i, c := range counts {
				sum += int(c)
				total[i] += int(c)
			}
			if sum != 50 {
				t.Fatalf("a draw has %d values", sum)
			}
		}
		for _, c := range total { // the standard error is at most √(2·30/4000) = 0.12
			near(t, "times that a value is drawn", float64(c)/4000, 1, 0.5)
		}
	}
}

func TestBlockLength(t *testing.T) {
	for _, row := range []struct{ phi, low, high float64 }{{0, 1, 4}, {0.5, 5, 25}, {0.9, 25, 90}} {
		got := blockLength(autoregressive(4, 2000, row.phi))
		if !(got >= row.low && got <= row.high) {
			t.Errorf("φ = %g: %g, want %g to %g", row.phi, got, row.low, row.high)
		}
	}
	if got := blockLength(make([]float64, 20)); got != 1 {
		t.Errorf("constant: %g", got)
	}
}

// Without adaptation the interval is the one of split conformal prediction: with nine
// errors the 80 % interval reaches to the eighth.
func TestConformalRadius(t *testing.T) {
	c := newConformal([]float64{-9, 8, 7, 6, math.NaN(), 5, 4, -3, 2, 1}, 0.8)
	near(t, "80 %", c.radius(), 8, 0)
	c.now = 0.95
	if !math.IsInf(c.radius(), 1) {
		t.Errorf("95 %% of nine errors: %g", c.radius())
	}
}

// Errors that grow threefold are covered in the long run, and an error is not used before
// it is known.
func TestConformalAdapts(t *testing.T) {
	calibration, errors := noise(1, 300), noise(2, 2000)
	for i := range errors {
		errors[i] *= 3
	}
	hits := newConformal(calibration, 0.8).run(errors, 5)
	share, _ := momentsOf(hits)
	near(t, "coverage", share, 0.8, 0.03)
	errors[100] = 1e6
	changed := newConformal(calibration, 0.8).run(errors, 5)
	for i := range 105 {
		if i != 100 && changed[i] != hits[i] {
			t.Fatalf("the error at 100 changes the interval at %d", i)
		}
	}
}
