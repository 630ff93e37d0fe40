package craft

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A curve goes through its points, is straight between them, and goes on straight.
func TestThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := []Point{{rapid.Float64Range(-10, 10).Draw(t, "x"), rapid.Float64Range(-10, 10).Draw(t, "y")}}
		for range rapid.IntRange(1, 20).Draw(t, "segments") {
			last := points[len(points)-1]
			points = append(points, Point{last.X + rapid.Float64Range(0.1, 3).Draw(t, "dx"), rapid.Float64Range(-10, 10).Draw(t, "y")})
		}
		c := Through(points)
		if len(c.Ramps) > max(2, len(points)-1) {
			t.Fatalf("%d neurons for %d segments", len(c.Ramps), len(points)-1)
		}
		for i := range len(points) - 1 {
			from, to := points[i], points[i+1]
			for _, s := range []float64{0, 0.3, 1, -0.5, 1.5} {
				if s < 0 && i > 0 || s > 1 && i < len(points)-2 {
					continue
				}
				x, want := from.X+s*(to.X-from.X), from.Y+s*(to.Y-from.Y)
				if got := c.At(x); !near(got, want, 1e-9) {
					t.Fatalf("at %v: %v, want %v", x, got, want)
				}
			}
		}
	})
}

// The ramps of a convex curve all have one sign.
func TestConvexCurvesDoNotCancel(t *testing.T) {
	c := Approximate(math.Cosh, math.Sinh, -3, 5, 1e-3)
	left := 0
	for i, r := range c.Ramps {
		if r.Left {
			left++
		}
		if r.Slope < 0 && i > 0 { // the segment at the bottom may fall
			t.Errorf("ramp %d is %+v", i, r)
		}
	}
	if left == 0 || left == len(c.Ramps) {
		t.Errorf("%d of %d ramps open to the left", left, len(c.Ramps))
	}
}

func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(-20, 20).Draw(t, "first")
		values := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 40).Draw(t, "values")
		c := Table(first, values)
		if len(c.Ramps) > len(values)+2 {
			t.Fatalf("%d neurons for %d values", len(c.Ramps), len(values))
		}
		for x := first - 10; x < first+len(values)+10; x++ {
			want := 0.0
			if i := x - first; i >= 0 && i < len(values) {
				want = values[i]
			}
			if got := c.At(float64(x)); !near(got, want, 1e-8) {
				t.Fatalf("at %d: %v, want %v", x, got, want)
			}
		}
	})
}

func TestStepAndBump(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, width := rapid.Float64Range(-5, 5).Draw(t, "at"), rapid.Float64Range(0.1, 4).Draw(t, "width")
		x := rapid.Float64Range(-12, 12).Draw(t, "x")
		if got, want := Step(at, width).At(x), min(1, max(0, (x-at)/width+0.5)); !near(got, want, 1e-12) {
			t.Errorf("step: %v, want %v", got, want)
		}
		if got, want := Bump(at, width).At(x), max(0, 1-math.Abs(x-at)/width); !near(got, want, 1e-12) {
			t.Errorf("bump: %v, want %v", got, want)
		}
	})
}

// The error of an approximation is what was asked for, and is reached.
func TestApproximate(t *testing.T) {
	type function struct {
		name     string
		f, slope func(float64) float64
	}
	square := function{"x²", func(x float64) float64 { return x * x }, func(x float64) float64 { return 2 * x }}
	functions := []function{
		square,
		{"exp", math.Exp, math.Exp},
		{"−exp", func(x float64) float64 { return -math.Exp(x) }, func(x float64) float64 { return -math.Exp(x) }},
		{"log", func(x float64) float64 { return math.Log(x + 4) }, func(x float64) float64 { return 1 / (x + 4) }},
		{"softplus", func(x float64) float64 { return math.Log1p(math.Exp(x)) }, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	}
	rapid.Check(t, func(t *rapid.T) {
		f := functions[rapid.IntRange(0, len(functions)-1).Draw(t, "function")]
		lo := rapid.Float64Range(-3, 3).Draw(t, "lo")
		hi := lo + rapid.Float64Range(0.01, 4).Draw(t, "length")
		maxError := math.Pow(10, rapid.Float64Range(-6, 0).Draw(t, "log error"))
		c := Approximate(f.f, f.slope, lo, hi, maxError)
		worst, largest := 0.0, 1.0
		for i := range 2001 {
			x := lo + (hi-lo)*float64(i)/2000
			worst = max(worst, math.Abs(c.At(x)-f.f(x)))
			largest = max(largest, math.Abs(f.f(x)))
		}
		// Rounding is a share of the values that are added up: 7e-12 where exp is 1,000.
		if worst > maxError*(1+1e-6)+1e-12*largest {
			t.Fatalf("%s on [%v, %v]: error %v, asked for %v", f.name, lo, hi, worst, maxError)
		}
		if atEnd := math.Abs(c.At(hi) - f.f(hi)); !near(atEnd, maxError, 1e-9+1e-6*maxError) {
			t.Fatalf("%s: the first vertex is %v off, want %v", f.name, atEnd, maxError)
		}
	})
	// A line counts as concave: its vertices are above it.
	line := Approximate(func(x float64) float64 { return x }, func(float64) float64 { return 1 }, 0, 1, 0.25)
	if got := line.At(1); got != 1.25 {
		t.Errorf("x to 0.25: %v at the first vertex, want 1.25", got)
	}
	// A segment of length h of x² leaves a band of width h²/4.
	for _, e := range []float64{1e-1, 1e-2, 1e-3, 3e-4, 1e-5} {
		got, want := len(Approximate(square.f, square.slope, 0, 1, e).Ramps), int(math.Ceil(1/math.Sqrt(8*e)))
		if got != want {
			t.Errorf("x² to %v: %d segments, want %d", e, got, want)
		}
	}
}

// The MLP of a design computes its curves, side by side.
func TestMLPComputesItsCurves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 12).Draw(t, "values")
		curves := []Curve{Table(0, values), Bump(2, 0.7), Step(1, 2), Approximate(math.Exp, math.Exp, 0, 2, 1e-2)}
		d := Design{Tokens: []string{"a", "b"}, NCtx: 1, Blocks: []Block{{}}}
		for i, c := range curves {
			d.Blocks[0].Functions = append(d.Blocks[0].Functions, Apply{c, "a", Numbered("y", len(curves))[i]})
		}
		d.Logits = []Move{{"y 0", "a", 1}, {"y 1", "a", 1}, {"y 2", "a", 1}, {"y 3", "a", 1}}
		m := build(t, d)
		x := rapid.Float64Range(0, 3).Draw(t, "x")
		embedding := m.Weights.Get("embed.W_E").Data
		embedding[slices.Index(embedding, 1)] = x // a's own direction carries x
		want := 0.0
		for _, c := range curves {
			want += c.At(x)
		}
		if logits, _ := run(t, m, []int32{0}); !near(logits[0], want, 1e-10) {
			t.Fatalf("%v, want %v", logits[0], want)
		}
	})
}
