package figure

import (
	"fmt"
	"image/color"
)

// Dots draws values as dots with their ranges. Each group has its own line, with its name
// at the left. Dots replace bars where a bar's length has no meaning, as on a logarithmic
// axis, and where ranges matter; Cleveland (1984) recommends them.
type Dots struct {
	Title string
	// X is the axis of values. It spans the data and may be logarithmic.
	X      Axis
	Label  string   // label of the axis of groups
	Groups []string // the groups' names, from top to bottom
	Series []DotSeries
	Refs   []Ref // vertical reference lines at values to compare the dots with
}

// A DotSeries contributes a dot with its range to each group of [Dots].
type DotSeries struct {
	Name string
	X    []float64 // one value for each group
	// Lo and Hi are the ends of the range around each X; give both or neither. If an end is
	// not positive, the range is drawn to the edge of a logarithmic axis.
	Lo, Hi []float64
	// Color is the class of colour and marker, counted from 1; 0 selects it by the index of
	// the series.
	Color int
	// Open draws hollow dots, for a baseline that measurements are compared with.
	Open bool
}

// Spacing in points.
const (
	dotPitch = 8.0 // distance between the dots of a group, one for each series
	dotGap   = 8.0 // distance between groups
)

func (d Dots) class(i int) int {
	if k := d.Series[i].Color; k > 0 {
		return k
	}
	return i + 1
}

func (d Dots) check() error {
	in := panelName("dots", d.Title)
	if len(d.Groups) == 0 || len(d.Series) == 0 {
		return fmt.Errorf("%s: no groups or no series, want at least one of each", in)
	}
	for i, s := range d.Series {
		if err := s.check(len(d.Groups), d.X.Log); err != nil {
			return fmt.Errorf("%s: %s: %w", in, seriesName(i, s.Name), err)
		}
	}
	for _, r := range d.Refs {
		if !r.Vertical {
			return fmt.Errorf("%s: reference %q: dots take vertical reference lines only", in, r.Label)
		}
		if err := checkValues(fmt.Sprintf("reference %q", r.Label), []float64{r.Value}, d.X.Log); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
	}
	return checkAxes(in, d.X, Axis{})
}

func (s DotSeries) check(groups int, log bool) error {
	if err := checkClass(s.Color); err != nil {
		return err
	}
	return checkGroups("x", groups, s.X, s.Lo, s.Hi, log)
}

func (d Dots) keys() []key {
	var keys []key
	for i, s := range d.Series {
		k := key{name: s.Name, kind: dotKey, class: d.class(i), open: s.Open}
		if s.Lo != nil {
			k.kind = rangeKey
		}
		keys = append(keys, k)
	}
	return keys
}

// height returns a height at which all dots and names fit. It does not depend on the
// width.
func (d Dots) height(float64) float64 {
	return float64(len(d.Groups)) * max(dotPitch*float64(len(d.Series))+dotGap, tickSize*lead+4)
}

func (d Dots) frame() frame {
	var values [][]float64
	for _, s := range d.Series {
		values = append(values, s.X, s.Hi)
		if d.X.Log {
			values = append(values, positive(s.Lo))
		} else {
			values = append(values, s.Lo)
		}
	}
	headroom := 0.0
	for _, r := range d.Refs {
		values = append(values, []float64{r.Value})
		headroom = tickSize
	}
	n := len(d.Groups)
	upwards := make([]string, n)
	for g, name := range d.Groups {
		upwards[n-1-g] = name
	}
	return frame{
		title: d.Title, x: d.X.over(values...), headroom: headroom,
		y: span{Axis{Label: d.Label, Names: upwards}, -0.5, float64(n) - 0.5},
	}
}

func (d Dots) margins(w, h float64) margins { return d.frame().margins(w, h) }

func (d Dots) draw(s *svg, a rect) {
	f := d.frame()
	f.draw(s, a)
	drawRefs(s, d.Refs, f, a)
	slot := a.h / float64(len(d.Groups))
	pitch := min(dotPitch*1.5, slot/float64(len(d.Series)+1))
	for i, series := range d.Series {
		s.open("series")
		for g := range series.X {
			middle := a.y + (float64(g)+0.5)*slot
			series.draw(s, f, a, g, middle+pitch*(float64(i)-float64(len(d.Series)-1)/2), d.class(i))
		}
		s.close()
	}
}

// draw draws the dot of group g at height y.
func (r DotSeries) draw(s *svg, f frame, a rect, g int, y float64, class int) {
	at := func(v float64) float64 { x, _ := f.point(a, v, 0); return x }
	if r.Lo != nil {
		s.reach(at(r.Lo[g]), at(r.X[g]), at(r.Hi[g]), y, hue(class), r.Open)
	}
	s.marker(class, at(r.X[g]), y, dotRadius, hue(class), r.Open)
}

// dotRadius is the radius of the dots in the panel and in the legend.
const dotRadius = 3.0

// reach draws the range of a dot at x from lo to hi. The line stops at the edge of a
// hollow dot.
func (s *svg) reach(lo, x, hi, y float64, c color.NRGBA, open bool) {
	style := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.6"`, hex6(c))
	if !open {
		s.path(points(lo, y, hi, y), style)
		return
	}
	const clear = dotRadius + 0.6
	if lo < x-clear {
		s.path(points(lo, y, x-clear, y), style)
	}
	if hi > x+clear {
		s.path(points(x+clear, y, hi, y), style)
	}
}
