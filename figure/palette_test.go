package figure

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func fromHex(t testing.TB, s string) color.NRGBA {
	t.Helper()
	c := color.NRGBA{A: 255}
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		t.Fatal(err)
	}
	return c
}

// contrast is the contrast ratio of WCAG 2.
func contrast(a, b color.NRGBA) float64 {
	x, y := decode(a).luminance(), decode(b).luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestColoursAreSeenOnBothPapers(t *testing.T) {
	light, dark := fromHex(t, lightPaper), fromHex(t, darkPaper)
	for i, c := range palette {
		if l, d := contrast(c, light), contrast(c, dark); l < 3 || d < 3 {
			t.Errorf("class %d %s: contrast %.2f on light, %.2f on dark", i+1, hex6(c), l, d)
		}
	}
	for _, i := range []ink{textInk, axisInk} {
		if l, d := contrast(fromHex(t, i.light), light), contrast(fromHex(t, i.dark), dark); l < 4.5 || d < 4.5 {
			t.Errorf("%s: contrast %.2f on light, %.2f on dark", i.property, l, d)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.Float64Range(0, 1).Draw(rt, "a"), rapid.Float64Range(0, 1).Draw(rt, "b")
		c := RGB(1-a, a*b, a*(1-b))
		if l, d := contrast(c, light), contrast(c, dark); l < 3 || d < 3 {
			rt.Errorf("%s: contrast %.2f on light, %.2f on dark", hex6(c), l, d)
		}
	})
}

func TestRGB(t *testing.T) {
	for i := range 3 {
		p := [3]float64{}
		p[i] = 1
		c := RGB(p[0], p[1], p[2])
		ch := [3]uint8{c.R, c.G, c.B}
		for k := range 3 {
			if k != i && ch[k] >= ch[i] { // green of one's own would be red's match to some
				t.Errorf("state %d is %s: channel %d is as strong", i, hex6(c), k)
			}
		}
	}
	c := RGB(1.0/3, 1.0/3, 1.0/3)
	if lo, hi := min(c.R, c.G, c.B), max(c.R, c.G, c.B); hi-lo > 40 || lo < 90 || hi > 170 {
		t.Errorf("the centre %s is no middle grey", hex6(c))
	}
	if got, want := RGB(1.2, -0.1, -0.1), RGB(1, 0, 0); got != want {
		t.Errorf("outside the simplex: %v, want %v", got, want)
	}
	if got := RGB(-1, 0, 0); got != c {
		t.Errorf("nothing left: %v, want the centre", got)
	}
}

func TestEncodeInvertsDecode(t *testing.T) {
	for v := range 256 {
		c := color.NRGBA{uint8(v), uint8(255 - v), 7, 255}
		if got := decode(c).encode(); got != c {
			t.Fatalf("%v becomes %v", c, got)
		}
	}
}

// sight holds what is left of linear RGB for readers with normal sight and with the two
// common dichromacies, after Viénot, Brettel and Mollon (1999) and after Machado,
// Oliveira and Fernandes (2009) at full severity.
var sight = map[string][3][3]float64{
	"normal":                {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia, Viénot":    {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
	"deuteranopia, Viénot":  {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
	"protanopia, Machado":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia, Machado": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.01182, 0.04294, 0.968881}},
}

// seen is L*a*b* of a colour as readers with a sight see it.
func seen(l linear, m [3][3]float64) [3]float64 {
	var out linear
	for i := range out {
		out[i] = clip(m[i][0]*l[0] + m[i][1]*l[1] + m[i][2]*l[2])
	}
	return lab(out)
}

// difference76 is ΔE of 1976: the distance in L*a*b*.
func difference76(a, b [3]float64) float64 {
	return math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
}

// lab is CIE L*a*b* of linear sRGB under D65.
func lab(l linear) [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*l[0] + 0.3576*l[1] + 0.1805*l[2]) / 0.9505)
	y := f(0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2])
	z := f((0.0193*l[0] + 0.1192*l[1] + 0.9505*l[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// The first four classes, which most figures do with, differ for all readers, the first
// three as corners do; so do the steps of the colour maps, which moreover get lighter all
// the way.
func TestColoursAreToldApart(t *testing.T) {
	for name, m := range sight {
		for i := range palette {
			least := 15.0
			switch {
			case i < 3:
				least = 40
			case i < 4:
				least = 25
			}
			for j := range i {
				a, b := seen(decode(palette[i]), m), seen(decode(palette[j]), m)
				if d := difference76(a, b); d < least {
					t.Errorf("%s: classes %d and %d differ by %.1f, want %g", name, j+1, i+1, d, least)
				}
			}
		}
	}
	last := -1.0
	for i := range 33 {
		l := lab(decode(shade(viridis, float64(i)/32)))[0]
		if l <= last {
			t.Errorf("viridis does not get lighter at step %d", i)
		}
		last = l
	}
}

// The corners of a simplex differ for all readers, in lightness too, and no corner looks
// like a mixture of the two others.
func TestCornersAreToldApart(t *testing.T) {
	for name, m := range sight {
		lighter := 3.0
		if name == "normal" {
			lighter = 8
		}
		for i, v := range vertices {
			next := vertices[(i+1)%3]
			a, b := seen(v, m), seen(next, m)
			if d := difference76(a, b); d < 40 {
				t.Errorf("%s: corners %d and %d differ by %.1f ΔE, want 40", name, i, (i+1)%3, d)
			}
			if d := math.Abs(a[0] - b[0]); d < lighter {
				t.Errorf("%s: corners %d and %d differ by %.1f in lightness", name, i, (i+1)%3, d)
			}
			opposite := seen(vertices[(i+2)%3], m)
			for share := 0.0; share <= 1; share += 1. / 64 {
				var mixed linear
				for k := range mixed {
					mixed[k] = (1-share)*v[k] + share*next[k]
				}
				if d := difference76(seen(mixed, m), opposite); d < 12 {
					t.Errorf("%s: corner %d looks like a mixture of the others, %.1f ΔE", name, (i+2)%3, d)
				}
			}
		}
	}
}

// The number in a cell has the ink that is read best on its colour, in print without
// colours, too, which keeps luminance.
func TestNumbersAreReadOnTheirCells(t *testing.T) {
	inks := map[string]color.NRGBA{"onlight": onLight, "ondark": onDark}
	for _, stops := range [][]color.NRGBA{viridis, blueRed} {
		for i := range 101 {
			cell := shade(stops, float64(i)/100)
			got := contrast(inks[inkOn(cell)], cell)
			if got < max(contrast(onLight, cell), contrast(onDark, cell)) || got < 3.8 {
				t.Errorf("on %s a number has the contrast %.2f", hex6(cell), got)
			}
		}
	}
	if teal := shade(viridis, 0.45); inkOn(teal) != "ondark" {
		t.Errorf("a number on %s is %s", hex6(teal), inkOn(teal))
	}
}

// A series has the class that it asks for, and otherwise that of its place, in panels of
// every kind.
func TestClassesOfSeries(t *testing.T) {
	for first := range 3 {
		for second := range 3 {
			want := [2]int{first, second}
			for i, asked := range want {
				if asked == 0 {
					want[i] = i + 1
				}
			}
			for name, class := range map[string]func(int) int{
				"chart": Chart{Series: []Series{{Color: first}, {Color: second}}}.class,
				"bars":  Bars{Series: []BarSeries{{Color: first}, {Color: second}}}.class,
				"dots":  Dots{Series: []DotSeries{{Color: first}, {Color: second}}}.class,
			} {
				if got := [2]int{class(0), class(1)}; got != want {
					t.Errorf("%s: colours %d and %d give the classes %v, want %v", name, first, second, got, want)
				}
			}
		}
	}
}
