package figure

import (
	"image/color"
	"math"
)

// Points is a scatter plot in a [Plane]. Up to a few thousand points are drawn as
// markers. More are drawn as one picture, in which each point is a disc of about a pixel.
type Points struct {
	Name string // name in the legend; "" omits the points from it
	X, Y []float64
	// Colors holds the colour of each point, for example [RGB] of its belief. nil means the
	// class colour for all points.
	Colors []color.NRGBA
	// Color is the class of colour and marker, counted from 1; 0 means 1.
	Color int
	// Radius holds the markers' radius in points: one for all or one for each point. nil
	// selects it by the number of points.
	Radius []float64
	// Open draws hollow markers, for predictions on top of measurements.
	Open bool
}

// dense is the largest number of points drawn as markers.
const dense = 2500

func (p Points) check() error {
	if err := checkXY(p.X, p.Y); err != nil {
		return err
	}
	if p.Colors != nil {
		if err := checkLength("colors", len(p.Colors), len(p.X), "x"); err != nil {
			return err
		}
	}
	if err := checkValues("radius", p.Radius, true); err != nil {
		return err
	}
	if len(p.Radius) > 1 {
		if err := checkLength("radius", len(p.Radius), len(p.X), "x"); err != nil {
			return err
		}
	}
	return checkClass(p.Color)
}

func (p Points) key() key {
	return key{name: p.Name, kind: dotKey, class: max(p.Color, 1), open: p.Open}
}

func (p Points) extent() (xs, ys [][]float64) { return [][]float64{p.X}, [][]float64{p.Y} }

// color returns the colour of point i.
func (p Points) color(i int) color.NRGBA {
	if p.Colors != nil {
		c := p.Colors[i]
		c.A = 255
		return c
	}
	return hue(max(p.Color, 1))
}

// radius returns the radius of point i in an area. It decreases with the number of
// points, down to 0.18 points of length, which keeps fine structure visible.
func (p Points) radius(i int, a rect) float64 {
	switch len(p.Radius) {
	case 0:
		return min(max(0.3*math.Pow(a.w*a.h/float64(len(p.X)), 0.25), 0.18), p.largest())
	case 1:
		return p.Radius[0]
	}
	return p.Radius[i]
}

func (p Points) largest() float64 {
	if len(p.X) > dense {
		return 0.5
	}
	return 2.8
}

func (p Points) draw(s *svg, f frame, a rect) {
	if len(p.X) <= dense {
		for i := range p.X {
			x, y := f.point(a, p.X[i], p.Y[i])
			s.marker(max(p.Color, 1), x, y, p.radius(i, a), p.color(i), p.Open)
		}
		return
	}
	c := newCloud(a)
	for i := range p.X {
		x, y := f.point(a, p.X[i], p.Y[i])
		c.add(x, y, p.radius(i, a), p.color(i))
	}
	c.draw(s)
}
