package figure

import (
	"fmt"
	"image/color"
)

// Bars draws groups of bars side by side. Each group has one bar for each series.
type Bars struct {
	Title string
	// Y is the axis of values. It includes 0, where bars start; therefore it cannot be
	// logarithmic. [Dots] can have a logarithmic axis.
	Y      Axis
	Label  string   // below the groups
	Groups []string // the groups' names
	Series []BarSeries
}

// A BarSeries contributes one bar to each group of [Bars].
type BarSeries struct {
	Name string
	Y    []float64 // one value for each group
	// Lo and Hi are the ends of an error bar around each Y; give both or neither.
	Lo, Hi []float64
	// Color is the colour class, counted from 1; 0 selects it by the index of the series.
	Color int
	// Open draws outlines only, for a baseline that measurements are compared with.
	Open bool
}

// barFill is the fraction of a group's slot that is filled by its bars.
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
		return fmt.Errorf("%s: no groups or no series, want at least one of each", in)
	}
	if b.Y.Log {
		return fmt.Errorf("%s: bars start at 0 and need a linear axis; use Dots for a logarithmic one", in)
	}
	for i, s := range b.Series {
		if err := s.check(len(b.Groups)); err != nil {
			return fmt.Errorf("%s: %s: %w", in, seriesName(i, s.Name), err)
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
	f := frame{title: b.Title, y: b.Y.over(values...), bare: true}
	if lo, _ := bounds(append(values, b.Y.Include)...); lo == 0 {
		f.y.lo = 0 // no margin below 0, where the bars start
	}
	f.x = span{Axis{Label: b.Label, Names: b.Groups}, -0.5, float64(len(b.Groups)) - 0.5}
	return f
}

func (b Bars) margins(w, h float64) margins { return b.frame().margins(w, h) }

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
}

// barStyle returns the fill of a bar. An open bar has a dashed outline and a light fill.
func barStyle(c color.NRGBA, open bool) string {
	if open {
		return fmt.Sprintf(`fill="%s" fill-opacity="0.18" stroke="%s" stroke-width="1" stroke-dasharray="3 1.5"`,
			hex6(c), hex6(c))
	}
	return fmt.Sprintf(`fill="%s"`, hex6(c))
}
