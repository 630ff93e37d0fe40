package token

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/panics"
)

// NewUniform takes a range whose ends are usable and ascend, and as many levels as
// float64 tells apart in it.
func TestUniformRanges(t *testing.T) {
	for _, good := range [][2]float64{{-1, 1}, {0, 1e150}, {-1e150, 0}, {-1e150, 1e150}, {1e-150, 2e-150}, {-3, -2}} {
		if _, err := NewUniform(good[0], good[1], 4); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for _, bad := range [][2]float64{
		{1, 1},
		{1, -1},
		{-1e151, 1},
		{-1, 1e151},
		{-1e151, 1e151},
		{math.NaN(), 1},
		{1, math.NaN()},
		{math.Inf(-1), 1},
		{-1, math.Inf(1)},
		{math.Inf(1), math.Inf(-1)},
		{1, math.Nextafter(1, 2)},
	} {
		if q, err := NewUniform(bad[0], bad[1], 4); err == nil || q != nil {
			t.Errorf("%v is no error", bad)
		}
		if d, err := NewDensity(func(float64) float64 { return 1 }, bad[0], bad[1]); bad[0] != 1 || bad[1] < 1 || bad[1] > 2 {
			if err == nil || d != nil {
				t.Errorf("%v is the range of a density", bad)
			}
		}
	}
	for _, levels := range []int{-1, 0, 1, 65537} {
		_, err := NewUniform(0, 1, levels)
		isOneLine(t, err)
	}
	// The first and the last point are the ends themselves, without rounding.
	for i := range uint64(100) {
		ends := gaussian(2, 0, 1, i)
		low, high := min(ends[0], ends[1]), max(ends[0], ends[1])
		u, err := NewUniform(low, high, 7)
		if err != nil {
			t.Fatal(err)
		}
		if p := u.Points(); p[0] != low || p[6] != high {
			t.Errorf("[%v, %v]: points from %v to %v", low, high, p[0], p[6])
		}
	}
}

// FitOptimal takes 2²⁵ plans and no more.
func TestMostPlans(t *testing.T) {
	x := make([]float64, 1<<15+1)
	for i := range x {
		x[i] = float64(i)
	}
	if _, err := FitOptimal(x, 1<<10); err == nil || !strings.Contains(err.Error(), "1024 levels × 32769") {
		t.Errorf("1024 levels of 32769 samples: %v", err)
	}
}

// Fitted ranges end where the samples do, or so many deviations from their mean.
func TestFittedRanges(t *testing.T) {
	x := []float64{3, -1, 0, 2, 1}
	u, err := FitUniform(x, 5)
	if err != nil || !slices.Equal(u.Points(), []float64{-1, 0, 1, 2, 3}) {
		t.Errorf("points %v (%v)", u.Points(), err)
	}
	for _, clip := range []float64{0.5, 1, 1000} {
		u, err := FitClipped(x, 3, clip)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{1 - clip*math.Sqrt2, 1, 1 + clip*math.Sqrt2} {
			if math.Abs(u.Points()[i]-want) > 1e-12*(1+clip) {
				t.Errorf("clip %g: points %v, want %g", clip, u.Points(), want)
			}
		}
	}
	for _, clip := range []float64{0, -1, 1000.5, math.NaN(), math.Inf(1)} {
		_, err := FitClipped(x, 3, clip)
		isOneLine(t, err)
	}
	for _, bad := range [][]float64{nil, {1}, {2, 2}, {1, math.NaN()}} {
		_, err := FitUniform(bad, 3)
		isOneLine(t, err)
		_, err = FitClipped(bad, 3, 1)
		isOneLine(t, err)
	}
}

// What is asked of ReverseWaterFilling, of named densities and of a transform's length is
// asked by a panic.
func TestPanics(t *testing.T) {
	dct, err := NewTransform("dct", 4)
	if err != nil {
		t.Fatal(err)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for what, f := range map[string]func(){
		"no variances":         func() { ReverseWaterFilling(nil, 1) },
		"a negative variance":  func() { ReverseWaterFilling([]float64{1, -1}, 1) },
		"a variance of NaN":    func() { ReverseWaterFilling([]float64{nan, 1}, 1) },
		"an infinite variance": func() { ReverseWaterFilling([]float64{inf, 1}, 1) },
		"negative bits":        func() { ReverseWaterFilling([]float64{1}, -1) },
		"bits of NaN":          func() { ReverseWaterFilling([]float64{1}, nan) },
		"infinite bits":        func() { ReverseWaterFilling([]float64{1}, inf) },
		"a normal of no width": func() { Normal(0, 0) },
		"a normal to the left": func() { Normal(0, -1) },
		"a Laplace of NaN":     func() { Laplace(0, nan) },
		"half a block":         func() { dct.Forward(make([]float64, 6), make([]float64, 6)) },
		"two lengths":          func() { dct.Forward(make([]float64, 4), make([]float64, 8)) },
		"two lengths back":     func() { dct.Inverse(make([]float64, 8), make([]float64, 4)) },
	} {
		if !panics.Does(f) {
			t.Errorf("%s: no panic", what)
		}
	}
	for what, f := range map[string]func(){
		"one variance":    func() { ReverseWaterFilling([]float64{1}, 0) },
		"no bits":         func() { ReverseWaterFilling([]float64{1, 0, 2}, 0) },
		"two blocks":      func() { dct.Forward(make([]float64, 8), make([]float64, 8)) },
		"no blocks":       func() { dct.Inverse(nil, nil) },
		"a narrow normal": func() { Normal(0, 1e-100) },
	} {
		if panics.Does(f) {
			t.Errorf("%s: a panic", what)
		}
	}
	if d := ReverseWaterFilling([]float64{0, 0}, 3); !slices.Equal(d, []float64{0, 0}) {
		t.Errorf("sources that do not vary have distortions %v", d)
	}
	if d := ReverseWaterFilling([]float64{1, 4, 2}, 0); !slices.Equal(d, []float64{1, 4, 2}) {
		t.Errorf("without bits the distortions are %v", d)
	}
}

// A density is 0 outside of its interval, 1/width within for a constant, and refuses what
// is negative, infinite or nowhere.
func TestDensityOutside(t *testing.T) {
	d, err := NewDensity(func(float64) float64 { return 7 }, 2, 6)
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]float64{
		1.999: 0, 2: 0.25, 5: 0.25, 6: 0.25, 6.001: 0, -1e300: 0, math.Inf(1): 0, math.Inf(-1): 0,
	} {
		if got := d.At(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("the density at %g is %g, want %g", x, got, want)
		}
	}
	if math.Abs(d.Mean()-4) > 1e-13 || math.Abs(d.Deviation()-4/math.Sqrt(12)) > 1e-13 || d.At(math.NaN()) != 0 {
		t.Errorf("mean %v, deviation %v", d.Mean(), d.Deviation())
	}
	for what, f := range map[string]func(x float64) float64{
		"negative": func(x float64) float64 { return x - 0.5 }, "zero": func(float64) float64 { return 0 },
		"NaN": func(x float64) float64 { return math.Log(x - 0.5) }, "infinite": func(float64) float64 { return math.Inf(1) },
		"negative everywhere": func(float64) float64 { return -1 },
	} {
		if d, err := NewDensity(f, 0, 1); err == nil || d != nil {
			t.Errorf("a density that is %s is no error", what)
		}
	}
}

// The high-rate law takes one level, Lloyd and Max two, and a tolerance from 0 to 1.
func TestLeastLevels(t *testing.T) {
	d := Normal(0, 1)
	for _, levels := range []int{-1, 0} {
		_, err := HighRateDistortion(d, levels)
		isOneLine(t, err)
	}
	if got, err := HighRateDistortion(d, 1); err != nil || math.Abs(got-math.Pi*math.Sqrt(3)/2) > 1e-6 {
		t.Errorf("of one level: %v (%v), want √3π/2", got, err)
	}
	for _, levels := range []int{1, 65537} {
		_, err := HighRate(d, levels)
		isOneLine(t, err)
		_, err = LloydMax(d, levels, 1e-6)
		isOneLine(t, err)
	}
	x := gaussian(50, 0, 1, 1)
	for _, tolerance := range []float64{-1, math.NaN(), 1.5, math.Inf(1)} {
		_, err := LloydMax(d, 4, tolerance)
		isOneLine(t, err)
		_, err = FitLloydMax(x, 4, tolerance)
		isOneLine(t, err)
	}
	for _, tolerance := range []float64{0, 1} {
		if _, err := FitLloydMax(x, 4, tolerance); err != nil {
			t.Errorf("tolerance %g: %v", tolerance, err)
		}
	}
	if q, err := LloydMax(d, 4, 0); err == nil && d.cells(q.Points()).gap != 0 {
		t.Error("a tolerance of 0 is said to be reached, and is not")
	}
	for _, bad := range [][]float64{nil, {1, math.NaN(), 2}, {1, 1, 1}} {
		for _, fit := range []func() error{
			func() error { _, err := FitLloydMax(bad, 2, 0.1); return err },
			func() error { _, err := FitHighRate(bad, 2); return err },
			func() error { _, err := FitOptimal(bad, 2); return err },
			func() error { _, err := FitVector(bad, 1, 2, 1); return err },
			func() error { _, err := FitProduct(bad, 1, 1, 2, 1); return err },
			func() error { _, err := FitWindows(bad, 2, 2, 2, 2); return err },
			func() error { _, err := FitTransformed(bad, "dct", 2, 2); return err },
			func() error { _, err := FitLearned(bad, 1, 1, 2, 1, 1); return err },
			func() error { _, err := FitDetector("peaks", nil, bad); return err },
		} {
			isOneLine(t, fit())
		}
	}
}

// Parameters out of range are errors of the constructors as well as of Fit.
func TestConstructorsRefuse(t *testing.T) {
	x := gaussian(200, 0, 1, 1)
	values, err := NewUniform(0, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	c, err := FitCoefficients(x, "dct", 4)
	if err != nil {
		t.Fatal(err)
	}
	for what, try := range map[string]func() error{
		"blocks of none":        func() error { _, err := FitVector(x, 0, 2, 1); return err },
		"blocks below none":     func() error { _, err := FitVector(x, -1, 2, 1); return err },
		"the longest block":     func() error { _, err := FitVector(x, longestBlock+1, 2, 1); return err },
		"one codeword":          func() error { _, err := FitVector(x, 2, 1, 1); return err },
		"no codewords":          func() error { _, err := NewVector(nil); return err },
		"one given codeword":    func() error { _, err := NewVector([][]float64{{1}}); return err },
		"empty codewords":       func() error { _, err := NewVector([][]float64{{}, {}}); return err },
		"a codeword of NaN":     func() error { _, err := NewVector([][]float64{{1}, {math.NaN()}}); return err },
		"no parts":              func() error { _, err := FitProduct(x, 4, 0, 2, 1); return err },
		"five parts of four":    func() error { _, err := FitProduct(x, 4, 5, 2, 1); return err },
		"a part's codewords":    func() error { _, err := FitProduct(x, 4, 2, 1, 1); return err },
		"windows of one":        func() error { _, err := FitWindows(x, 1, 2, 2, 2); return err },
		"one mean":              func() error { _, err := FitWindows(x, 4, 1, 2, 2); return err },
		"one scale":             func() error { _, err := FitWindows(x, 4, 2, 1, 2); return err },
		"one level":             func() error { _, err := FitWindows(x, 4, 2, 2, 1); return err },
		"learned codes":         func() error { _, err := FitLearned(x, 2, 0, 2, 1, 1); return err },
		"learned codewords":     func() error { _, err := FitLearned(x, 2, 1, 128, 1, 1); return err },
		"no transform":          func() error { _, err := FitCoefficients(x, "none", 4); return err },
		"few blocks":            func() error { _, err := FitCoefficients(x[:60], "dct", 4); return err },
		"no bits":               func() error { _, err := c.Share(0); return err },
		"too many bits":         func() error { _, err := c.Share(4*8 + 1); return err },
		"no kinds":              func() error { _, err := NewEventCode(0, 1, nil); return err },
		"too many kinds":        func() error { _, err := NewEventCode(2*mostLevels+1, 1, nil); return err },
		"no wait":               func() error { _, err := NewEventCode(1, 0, nil); return err },
		"too long a wait":       func() error { _, err := NewEventCode(1, mostLevels+1, nil); return err },
		"a threshold of NaN":    func() error { _, err := NewCrossings([]float64{math.NaN()}, 0); return err },
		"a negative hysteresis": func() error { _, err := NewCrossings([]float64{0}, -1); return err },
		"a huge hysteresis":     func() error { _, err := NewCrossings([]float64{0}, 1e200); return err },
		"too many thresholds":   func() error { _, err := NewCrossings(make([]float64, mostLevels+1), 0); return err },
		"entropy of none":       func() error { _, err := EntropyRate(values, nil); return err },
		"entropy of no token":   func() error { _, err := EntropyRate(values, []int32{4}); return err },
		"distortion of none":    func() error { _, err := Distortion(values, nil); return err },
		"distortion of NaN":     func() error { _, err := Distortion(values, []float64{math.NaN()}); return err },
	} {
		if err := try(); err == nil {
			t.Errorf("%s: no error", what)
		} else {
			isOneLine(t, err)
		}
	}
	for what, try := range map[string]func() error{
		"a block of the signal": func() error { _, err := FitVector(x[:8], 4, 2, 1); return err },
		"most bits":             func() error { _, err := c.Share(4 * 8); return err },
		"one bit":               func() error { _, err := c.Share(1); return err },
		"sixteen blocks":        func() error { _, err := FitCoefficients(x[:64], "dct", 4); return err },
		"most kinds":            func() error { _, err := NewEventCode(2*mostLevels, 1, nil); return err },
		"the longest wait":      func() error { _, err := NewEventCode(1, mostLevels, nil); return err },
		"two codewords":         func() error { _, err := NewVector([][]float64{{1}, {2}}); return err },
	} {
		if err := try(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Quantisers that are fitted by the samples' range or spread have the same tokens in
// other units, to the bit where the units are a power of two apart: no bound and no
// first guess
// is a number of its own.
func TestTokensInOtherUnits(t *testing.T) {
	x := wave(1<<9, 0.3, 3)
	for name, params := range map[string]Params{
		"uniform": {"levels": 7}, "lloyd_max": {"levels": 5}, "optimal": {"levels": 6}, "high_rate": {"levels": 5},
		"window": {"window": 8, "means": 5, "scales": 4, "levels": 5}, "vector": {"block": 2, "codewords": 8},
		"product": {"block": 4, "parts": 2, "codewords": 4}, "mu_law": {"levels": 9}, "a_law": {"levels": 9},
		"learned": {"block": 4, "codes": 2, "codewords": 4, "steps": 20},
	} {
		var want []int32
		for _, unit := range []float64{1, 0x1p-60, 0x1p60} {
			scaled := slices.Clone(x)
			for i := range scaled {
				scaled[i] *= unit
			}
			q, err := Fit(name, params, scaled)
			if err != nil {
				t.Fatalf("%s in units of %g: %v", name, unit, err)
			}
			tokens, err := q.Encode(nil, scaled)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = tokens
			}
			if !slices.Equal(tokens, want) {
				t.Errorf("%s in units of %g has other tokens", name, unit)
			}
		}
	}
}

// A detector whose events have no value gives a code without levels, be there one event
// or many; others give the extremes of the values.
func TestCodesOfFewEvents(t *testing.T) {
	crossings, err := NewCrossings([]float64{0}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]float64{{-1, 1}, {-1, 1, -1, 1}, {1}} {
		c, err := FitEventCode(crossings, x, 4, 8)
		if err != nil || c.values != nil || c.Alphabet() != 4+2 {
			t.Errorf("%v: %+v (%v)", x, c, err)
		}
	}
	if _, err := FitEventCode(crossings, []float64{math.NaN()}, 4, 8); err == nil {
		t.Error("events of NaN have a code")
	}
	if _, err := FitEventCode(crossings, []float64{-1, 1}, 0, 8); err == nil {
		t.Error("a code without waits is no error")
	}
	peaks, err := NewPeaks(1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := FitEventCode(peaks, []float64{0, 5, 0, 7, -2, 3}, 4, 8)
	if err != nil {
		t.Fatal(err)
	}
	events, err := peaks.Detect([]float64{0, 5, 0, 7, -2, 3})
	if err != nil {
		t.Fatal(err)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range events {
		low, high = min(low, e.Value), max(high, e.Value)
	}
	if points := c.values.Points(); points[0] != low || points[7] != high || c.Alphabet() != 4+8*len(peaks.Kinds()) {
		t.Errorf("values from %g to %g in an alphabet of %d", points[0], points[7], c.Alphabet())
	}
}

// Waits add up to the length of the signal, and decoding stops where they add up to more
// than is rebuilt.
func TestWaitsBeyondTheLongestSignal(t *testing.T) {
	c, err := NewEventCode(1, mostLevels, nil)
	if err != nil {
		t.Fatal(err)
	}
	most := slices.Repeat([]int32{mostLevels - 1}, mostRebuilt/mostLevels)
	if _, n, err := c.Decode(most); err != nil || n != mostRebuilt {
		t.Errorf("%d samples (%v), want %d", n, err, mostRebuilt)
	}
	if _, _, err := c.Decode(append(most, 0)); err == nil {
		t.Error("a signal may be longer than the longest")
	}
}

// A vocabulary that cannot be written is the system's error.
func TestSaveBPEIsRefused(t *testing.T) {
	b := trained(t, 300)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var refused *fs.PathError
	if err := b.Save(filepath.Join(file, "folder")); !errors.As(err, &refused) {
		t.Errorf("a folder in a file: %v", err)
	}
	for _, name := range []string{VocabFile, MergesFile} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, name, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := b.Save(dir); err == nil {
			t.Errorf("%s is a folder, and no error", name)
		}
		if _, err := LoadBPE(dir); err == nil {
			t.Errorf("%s is read from a folder", name)
		}
	}
}
