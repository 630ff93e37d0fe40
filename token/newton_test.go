package token

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A step of Newton's method lowers the largest distance of a point from its cell's mean,
// or there is no step; rounding ends the steps.
func TestNewtonLowersTheGap(t *testing.T) {
	for _, d := range []*Density{Normal(0, 1), Normal(-3, 1e-3), Laplace(2, 5)} {
		for _, levels := range []int{2, 3, 8, 33} {
			start, err := HighRate(d, levels)
			if err != nil {
				t.Fatal(err)
			}
			now := d.cells(start.points)
			steps := 0
			for next := d.newton(now); next != nil; next = d.newton(now) {
				if !(next.gap < now.gap) {
					t.Fatalf("%d levels: step %d leads from a gap of %v to %v", levels, steps, now.gap, next.gap)
				}
				if steps++; steps > 200 {
					t.Fatalf("%d levels: the steps do not end", levels)
				}
				now = next
			}
			if now.gap > 1e-12*d.Deviation() {
				t.Errorf("%d levels: the steps end at a gap of %v", levels, now.gap)
			}
		}
	}
}

// Under a uniform density the means are linear in the points, so that one step of
// Newton's method ends at the quantiser with equal cells.
func TestNewtonOfAUniformDensity(t *testing.T) {
	d, err := NewDensity(func(float64) float64 { return 1 }, -3, 5)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.IntRange(1, 20).Draw(t, "levels")
		width := 8 / float64(levels)
		points, want := make([]float64, levels), make([]float64, levels)
		for k := range points {
			want[k] = -3 + (float64(k)+0.5)*width
			points[k] = want[k] + width*rapid.Float64Range(-0.2, 0.2).Draw(t, "off")
		}
		now := d.cells(points)
		if now.gap < 1e-9 {
			return
		}
		next := d.newton(now)
		if next == nil {
			t.Fatalf("no step from %v", points)
		}
		for k, x := range next.points {
			if math.Abs(x-want[k]) > 1e-11 {
				t.Fatalf("from %v to %v, want %v", points, next.points, want)
			}
		}
	})
}

// A special token has a name of at least one character between angle brackets.
func TestNamesOfSpecialTokens(t *testing.T) {
	for name, want := range map[string]bool{
		"<a>": true, "<|endoftext|>": true, "<>>": true, "<é>": true,
		"": false, "<": false, ">": false, "<>": false, "abc": false, "<ab": false, "ab>": false, ">a<": false,
	} {
		if isSpecial(name) != want {
			t.Errorf("%q is special: %v", name, !want)
		}
	}
}

// Each whole number of a parameter's range can be told from its neighbours, and a seed
// can be any number up to 2⁵³.
func TestWholeParamsAreExact(t *testing.T) {
	check := func(name string, params []Param) {
		for _, p := range params {
			if p.Whole && (p.Low != math.Trunc(p.Low) || p.High != math.Trunc(p.High) || p.High > 1<<53 || p.Low < -1<<53) {
				t.Errorf("%s: %s is whole from %v to %v", name, p.Name, p.Low, p.High)
			}
			if p.Name == "seed" && (p.Low != 0 || p.High != 1<<53) {
				t.Errorf("%s: seeds from %v to %v", name, p.Low, p.High)
			}
			if !(p.Low <= p.Default && p.Default <= p.High) {
				t.Errorf("%s: %s is %v by default, outside its range", name, p.Name, p.Default)
			}
		}
	}
	for _, entry := range Tokenizers() {
		check(entry.Name, entry.Params)
	}
	for _, entry := range EventTokenizers() {
		check(entry.Name, entry.Params)
	}
}
