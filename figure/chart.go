package figure

import (
	"cmp"
	"fmt"
	"image/color"
)

// A Chart draws series over a common x axis, each as a line with markers or as dots
// alone, with the intervals around its values. Reference lines mark values to compare the
// data with, such as the floor and chance level of a loss.
type Chart struct {
	Title  string
	X, Y   Axis
	Series []Series
	Refs   []Ref
	// Aspect is the plot area's height divided by its width; 0 means 0.66.
	Aspect float64
}

// A Series is one line of a [Chart].
type Series struct {
	Name string // name in the legend; "" omits the series from it
	// Shared means that several series of one appearance have this name, such as the
	// predictions for several measurements. It is shown once, in grey.
	Shared bool
	// X and Y have equal lengths. A band does not show its Y.
	X, Y []float64
	// Lo and Hi are the ends of an interval around each Y; give both or neither. If an end
	// is not positive, the interval is drawn to the edge of a logarithmic axis.
	Lo, Hi []float64
	Style  Style
	// Color is the class of colour and marker, counted from 1; 0 selects it by the index of
	// the series.
	Color int
	// Open draws a dashed line with hollow markers, for a baseline or a prediction that
	// measurements are compared with.
	Open bool
	// Dash selects the pattern of a line that is not open, counted from 1: solid, dashed,
	// dotted, dash-dotted, and again from the start; 0 is solid. It distinguishes crossing
	// curves in black-and-white print.
	Dash int
	// Radius is the radius of the markers in points; 0 means 2.6.
	Radius float64
	// Upon is for a band that is drawn on top of another series' wider band, such as 50 % on
	// 90 %. It is the wider band's colour class, for the legend's sample, which shows both
	// bands. 0 means that there is no band below.
	Upon int
}

// A Style is a way to draw a [Series].
type Style int

// The styles of a series.
const (
	Line       Style = iota // a line with markers, and intervals as error bars
	BandedLine              // a line with markers, and intervals as a band
	Curve                   // a line without markers, for very many points, and intervals as a band
	Scatter                 // markers alone, and intervals as error bars
	Band                    // intervals alone, as a band
)

// Add appends a point to a series whose points have no intervals.
func (r *Series) Add(x, y float64) {
	r.X = append(r.X, x)
	r.Y = append(r.Y, y)
}

// AddInterval appends a point with the interval from lo to hi around y.
func (r *Series) AddInterval(x, y, lo, hi float64) {
	r.Add(x, y)
	r.Lo = append(r.Lo, lo)
	r.Hi = append(r.Hi, hi)
}

// hasLine reports whether the style has a line.
func (s Style) hasLine() bool { return s != Scatter && s != Band }

// hasMarkers reports whether the style has markers.
func (s Style) hasMarkers() bool { return s != Curve && s != Band }

// hasBand reports whether the style shows intervals as a band.
func (s Style) hasBand() bool { return s != Line && s != Scatter }

// A Ref is a labelled reference line across the chart, at a value of Y, or of X if
// Vertical is set.
type Ref struct {
	Label    string
	Value    float64
	Vertical bool
}

func (c Chart) class(i int) int {
	if k := c.Series[i].Color; k > 0 {
		return k
	}
	return i + 1
}

func (c Chart) check() error {
	in := panelName("chart", c.Title)
	if len(c.Series) == 0 {
		return fmt.Errorf("%s: no series", in)
	}
	for i, s := range c.Series {
		if err := s.check(c.X, c.Y); err != nil {
			return fmt.Errorf("%s: %s: %w", in, seriesName(i, s.Name), err)
		}
	}
	for _, r := range c.Refs {
		axis := c.Y
		if r.Vertical {
			axis = c.X
		}
		if err := checkValues(fmt.Sprintf("reference %q", r.Label), []float64{r.Value}, axis.Log); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
	}
	if !finite(c.Aspect) || c.Aspect < 0 {
		return fmt.Errorf("%s: aspect = %v is not a ratio, want at least 0", in, c.Aspect)
	}
	return checkAxes(in, c.X, c.Y)
}

func (s Series) check(x, y Axis) error {
	if len(s.X) == 0 {
		return fmt.Errorf("x is empty")
	}
	if err := checkLength("y", len(s.Y), len(s.X), "x"); err != nil {
		return err
	}
	if err := checkValues("x", s.X, x.Log); err != nil {
		return err
	}
	if err := checkValues("y", s.Y, y.Log); err != nil {
		return err
	}
	if err := cmp.Or(checkClass(s.Color), checkClass(s.Upon)); err != nil {
		return err
	}
	if s.Dash < 0 {
		return fmt.Errorf("dash = %d is negative, want at least 0", s.Dash)
	}
	if !finite(s.Radius) || s.Radius < 0 {
		return fmt.Errorf("radius = %v is not a length, want at least 0", s.Radius)
	}
	if err := s.checkStyle(); err != nil {
		return err
	}
	return checkInterval("y", s.Y, s.Lo, s.Hi, y.Log)
}

