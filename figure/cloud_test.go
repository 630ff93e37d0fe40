package figure

import (
	"bytes"
	"image/color"
	"math"
	"slices"
	"testing"
)

// Every point of a dense scatter colours the pixel it is in, and nothing else is
// coloured.
func TestCloudShowsEveryPoint(t *testing.T) {
	m := newMess3(0.15, 0.6, 8)
	a := rect{10, 20, 120, 110}
	p := cloudOf(m.belief, m.belief, 0.3)
	f := Plane{Layers: []Layer{p}}.frame(a.w, a.h)
	c := newCloud(a)
	near := map[[2]int]bool{}
	r := p.radius(0, a)
	for i := range p.X {
		x, y := f.point(a, p.X[i], p.Y[i])
		c.add(x, y, r, p.color(i))
		px, py := int((x-a.x)*cloudScale), int((y-a.y)*cloudScale)
		for d := range 49 {
			near[[2]int{px + d%7 - 3, py + d/7 - 3}] = true
		}
	}
	img := c.image()
	for i := range p.X {
		x, y := f.point(a, p.X[i], p.Y[i])
		if img.NRGBAAt(int((x-a.x)*cloudScale), int((y-a.y)*cloudScale)).A == 0 {
			t.Fatalf("point %d at (%g, %g) is not in the picture", i, x, y)
		}
	}
	for i := range c.w * c.h {
		if x, y := i%c.w, i/c.w; img.NRGBAAt(x, y).A != 0 && !near[[2]int{x, y}] {
			t.Fatalf("pixel (%d, %d) is coloured without a point near", x, y)
		}
	}
}

func TestCloudDoesNotDependOnOrder(t *testing.T) {
	m := newMess3(0.15, 0.6, 7)
	p := cloudOf(m.belief, m.belief, 0)
	q := Points{X: slices.Clone(p.X), Y: slices.Clone(p.Y), Colors: slices.Clone(p.Colors)}
	slices.Reverse(q.X)
	slices.Reverse(q.Y)
	slices.Reverse(q.Colors)
	_, forth := render(t, Single("T", "D", Plane{Layers: []Layer{p}}))
	_, back := render(t, Single("T", "D", Plane{Layers: []Layer{q}}))
	_, a := split(t, forth)
	_, b := split(t, back)
	if len(a) != 1 || len(b) != 1 {
		t.Fatalf("%d and %d pictures, want one each", len(a), len(b))
	}
	if d := difference(a[0], b[0]); d > 1e-4 {
		t.Errorf("pictures differ by %g", d)
	}
}

// Overlapping discs mix light: half red, half blue is as bright as their mean.
func TestCloudMixesLight(t *testing.T) {
	c := newCloud(rect{0, 0, 4, 4})
	red, blue := RGB(1, 0, 0), RGB(0, 0, 1)
	c.add(2, 2, 1, red)
	c.add(2, 2, 1, blue)
	got, want := c.image().NRGBAAt(6, 6), RGB(0.5, 0, 0.5)
	for _, d := range [][2]uint8{{got.R, want.R}, {got.G, want.G}, {got.B, want.B}} {
		if math.Abs(float64(d[0])-float64(d[1])) > 8 {
			t.Errorf("mixture %v, want %v", got, want)
		}
	}
	if got.A != 255 {
		t.Errorf("opacity %d within a disc", got.A)
	}
}

func TestFewPointsStayVectors(t *testing.T) {
	p := Points{X: make([]float64, dense), Y: make([]float64, dense)}
	for i := range p.X {
		p.X[i], p.Y[i] = float64(i%50), float64(i/50)
	}
	_, doc := render(t, Single("T", "D", Plane{Layers: []Layer{p}}))
	if n := bytes.Count(doc, []byte("<circle")); n != dense || bytes.Contains(doc, []byte("<image")) {
		t.Errorf("%d circles for %d points", n, dense)
	}
}

func TestColourOfPointsIsOpaque(t *testing.T) {
	p := Points{X: []float64{0}, Y: []float64{0}, Colors: []color.NRGBA{{1, 2, 3, 0}}}
	if c := p.color(0); c != (color.NRGBA{1, 2, 3, 255}) {
		t.Errorf("colour %v", c)
	}
}
