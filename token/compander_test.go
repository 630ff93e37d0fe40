package token

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// laws are companders of weak, usual and strong compression.
var laws = []Compander{
	MuLaw(1e-3), MuLaw(1), MuLaw(100), MuLaw(255), MuLaw(1e6),
	ALaw(1), ALaw(2), ALaw(87.6), ALaw(87.7), ALaw(1e6),
}

// Values worked out by hand: F(1/2) of μ = 255 is ln 128.5/ln 256, and A = e makes the
// denominator 2.
func TestCompandersByHand(t *testing.T) {
	for _, c := range []struct {
		law  Compander
		x, y float64
	}{
		{MuLaw(255), 0.5, math.Log(128.5) / math.Log(256)},
		{MuLaw(255), 1. / 255, 1. / 8},
		{MuLaw(255), -15. / 255, -0.5},
		{MuLaw(3), 1. / 3, 0.5},
		{ALaw(math.E), 1 / math.E, 0.5},
		{ALaw(math.E), 0.1, 0.1 * math.E / 2},
		{ALaw(math.E), -0.5, -(2 - math.Ln2) / 2},
		{ALaw(1), 0.3, 0.3},
	} {
		if y := c.law.Compress(c.x); math.Abs(y-c.y) > 1e-15 {
			t.Errorf("%T(%v): F(%v) = %v, want %v", c.law, c.law, c.x, y, c.y)
		}
		if x := c.law.Expand(c.y); math.Abs(x-c.x) > 1e-15 {
			t.Errorf("%T(%v): F⁻¹(%v) = %v, want %v", c.law, c.law, c.y, x, c.x)
		}
	}
}

// Companders are odd, take the ends to the ends, and their halves are inverse to each
// other.
func TestCompandersAreInverse(t *testing.T) {
	for _, law := range laws {
		for _, x := range []float64{0, 1, -1} {
			if y, back := law.Compress(x), law.Expand(x); math.Abs(y-x) > 1e-12 || math.Abs(back-x) > 1e-12 {
				t.Errorf("%T(%v): F(%v) = %v, F⁻¹ = %v", law, law, x, y, back)
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			x := rapid.Float64Range(-1, 1).Draw(t, "x")
			y := law.Compress(x)
			if back := law.Expand(y); math.Abs(back-x) > 1e-12 || law.Compress(-x) != -y || math.Abs(y) > 1+1e-12 {
				t.Fatalf("%T(%v): F(%v) = %v, back %v", law, law, x, y, back)
			}
		})
	}
}

// The thresholds say what the formula says: at each threshold, at the numbers next to it,
// and anywhere.
func TestCompandedIsItsFormula(t *testing.T) {
	for _, law := range laws {
		for _, levels := range []int{2, 3, 32, 255, 256} {
			for _, peak := range []float64{1, 0.37, 1e100} {
				q, err := NewCompanded(law, peak, levels)
				if err != nil {
					t.Fatal(err)
				}
				equal := func(x float64) {
					tokens, err := q.Encode(nil, []float64{x})
					if want := companded(law, peak, levels, x); err != nil || float64(tokens[0]) != want {
						t.Fatalf("%T(%v), %d levels, peak %v: %v has token %v (%v), by the formula %v", law, law, levels, peak, x, tokens, err, want)
					}
				}
				for _, threshold := range q.Thresholds() {
					for n := ordinal(threshold) - 20; n <= ordinal(threshold)+20; n++ {
						equal(fromOrdinal(n))
					}
				}
				for _, x := range gaussian(300, 0, 0.4*peak, 7) {
					equal(x)
				}
				for _, x := range []float64{0, peak, -peak, 2 * peak, -1e149, 1e-300} {
					equal(x)
				}
			}
		}
	}
}

// Bits of the points on every architecture: a hand-picked few.
func TestCompandedPoints(t *testing.T) {
	q, err := NewCompanded(MuLaw(255), 2, 17)
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[int]float64{0: -2, 4: -2 * 15. / 255, 8: 0, 12: 2 * 15. / 255, 16: 2} {
		if got := q.Points()[token]; math.Abs(got-want) > 1e-14 {
			t.Errorf("token %d stands for %v, want %v", token, got, want)
		}
	}
}

// Ranks are those of numbers, and 0 has one.
func TestOrdinals(t *testing.T) {
	if x := fromOrdinal(0); x != 0 || math.Signbit(x) {
		t.Errorf("rank 0 is %v", x)
	}
	smallest := math.SmallestNonzeroFloat64
	for _, x := range []float64{1, -1, smallest, -smallest, math.MaxFloat64, -math.MaxFloat64} {
		if got := fromOrdinal(ordinal(x)); got != x {
			t.Errorf("%v has the rank of %v", x, got)
		}
	}
	if ordinal(smallest) != 1 || ordinal(-smallest) != -1 {
		t.Errorf("ranks %d and %d beside 0", ordinal(smallest), ordinal(-smallest))
	}
}

func TestCompandedBadInput(t *testing.T) {
	for _, c := range []struct {
		law    Compander
		peak   float64
		levels int
		want   string
	}{
		{MuLaw(0), 1, 2, "mu_law: mu = 0 is outside [0.001, 1e+06]"},
		{MuLaw(math.NaN()), 1, 2, "mu_law: mu = NaN is outside [0.001, 1e+06]"},
		{ALaw(0.5), 1, 2, "a_law: a = 0.5 is outside [1, 1e+06]"},
		{ALaw(2), 0, 2, "companded: peak = 0 is outside [1e-150, 1e+150]"},
		{ALaw(2), math.NaN(), 2, "companded: peak = NaN is outside [1e-150, 1e+150]"},
		{ALaw(2), 1, 1, "companded: levels = 1 is outside [2, 65536]"},
	} {
		if _, err := NewCompanded(c.law, c.peak, c.levels); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