// checkStyle returns an error if the series has a field that its style does not draw.
func (s Series) checkStyle() error {
	switch {
	case s.Style < Line || s.Style > Band:
		return fmt.Errorf("style = %d is not a style of a series", s.Style)
	case s.Style == Band && s.Lo == nil:
		return fmt.Errorf("a band needs lo and hi")
	case s.Open && s.Style == Band:
		return fmt.Errorf("a band cannot be open")
	case s.Dash > 0 && (s.Open || !s.Style.hasLine()):
		return fmt.Errorf("dash = %d is for a line that is not open", s.Dash)
	case s.Radius > 0 && !s.Style.hasMarkers():
		return fmt.Errorf("radius = %v is for markers", s.Radius)
	case s.Upon > 0 && s.Style != Band:
		return fmt.Errorf("upon = %d is for a band", s.Upon)
	}
	return nil
}

// dash returns the dash pattern of the series' line.
func (r Series) dash() string {
	if r.Open {
		return openDash
	}
	return dashes[max(r.Dash-1, 0)%len(dashes)]
}

// seriesKeys are the kinds of legend entries by style.
var seriesKeys = [...]keyKind{Line: lineKey, BandedLine: bandKey, Curve: strokeKey, Scatter: dotKey, Band: fillKey}

func (c Chart) keys() []key {
	var keys []key
	for i, s := range c.Series {
		k := key{s.Name, seriesKeys[s.Style], c.class(i), s.Open, s.dash(), s.Upon}
		if s.Shared {
			k.class = 0
		}
		keys = append(keys, k)
	}
	return keys
}

func (c Chart) height(w float64) float64 {
	if c.Aspect > 0 {
		return c.Aspect * w
	}
	return 0.66 * w
}

func (c Chart) frame() frame {
	var xs, ys [][]float64
	for _, s := range c.Series {
		xs = append(xs, s.X)
		ys = append(ys, s.Y, s.Hi)
		if c.Y.Log {
			ys = append(ys, positive(s.Lo))
		} else {
			ys = append(ys, s.Lo)
		}
	}
	headroom := 0.0
	for _, r := range c.Refs {
		if r.Vertical {
			xs = append(xs, []float64{r.Value})
			headroom = tickSize
		} else {
			ys = append(ys, []float64{r.Value})
		}
	}
	return frame{title: c.Title, x: c.X.over(xs...), y: c.Y.over(ys...), headroom: headroom}
}

func positive(values []float64) []float64 {
	var p []float64
	for _, v := range values {
		if v >= smallest {
			p = append(p, v)
		}
	}
	return p
}

func (c Chart) margins(w, h float64) margins {
	m := c.frame().margins(w, h)
	for _, r := range c.Refs {
		if !r.Vertical && r.Label != "" {
			m.right = max(m.right, textWidth(r.Label, tickSize)+6)
		}
	}
	return m
}

func (c Chart) draw(s *svg, a rect) {
	f := c.frame()
	f.draw(s, a)
	drawRefs(s, c.Refs, f, a)
	for i, series := range c.Series {
		series.drawInterval(s, f, a, hue(c.class(i)))
	}
	for i, series := range c.Series {
		series.draw(s, f, a, c.class(i))
	}
}

func (r Series) trace(f frame, a rect, ys []float64) []float64 {
	xy := make([]float64, 0, 2*len(ys))
	for i, y := range ys {
		px, py := f.point(a, r.X[i], y)
		xy = append(xy, px, py)
	}
	return xy
}

func (r Series) drawInterval(s *svg, f frame, a rect, c color.NRGBA) {
	if r.Lo == nil {
		return
	}
	lo, hi := r.trace(f, a, r.Lo), r.trace(f, a, r.Hi)
	if r.Style.hasBand() {
		s.band(lo, hi, c)
		return
	}
	style := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.1"`, hex6(c))
	for i := range r.Lo {
		s.whisker(lo[2*i], lo[2*i+1], hi[2*i+1], 2.5, style)
	}
}

func (r Series) draw(s *svg, f frame, a rect, class int) {
	if r.Style == Band {
		return
	}
	xy := r.trace(f, a, r.Y)
	s.open("series")
	if r.Style.hasLine() {
		s.polyline(xy, hue(class), r.dash())
	}
	if !r.Style.hasMarkers() {
		s.close()
		return
	}
	// Markers would hide a dense line: one marker about every 24 points of length is enough.
	gap := 24.0
	if r.Style == Scatter || len(r.X) <= int(a.w/9) {
		gap = 0
	}
	radius := r.Radius
	if radius == 0 {
		radius = 2.6
	}
	last := -gap
	for i := 0; i < len(xy); i += 2 {
		if xy[i]-last >= gap || gap == 0 {
			s.marker(class, xy[i], xy[i+1], radius, hue(class), r.Open)
			last = xy[i]
		}
	}
	s.close()
}

// Numbers returns n consecutive numbers, starting with first, as the X of a [Series].
func Numbers(first, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(first + i)
	}
	return list
}
