package figure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The labels at both ends of an axis, which overhang it, are
// within the figure.
func TestOuterLabelsAreInside(t *testing.T) {
	for _, ends := range [][2]float64{{0, 1e6}, {-1e6, 0}, {-1e6, 1e6}, {0.0001, 0.0002}, {1, 1 + 1e-6}, {1234567, 1234568}} {
		f := Single("ends", "wide labels", Chart{
			X: Axis{Label: "x"}, Y: Axis{Label: "y"},
			Series: []Series{{Name: "s", X: ends[:], Y: []float64{1, 2}}},
		})
		root, _ := render(t, f)
		checkText(t, root)
	}
}

// Powers of ten at the very end of an axis count as on it, in spite of rounding.
func TestNeedsPowers(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   bool
	}{
		{1, 9e3, false},
		{1, 1e4 * (1 - 1e-12), true},
		{1, 1e4, true},
		{1.1e-4, 1, false},
		{1e-4 * (1 + 1e-12), 1, true},
		{150, 200, false},
		{1.5e3, 2e3, true},
		{2e4, 3e4, true},
	} {
		if got := needsPowers(c.lo, c.hi); got != c.want {
			t.Errorf("%g … %g: %v", c.lo, c.hi, got)
		}
	}
}

// A line keeps its ends, and points whose distance from the last kept one is at least d.
func TestThin(t *testing.T) {
	for _, c := range []struct{ points, want []float64 }{
		{[]float64{0, 0}, []float64{0, 0}},
		{[]float64{0, 0, 0.25, 0, 0.5, 0}, []float64{0, 0, 0.25, 0, 0.5, 0}},
		{[]float64{0, 0, 0.2, 0, 0.3, 0, 0.4, 0, 0.45, 0}, []float64{0, 0, 0.3, 0, 0.45, 0}},
		{[]float64{0, 0, 0.15, 0.2, 0.2, 0.2}, []float64{0, 0, 0.15, 0.2, 0.2, 0.2}},
	} {
		if got := thin(c.points, 0.25); !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v", c.points, got, c.want)
		}
	}
}

// An axis of whole numbers has no tick between two of them, however short it is.
func TestWholeTicks(t *testing.T) {
	for most := range 40 {
		values := make([]float64, most+1)
		for i := range values {
			values[i] = float64(i)
		}
		ticks := Axis{Whole: true}.over(values).ticks(400, 26)
		for _, tick := range ticks {
			if tick.at != math.Round(tick.at) {
				t.Errorf("0 … %d: a tick at %v", most, tick.at)
			}
		}
		if len(ticks) < min(2, most+1) {
			t.Errorf("0 … %d: ticks %v", most, ticks)
		}
	}
}

// The margins of a linear axis have its unit: values that are a power of two times as
// large have an axis whose ends are, too, however close the values are to each other.
func TestMarginsScaleWithTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(1, 2).Draw(t, "low")
		high := low * (1 + rapid.SampledFrom([]float64{0, 1e-13, 5e-10, 2e-9, 1e-5, 1}).Draw(t, "apart"))
		unit := math.Ldexp(1, rapid.IntRange(-100, 100).Draw(t, "exponent"))
		one, other := Axis{}.over([]float64{low, high}), Axis{}.over([]float64{unit * low, unit * high})
		if other.lo != unit*one.lo || other.hi != unit*one.hi {
			t.Fatalf("the axis of %g to %g is %g to %g, in units of %g it is %g to %g",
				low, high, one.lo, one.hi, unit, other.lo/unit, other.hi/unit)
		}
	})
}
