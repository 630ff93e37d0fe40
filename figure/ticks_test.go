package figure

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var plain = strings.NewReplacer("−", "-", "·10", "e", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3",
	"⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "k", "e3", "M", "e6", "G", "e9")

// bare is a power of ten alone.
var bare = regexp.MustCompile(`^10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+$`)

// read returns the number that a label shows.
func read(t testing.TB, s string) float64 {
	t.Helper()
	if bare.MatchString(s) {
		s = "1·" + s
	}
	v, err := strconv.ParseFloat(plain.Replace(s), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkTicks demands two labels or more within [lo, hi], in order, all different and
// true.
func checkTicks(t *rapid.T, tb testing.TB, ticks []tick, lo, hi, step float64) {
	labels, last := 0, math.Inf(-1)
	seen := map[string]bool{}
	for _, k := range ticks {
		slop := 1e-6 * max(math.Abs(k.at), hi-lo)
		if k.at < lo-slop || k.at > hi+slop || k.at <= last {
			t.Fatalf("tick %g in [%g, %g] after %g", k.at, lo, hi, last)
		}
		last = k.at
		if k.label == "" {
			continue
		}
		labels++
		if seen[k.label] {
			t.Fatalf("label %q twice", k.label)
		}
		seen[k.label] = true
		if got := read(tb, k.label); math.Abs(got-k.at) > 0.01*max(step, 0) {
			t.Fatalf("label %q at %g", k.label, k.at)
		}
	}
	if labels < 2 {
		t.Fatalf("%d labels on [%g, %g]", labels, lo, hi)
	}
}

func TestLinearTicks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		scale := math.Pow(10, rapid.Float64Range(-9, 12).Draw(rt, "scale"))
		lo := scale * rapid.Float64Range(-1, 1).Draw(rt, "lo")
		hi := lo + scale*rapid.Float64Range(1e-3, 1).Draw(rt, "length")
		n := rapid.Float64Range(0.5, 15).Draw(rt, "n")
		ticks := linearTicks(lo, hi, (hi-lo)/n)
		checkTicks(rt, t, ticks, lo, hi, ticks[1].at-ticks[0].at)
		if float64(len(ticks)) > max(n, 4)+1 {
			rt.Errorf("%d ticks for about %g", len(ticks), n)
		}
	})
}

func TestLogTicks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-12, 6).Draw(rt, "lo"))
		hi := lo * math.Pow(10, rapid.Float64Range(0.05, 14).Draw(rt, "decades"))
		n := rapid.IntRange(0, 9).Draw(rt, "n")
		ticks := logTicks(lo, hi, n, needsPowers(lo, hi) || rapid.Bool().Draw(rt, "powers"))
		checkTicks(rt, t, ticks, lo, hi, lo)
	})
}

// An axis of less than two decades has labels enough to tell that it is logarithmic.
func TestShortLogTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		powers bool
		want   string
	}{
		{0.62, 2.6, false, "0.7 1 2"},
		{0.45, 3.1, false, "0.5 0.7 1 2 3"},
		{0.45, 3.1, true, "5·10⁻¹ 7·10⁻¹ 10⁰ 2·10⁰ 3·10⁰"},
		{1.05, 1.32, false, "1.05 1.10 1.15 1.20 1.25 1.30"},
		{2.1e-5, 2.9e-5, true, "2.2·10⁻⁵ 2.4·10⁻⁵ 2.6·10⁻⁵ 2.8·10⁻⁵"},
	} {
		var got []string
		for _, k := range logTicks(c.lo, c.hi, 7, c.powers) {
			if k.label != "" {
				got = append(got, k.label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("[%g, %g]: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

// One axis that needs powers of ten gives them to its neighbours.
func TestOneNotation(t *testing.T) {
	panel := func(lo, hi float64) Panel {
		return Chart{Y: Axis{Log: true}, Series: []Series{{X: []float64{0, 1}, Y: []float64{lo, hi}}}}
	}
	for want, f := range map[string]*Figure{
		">10⁻²<": Row("two", "two", panel(0.002, 0.9), panel(1e-6, 1e-3)),
		">0.01<": Row("two", "two", panel(0.002, 0.9), panel(0.01, 1)),
	} {
		doc, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(doc), want) || strings.Contains(string(doc), ">10⁻²<") != (want == ">10⁻²<") {
			t.Errorf("no label %s, or another notation beside it", want)
		}
	}
}

func TestTickLabels(t *testing.T) {
	for _, c := range []struct {
		lo, hi, least float64
		want          string
	}{
		{0, 1, 0.2, "0 0.2 0.4 0.6 0.8 1.0"},
		{-2, 2, 1, "−2 −1 0 1 2"},
		{0, 15e6, 5e6, "0 5M 10M 15M"},
		{0, 30000, 10000, "0 10k 20k 30k"},
		{0, 3e-5, 1e-5, "0 1·10⁻⁵ 2·10⁻⁵ 3·10⁻⁵"},
	} {
		var got []string
		for _, k := range linearTicks(c.lo, c.hi, c.least) {
			got = append(got, k.label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("[%g, %g]: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 8).Draw(t, "at")
		var labels []placedRef
		for _, v := range at {
			labels = append(labels, placedRef{at: v, half: 6})
		}
		placed := apart(labels, 0, 100)
		for i, p := range placed {
			if p.at < 6-1e-9 || p.at > 94+1e-9 {
				t.Errorf("label at %g is outside", p.at)
			}
			if i > 0 && p.at-placed[i-1].at < 12-1e-9 {
				t.Errorf("labels at %g and %g overlap", placed[i-1].at, p.at)
			}
		}
	})
}

func TestBreakLine(t *testing.T) {
	for name, want := range map[string][2]string{
		"x = 0.15, α = 0.6": {"x = 0.15,", "α = 0.6"},
		"L0 post":           {"L0", "post"},
		"one":               {"one", ""},
	} {
		if a, b := breakLine(name); a != want[0] || b != want[1] {
			t.Errorf("%q breaks to %q and %q", name, a, b)
		}
	}
}

func TestThinKeepsTheShape(t *testing.T) {
	var xy []float64
	for i := range 20000 {
		x := float64(i) / 100
		xy = append(xy, x, 50*math.Sin(x/9))
	}
	xy[10001] = 80 // a spike of one step
	kept := thin(xy, 0.25)
	if len(kept) > len(xy)/5 {
		t.Errorf("%d of %d numbers kept", len(kept), len(xy))
	}
	spike := false
	for i := 1; i < len(kept); i += 2 {
		spike = spike || kept[i] == 80
	}
	if !spike || kept[0] != xy[0] || kept[len(kept)-1] != xy[len(xy)-1] {
		t.Error("the spike or an end is lost")
	}
}
