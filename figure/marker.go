package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// shapes are the markers by class: polygons about as large as a disc of radius 1. The
// first, nil, is that disc. Each class has its own marker, because series must be
// distinguishable without colour.
var shapes = [][]float64{
	nil,
	{-0.86, -0.86, 0.86, -0.86, 0.86, 0.86, -0.86, 0.86},         // square
	{0, -1.22, 1.1, 0.8, -1.1, 0.8},                              // triangle
	{0, -1.3, 1.1, 0, 0, 1.3, -1.1, 0},                           // diamond
	{0, 1.22, 1.1, -0.8, -1.1, -0.8},                             // triangle downwards
	{0, -1.15, 1.1, -0.35, 0.68, 0.95, -0.68, 0.95, -1.1, -0.35}, // pentagon
	{0, -1.15, 1, -0.58, 1, 0.58, 0, 1.15, -1, 0.58, -1, -0.58},  // hexagon
}

// marker draws the marker of a class at (x, y); it is hollow if open.
func (s *svg) marker(class int, x, y, r float64, c color.NRGBA, open bool) {
	style := fmt.Sprintf(`fill="%s"`, hex6(c))
	if open {
		style = fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.1"`, hex6(c))
	}
	shape := shapes[(class-1)%len(shapes)]
	if shape == nil {
		s.put(`<circle cx="%s" cy="%s" r="%s" %s/>`, num(x), num(y), num(r), style)
		return
	}
	xy := make([]float64, len(shape))
	for i := range xy {
		xy[i] = []float64{x, y}[i%2] + r*shape[i]
	}
	s.path(points(xy...)+"Z", style)
}

// arrow draws an arrow. An open arrow is dashed and has a hollow head.
func (s *svg) arrow(x0, y0, x1, y1 float64, c color.NRGBA, open bool) {
	length := math.Hypot(x1-x0, y1-y0)
	if length < 0.01 {
		return
	}
	head := min(6, length)
	ux, uy := (x1-x0)/length, (y1-y0)/length
	bx, by := x1-head*ux, y1-head*uy // base of the head
	wx, wy := -uy*head*0.4, ux*head*0.4
	dash, fill := "", hex6(c)
	if open {
		dash, fill = ` stroke-dasharray="3.5 2"`, "none"
	}
	s.path(points(x0, y0, bx, by), fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.3"%s`, hex6(c), dash))
	s.path(points(x1, y1, bx+wx, by+wy, bx-wx, by-wy)+"Z",
		fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="0.9" stroke-linejoin="round"`, fill, hex6(c)))
}

// dashes are the dash patterns of lines; the first is solid.
var dashes = []string{"", "7 2.5", "2 2", "8 2.5 2 2.5"}

const openDash = "5 2.5"

// polyline draws a line through points, with a dash pattern unless dash is "". Steps
// shorter than a quarter of a point are dropped, which keeps a curve of a hundred
// thousand steps small.
func (s *svg) polyline(xy []float64, c color.NRGBA, dash string) {
	style := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.6" stroke-linejoin="round"`, hex6(c))
	if dash != "" {
		style += fmt.Sprintf(` stroke-dasharray="%s"`, dash)
	}
	s.path(points(thin(xy, 0.25)...), style)
}

// thin drops each point that is closer than d to the last point kept, except for the two
// ends.
func thin(xy []float64, d float64) []float64 {
	kept := append([]float64{}, xy[:2]...)
	for i := 2; i < len(xy); i += 2 {
		n := len(kept)
		if i == len(xy)-2 || math.Hypot(xy[i]-kept[n-2], xy[i+1]-kept[n-1]) >= d {
			kept = append(kept, xy[i], xy[i+1])
		}
	}
	return kept
}

// bandMark marks a band in the markup.
const bandMark = `class="band"`

// band fills the area between two lines.
func (s *svg) band(lower, upper []float64, c color.NRGBA) {
	outline := append([]float64{}, thin(upper, 0.25)...)
	lower = thin(lower, 0.25)
	for i := len(lower) - 2; i >= 0; i -= 2 {
		outline = append(outline, lower[i], lower[i+1])
	}
	s.path(points(outline...)+"Z", fmt.Sprintf(bandMark+` fill="%s" fill-opacity="%s"`, hex6(c), bandInk.light))
}

// whisker draws a vertical error bar from y0 to y1, whose caps extend cap points to each
// side.
func (s *svg) whisker(x, y0, y1, cap float64, attrs string) {
	var d strings.Builder
	d.WriteString(points(x, y0, x, y1))
	for _, y := range []float64{y0, y1} {
		d.WriteString(points(x-cap, y, x+cap, y))
	}
	s.path(d.String(), attrs)
}
