package figure

import (
	"fmt"
	"image/color"
	"math"
)

// A Simplex draws probability vectors over three states in an equilateral triangle, like
// the belief geometries in Piotrowski et al. 2025: (1, 0, 0) is the lower left corner,
// (0, 1, 0) the lower right one and (0, 0, 1) the top.
type Simplex struct {
	Title string
	// P holds a row of three numbers for each point, which sum to one. A row may be outside
	// the triangle, for example the output of a regression.
	P [][]float64
	// Belief holds the rows that determine the points' colours by [RGB]; nil means P.
	Belief [][]float64
	// Vertices labels the corners of the three states. Empty labels are omitted.
	Vertices [3]string
}

// Project returns the coordinates of a probability vector in the triangle with corners
// (0, 0), (1, 0) and (1/2, √3/2).
func Project(p0, p1, p2 float64) (x, y float64) {
	return p1 + p2/2, p2 * math.Sqrt(3) / 2
}

func (p Simplex) check() error {
	in := panelName("simplex", p.Title)
	if len(p.P) == 0 {
		return fmt.Errorf("%s: p is empty", in)
	}
	if err := checkRows("p", p.P); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	if p.Belief != nil {
		if err := checkLength("belief", len(p.Belief), len(p.P), "p"); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
		if err := checkRows("belief", p.Belief); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
	}
	return nil
}

func checkRows(name string, rows [][]float64) error {
	for i, row := range rows {
		if len(row) != 3 {
			return fmt.Errorf("%s[%d] has %d components instead of 3", name, i, len(row))
		}
		if err := checkValues(fmt.Sprintf("%s[%d]", name, i), row, false); err != nil {
			return err
		}
		if row[0] == 0 && row[1] == 0 && row[2] == 0 {
			return fmt.Errorf("%s[%d] is all zeros, like the belief after an impossible sequence: leave it out",
				name, i)
		}
		if sum := row[0] + row[1] + row[2]; math.Abs(sum-1) > 1e-3 {
			return fmt.Errorf("%s[%d] sums to %v instead of 1", name, i, sum)
		}
	}
	return nil
}

// plane returns the panel as a Plane.
func (p Simplex) plane() Plane {
	belief := p.Belief
	if belief == nil {
		belief = p.P
	}
	colors := make([]color.NRGBA, len(belief))
	for i, b := range belief {
		colors[i] = RGB(b[0], b[1], b[2])
	}
	return p.outline(colors)
}

// outline returns the panel as a Plane with the given colours. They may be nil if only
// the panel's extent is needed.
func (p Simplex) outline(colors []color.NRGBA) Plane {
	pts := Points{X: make([]float64, len(p.P)), Y: make([]float64, len(p.P)), Colors: colors}
	for i, row := range p.P {
		pts.X[i], pts.Y[i] = Project(row[0], row[1], row[2])
	}
	triangle := Path{X: []float64{0, 1, 0.5}, Y: []float64{0, 0, math.Sqrt(3) / 2}, Closed: true}
	return Plane{Layers: []Layer{triangle, pts}}
}

func (p Simplex) keys() []key              { return p.outline(nil).keys() }
func (p Simplex) height(w float64) float64 { return p.outline(nil).height(w) }

func (p Simplex) margins(w, _ float64) margins {
	m := bareMargins(p.Title)
	m.left = max(0, textWidth(p.Vertices[0], tickSize)/2-0.03*w)
	m.right = max(0, textWidth(p.Vertices[1], tickSize)/2-0.03*w)
	if p.Vertices[2] != "" {
		m.top += tickSize * lead
	}
	if p.Vertices[0] != "" || p.Vertices[1] != "" {
		m.bottom += tickSize * lead
	}
	return m
}

func (p Simplex) draw(s *svg, a rect) {
	plane := p.plane()
	plane.draw(s, a)
	above := 0.0
	f := plane.frame(a.w, a.h)
	if p.Vertices[2] != "" {
		above = tickSize * lead
		x, y := f.point(a, 0.5, math.Sqrt(3)/2)
		s.text(x, y-4, label{text: p.Vertices[2], size: tickSize})
	}
	for i, name := range p.Vertices[:2] {
		if name != "" {
			x, y := f.point(a, float64(i), 0)
			s.text(x, y+4+tickSize*textHeight, label{text: name, size: tickSize})
		}
	}
	s.title(p.Title, rect{a.x, a.y - above, a.w, a.h})
}
