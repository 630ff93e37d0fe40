package token

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// Windows of scales more than a thousandfold apart have frames down to a thousandth of
// the largest, in equal ratios, and means in equal steps between those of the windows.
func TestFramesOfWindows(t *testing.T) {
	const window = 4
	var x []float64
	for i := range 8 {
		x = append(x, gaussian(window, float64(i), 1, uint64(i))...)
		x = append(x, gaussian(window, float64(i), 1e-6, uint64(100+i))...)
	}
	w, err := FitWindows(x, window, 3, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	low, high, most := math.Inf(1), math.Inf(-1), 0.0
	for part := range slices.Chunk(x, window) {
		mean, squares := 0.0, 0.0
		for _, v := range part {
			mean += v / window
		}
		for _, v := range part {
			squares += (v - mean) * (v - mean) / window
		}
		low, high, most = min(low, mean), max(high, mean), max(most, math.Sqrt(squares))
	}
	for i, f := range w.frames {
		mean, scale := low+(high-low)*float64(i/4)/2, most*math.Pow(10, float64(i%4)-3)
		if math.Abs(f.Mean-mean) > 1e-12 || math.Abs(f.Scale/scale-1) > 1e-12 {
			t.Errorf("frame %d is %v, want mean %g and scale %g", i, f, mean, scale)
		}
	}
}

// Windows of one scale have frames around it, a factor of 2 apart in all, and those of
// one mean frames around that, the least scale apart.
func TestFramesOfEqualWindows(t *testing.T) {
	x := slices.Repeat([]float64{4, 6, 5, 5, 3, 7, 5, 5, 4, 6, 5.5, 4.5}, 4)
	w, err := FitWindows(x, 12, 2, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	_, scale := meanAndDeviation(x)
	for i, want := range []Frame{
		{5 - scale/math.Sqrt2/2, scale / math.Sqrt2},
		{5 - scale/math.Sqrt2/2, scale * math.Sqrt2},
		{5 + scale/math.Sqrt2/2, scale / math.Sqrt2},
		{5 + scale/math.Sqrt2/2, scale * math.Sqrt2},
	} {
		if f := w.frames[i]; math.Abs(f.Mean-want.Mean) > 1e-12 || math.Abs(f.Scale-want.Scale) > 1e-12 {
			t.Errorf("frame %d is %v, want %v", i, f, want)
		}
	}
}

// The frame of a window is that of least squared error, of all frames one by one, also
// where every error is far below 1.
func TestBestFrame(t *testing.T) {
	for _, unit := range []float64{1, 1e-12, 1e12} {
		x := gaussian(256, 3, 1, 5)
		for i := range x {
			x[i] *= unit
		}
		w, err := FitWindows(x, 8, 6, 5, 4)
		if err != nil {
			t.Fatal(err)
		}
		for part := range slices.Chunk(x, 8) {
			least, want := math.Inf(1), 0
			for i, f := range w.frames {
				sum := 0.0
				for _, v := range part {
					nearest := math.Inf(1)
					for _, p := range w.inner.Points() {
						nearest = min(nearest, math.Abs(v-f.Mean-f.Scale*p))
					}
					sum += nearest * nearest
				}
				if sum < least*(1-1e-12) {
					least, want = sum, i
				}
			}
			if got := w.best(part); got != want {
				t.Errorf("units of %g: frame %d, want %d", unit, got, want)
			}
			twice := *w
			twice.frames = slices.Concat(w.frames, w.frames)
			if got := twice.best(part); got != want {
				t.Errorf("units of %g, each frame twice: frame %d, want the first, %d", unit, got, want)
			}
		}
	}
}

// Samples after the last whole window have no influence.
func TestWindowsAreFittedOnWholeWindows(t *testing.T) {
	x := gaussian(64, 0, 1, 2)
	whole, err := FitWindows(x, 8, 4, 4, 8)
	if err != nil {
		t.Fatal(err)
	}
	more, err := FitWindows(append(x, 1e6, -1e6, 3), 8, 4, 4, 8)
	if err != nil || !reflect.DeepEqual(whole, more) {
		t.Errorf("%+v with more samples, want %+v (%v)", more, whole, err)
	}
}
