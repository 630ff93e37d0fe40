package figure

import (
	"fmt"
	"math"
)

// A Plane draws layers on top of each other on two axes of equal scale, which preserves
// shapes and angles.
type Plane struct {
	Title string
	// X and Y label the axes. If both are empty, no axes are drawn, for a projection whose
	// units have no meaning.
	X, Y   string
	Layers []Layer
	// Ruler replaces the axes by a frame with a scale bar below it, labelled X. It suits a
	// projection whose directions have no meaning but whose distances have, such as a
	// rotated plane of principal components.
	Ruler bool
	// IncludeX and IncludeY list values that the axes must include in addition to the data,
	// which lets panels side by side share their scale.
	IncludeX, IncludeY []float64
}

// A Layer is [Points], [Arrows] or [Path].
type Layer interface {
	check() error
	key() key
	extent() (xs, ys [][]float64)
	draw(s *svg, f frame, a rect)
}

func (p Plane) check() error {
	in := panelName("plane", p.Title)
	if len(p.Layers) == 0 {
		return fmt.Errorf("%s: no layers", in)
	}
	for i, l := range p.Layers {
		if l == nil {
			return fmt.Errorf("%s: layer %d is nil", in, i)
		}
		if err := l.check(); err != nil {
			return fmt.Errorf("%s: %s: %w", in, seriesName(i, l.key().name), err)
		}
	}
	return checkAxes(in, Axis{Include: p.IncludeX}, Axis{Include: p.IncludeY})
}

func (p Plane) keys() []key {
	var keys []key
	for _, l := range p.Layers {
		keys = append(keys, l.key())
	}
	return keys
}

// spans returns the two axes that contain all layers, before their scales are made equal.
func (p Plane) spans() (x, y span) {
	var xs, ys [][]float64
	for _, l := range p.Layers {
		lx, ly := l.extent()
		xs = append(xs, lx...)
		ys = append(ys, ly...)
	}
	x = Axis{Label: p.X, Include: p.IncludeX}.over(xs...)
	y = Axis{Label: p.Y, Include: p.IncludeY}.over(ys...)
	return x, y
}

// height returns a height that keeps the shape of the data, within limits.
func (p Plane) height(w float64) float64 {
	x, y := p.spans()
	return w * min(max((y.hi-y.lo)/(x.hi-x.lo), 0.6), 1.15)
}

// frame returns axes of equal scale that fill an area of w × h.
func (p Plane) frame(w, h float64) frame {
	x, y := p.spans()
	unit := max((x.hi-x.lo)/w, (y.hi-y.lo)/h) // data units for each point of length
	centre := func(s *span, length float64) {
		mid := (s.lo + s.hi) / 2
		s.lo, s.hi = mid-unit*length/2, mid+unit*length/2
	}
	centre(&x, w)
	centre(&y, h)
	return frame{title: p.Title, x: x, y: y, equal: true}
}

func (p Plane) bare() bool { return p.X == "" && p.Y == "" }

func (p Plane) margins(w, h float64) margins {
	switch {
	case p.Ruler:
		m := bareMargins(p.Title)
		m.bottom = rulerGap + tickSize + 2
		if p.X != "" {
			m.bottom += tickSize * lead
		}
		return m
	case !p.bare():
		return p.frame(w, h).margins(w, h)
	}
	return bareMargins(p.Title)
}

const rulerGap = 5.0 // distance between a frame and its scale bar

// drawRuler draws the frame of an area and the scale bar below it. The bar's length is 1,
// 2 or 5 times a power of ten and at least a quarter of the frame.
func (p Plane) drawRuler(s *svg, f frame, a rect) {
	s.put(`<path class="axis" d="%sZ"/>`, points(a.x, a.y, a.x+a.w, a.y, a.x+a.w, a.y+a.h, a.x, a.y+a.h))
	across := f.x.hi - f.x.lo
	length := niceStep(across / 4)
	wide := a.w * length / across
	y := a.y + a.h + rulerGap + tickSize/2
	s.put(`<path class="axis" d="%s"/>`, points(a.x, y-3, a.x, y+3)+points(a.x, y, a.x+wide, y)+
		points(a.x+wide, y-3, a.x+wide, y+3))
	s.text(a.x+wide+4, y+tickSize*textHeight/2, label{
		text: tickLabel(length, length, length), size: tickSize, anchor: "start",
	})
	if p.X != "" {
		s.text(a.x+a.w/2, y+tickSize*(lead+textHeight/2)+1, label{text: p.X, size: tickSize})
	}
}

