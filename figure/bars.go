package figure

import (
	"fmt"
	"image/color"
)

// Bars draws groups of bars side by side, one bar a series in each group.
type Bars struct {
	Title string
	// Y is the axis of values. It reaches 0, where bars start, and so is not logarithmic:
	// a bar's length would say nothing there. [Dots] may be.
	Y      Axis
	Label  string   // under the groups
	Groups []string // the groups' names
	Series []BarSeries
	Refs   []Ref // horizontal ones only
}

// A BarSeries is one bar in each group of [Bars].
type BarSeries struct {
	Name string
	Y    []float64 // one value a group
	// Lo and Hi, both or neither, are the ends of an error bar about each Y.
	Lo, Hi []float64
	// Color is the class of colour, counted from 1; 0 is the series' place.
	Color int
	// Open draws outlines, for a baseline beside what was measured.
	Open bool
}

// The share of a group's slot that its bars fill.
const barFill = 0.78

func (b Bars) class(i int) int {
	if k := b.Series[i].Color; k > 0 {
		return k
	}
	return i + 1
}

func (b Bars) check() error {
	in := panelName("bars", b.Title)
	if len(b.Groups) == 0 || len(b.Series) == 0 {
		return fmt.Errorf("%s: no groups or no series", in)
	}
	if b.Y.Log {
		return fmt.Errorf("%s: bars have no foot on a logarithmic axis: draw dots", in)
	}
	for i, s := range b.Series {
		if err := s.check(len(b.Groups)); err != nil {
			return fmt.Errorf("%s: %s: %w", in, seriesName(i, s.Name), err)
		}
	}
	for _, r := range b.Refs {
		if r.Vertical {
			return fmt.Errorf("%s: reference %q: groups have no vertical reference lines", in, r.Label)
		}
		if err := checkValues(fmt.Sprintf("reference %q", r.Label), []float64{r.Value}, false); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
	}
	return checkAxes(in, Axis{}, b.Y)
}

func (s BarSeries) check(groups int) error {
	if err := checkClass(s.Color); err != nil {
		return err
	}
	return checkGroups("y", groups, s.Y, s.Lo, s.Hi, false)
}

func (b Bars) keys() []key {
	var keys []key
	for i, s := range b.Series {
		keys = append(keys, key{name: s.Name, kind: barKey, class: b.class(i), open: s.Open})
	}
	return keys
}

func (b Bars) height(w float64) float64 { return 0.6 * w }

func (b Bars) frame() frame {
	values := [][]float64{{0}}
	for _, s := range b.Series {
		values = append(values, s.Y, s.Hi, s.Lo)
	}
	for _, r := range b.Refs {
		values = append(values, []float64{r.Value})
	}
	f := frame{title: b.Title, y: b.Y.over(values...), bare: true}
	if lo, _ := bounds(append(values, b.Y.Include)...); lo == 0 {
		f.y.lo = 0 // bars stand on the axis
	}
	f.x = span{Axis{Label: b.Label, Names: b.Groups}, -0.5, float64(len(b.Groups)) - 0.5}
	return f
}

func (b Bars) margins(w, h float64) margins {
	m := b.frame().margins(w, h)
	for _, r := range b.Refs {
		m.right = max(m.right, textWidth(r.Label, tickSize)+6)
	}
	return m
}

func (b Bars) draw(s *svg, a rect) {
	f := b.frame()
	f.draw(s, a)
	base := max(0, f.y.lo)
	if f.y.hi < 0 {
		base = f.y.hi
	}
	slot := a.w / float64(len(b.Groups))
	wide := slot * barFill / float64(len(b.Series))
	for i, series := range b.Series {
		s.open("series")
		for g, v := range series.Y {
			x, y := f.point(a, float64(g), v)
			x += wide * (float64(i) - float64(len(b.Series)-1)/2)
			_, y0 := f.point(a, 0, base)
			bar := rect{x - wide*0.44, min(y, y0), wide * 0.88, max(y, y0) - min(y, y0)}
			s.rect(bar, barStyle(hue(b.class(i)), series.Open))
			if series.Lo != nil {
				_, lo := f.point(a, 0, series.Lo[g])
				_, hi := f.point(a, 0, series.Hi[g])
				s.whisker(x, lo, hi, min(2.5, wide*0.3), `class="error"`)
			}
		}
		s.close()
	}
	drawRefs(s, b.Refs, f, a)
}

// barStyle fills a bar; an open one has a dashed outline and a light filling.
func barStyle(c color.NRGBA, open bool) string {
	if open {
		return fmt.Sprintf(`fill="%s" fill-opacity="0.18" stroke="%s" stroke-width="1" stroke-dasharray="3 1.5"`, hex6(c),
			hex6(c))
	}
	return fmt.Sprintf(`fill="%s"`, hex6(c))
}