func bareMargins(title string) margins {
	if title == "" {
		return margins{}
	}
	return margins{top: titleSize*lead + 2}
}

func (p Plane) draw(s *svg, a rect) {
	f := p.frame(a.w, a.h)
	switch {
	case p.Ruler:
		s.title(p.Title, a)
		p.drawRuler(s, f, a)
	case p.bare():
		s.title(p.Title, a)
	default:
		f.draw(s, a)
	}
	for _, l := range p.Layers {
		s.open("layer")
		l.draw(s, f, a)
		s.close()
	}
}

// title draws the title of a panel without axes.
func (s *svg) title(t string, a rect) {
	if t != "" {
		s.text(a.x+a.w/2, a.y-4, label{text: t, size: titleSize, bold: true})
	}
}

// Arrows are vectors in a [Plane], from the origin or from given tails.
type Arrows struct {
	Name string // name in the legend; "" omits the arrows from it
	// X and Y are the tips.
	X, Y []float64
	// FromX and FromY are the tails; give both or neither. nil means the origin.
	FromX, FromY []float64
	// Color is the colour class, counted from 1; 0 means 1.
	Color int
	// Open draws dashed arrows with hollow heads, for a prediction that measurements are
	// compared with.
	Open bool
}

func (r Arrows) check() error {
	if err := checkXY(r.X, r.Y); err != nil {
		return err
	}
	if r.FromX != nil || r.FromY != nil {
		if err := checkLength("from x", len(r.FromX), len(r.X), "x"); err != nil {
			return err
		}
		if err := checkLength("from y", len(r.FromY), len(r.X), "x"); err != nil {
			return err
		}
	}
	if err := checkValues("from x", r.FromX, false); err != nil {
		return err
	}
	if err := checkValues("from y", r.FromY, false); err != nil {
		return err
	}
	return checkClass(r.Color)
}

// checkXY returns an error if coordinates are empty, differ in number or are not finite.
func checkXY(x, y []float64) error {
	if len(x) == 0 {
		return fmt.Errorf("x is empty")
	}
	if err := checkLength("y", len(y), len(x), "x"); err != nil {
		return err
	}
	if err := checkValues("x", x, false); err != nil {
		return err
	}
	return checkValues("y", y, false)
}

func (r Arrows) key() key {
	return key{name: r.Name, kind: arrowKey, class: max(r.Color, 1), open: r.Open}
}

func (r Arrows) extent() (xs, ys [][]float64) {
	if r.FromX == nil {
		return [][]float64{r.X, {0}}, [][]float64{r.Y, {0}}
	}
	return [][]float64{r.X, r.FromX}, [][]float64{r.Y, r.FromY}
}

func (r Arrows) draw(s *svg, f frame, a rect) {
	for i := range r.X {
		x0, y0 := 0.0, 0.0
		if r.FromX != nil {
			x0, y0 = r.FromX[i], r.FromY[i]
		}
		px, py := f.point(a, x0, y0)
		qx, qy := f.point(a, r.X[i], r.Y[i])
		s.arrow(px, py, qx, qy, hue(max(r.Color, 1)), r.Open)
	}
}

// A Path is a line in the colour of the axes through points of a [Plane], such as the
// outline of a region.
type Path struct {
	X, Y   []float64
	Closed bool
}

func (p Path) check() error                 { return checkXY(p.X, p.Y) }
func (p Path) key() key                     { return key{} }
func (p Path) extent() (xs, ys [][]float64) { return [][]float64{p.X}, [][]float64{p.Y} }

func (p Path) draw(s *svg, f frame, a rect) {
	xy := make([]float64, 0, 2*len(p.X))
	for i := range p.X {
		x, y := f.point(a, p.X[i], p.Y[i])
		xy = append(xy, x, y)
	}
	d := points(xy...)
	if p.Closed {
		d += "Z"
	}
	s.put(`<path class="axis" d="%s"/>`, d)
}

// bounds returns the smallest and the largest of all values.
func bounds(values ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, vs := range values {
		for _, v := range vs {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}
