package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func hues(n int) []color.NRGBA {
	c := make([]color.NRGBA, n)
	for i := range c {
		c[i] = hue(i + 1)
	}
	return c
}

var coordinates = regexp.MustCompile(`[ML](-?[0-9.]+),(-?[0-9.]+)`)

// area returns the plot area of a panel with axes: what its axis path spans.
func area(t testing.TB, root node) rect {
	t.Helper()
	var r rect
	root.walk(func(n node) {
		if m := coordinates.FindAllStringSubmatch(n.attr("d"), -1); n.attr("class") == "axis" && len(m) == 3 {
			num := func(s string) float64 { v, _ := strconv.ParseFloat(s, 64); return v }
			x, y, right, bottom := num(m[0][1]), num(m[0][2]), num(m[2][1]), num(m[1][2])
			r = rect{x, y, right - x, bottom - y}
		}
	})
	if r.w <= 0 || r.h <= 0 {
		t.Fatal("no plot area")
	}
	return r
}

// marks returns the points drawn by the groups of a class.
func marks(t testing.TB, root node, class string) (xy [][2]float64) {
	t.Helper()
	root.walk(func(g node) {
		if g.attr("class") != class {
			return
		}
		g.walk(func(n node) {
			if n.XMLName.Local == "circle" {
				xy = append(xy, [2]float64{n.number(t, "cx"), n.number(t, "cy")})
			}
			for _, m := range coordinates.FindAllStringSubmatch(n.attr("d"), -1) {
				x, _ := strconv.ParseFloat(m[1], 64)
				y, _ := strconv.ParseFloat(m[2], 64)
				xy = append(xy, [2]float64{x, y})
			}
		})
	})
	return xy
}

func inside(r rect, xy [2]float64, slop float64) bool {
	return xy[0] >= r.x-slop && xy[0] <= r.x+r.w+slop && xy[1] >= r.y-slop && xy[1] <= r.y+r.h+slop
}

// values draws n finite numbers of any order of magnitude.
func values(t *rapid.T, n int, positive bool, label string) []float64 {
	lo, least := -1.0, -320.0
	if positive {
		lo, least = 1e-6, -280
	}
	scale := math.Pow(10, rapid.Float64Range(least, 280).Draw(t, label+" scale"))
	v := rapid.SliceOfN(rapid.Float64Range(lo, 1), n, n).Draw(t, label)
	for i := range v {
		v[i] *= scale
	}
	return v
}

func TestChartHoldsAllItsData(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "n")
		logX, logY := rapid.Bool().Draw(rt, "log x"), rapid.Bool().Draw(rt, "log y")
		s := Series{X: values(rt, n, logX, "x"), Y: values(rt, n, logY, "y"), Color: 1, Style: Scatter}
		root, _ := render(t, Single("T", "D", Chart{X: Axis{Log: logX}, Y: Axis{Log: logY}, Series: []Series{s}}))
		a, xy := area(t, root), marks(t, root, "series")
		if len(xy) != n {
			rt.Fatalf("%d marks for %d points", len(xy), n)
		}
		for i, p := range xy {
			if !inside(a, p, 0.01) {
				rt.Errorf("(%g, %g) is drawn at %v, outside %+v", s.X[i], s.Y[i], p, a)
			}
		}
		for i := range n { // order on the page is order of the numbers
			for j := range n {
				if s.X[i] < s.X[j] && xy[i][0] > xy[j][0]+0.01 || s.Y[i] < s.Y[j] && xy[i][1] < xy[j][1]-0.01 {
					rt.Errorf("points %d and %d are drawn in the wrong order", i, j)
				}
			}
		}
	})
}

// Lines of different patterns have different dashes, in the chart and in its legend; the
// first is solid, and so is a line without one.
func TestDashes(t *testing.T) {
	c := Chart{}
	for i := range len(dashes) + 2 {
		c.Series = append(c.Series, Series{Name: string(rune('a' + i)), X: []float64{0, 1}, Y: []float64{0, float64(i)}, Dash: i})
	}
	_, doc := render(t, Single("T", "D", c))
	for _, dash := range dashes[1:] {
		if got := strings.Count(string(doc), `stroke-dasharray="`+dash+`"`); got != 2 { // in the chart and its legend
			t.Errorf("%d lines are dashed by %q, want 2", got, dash)
		}
	}
}

func TestPlaneKeepsShape(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(rt, "n")
		p := Points{X: values(rt, n, false, "x"), Y: values(rt, n, false, "y")}
		root, _ := render(t, Single("T", "D", Plane{X: "x", Y: "y", Layers: []Layer{p}}))
		a, xy := area(t, root), marks(t, root, "layer")
		far, unit := 0.0, 0.0 // unit is points of length by unit of data
		for i := range xy {
			if !inside(a, xy[i], 0.01) {
				rt.Errorf("point %d is drawn at %v, outside %+v", i, xy[i], a)
			}
			if d := math.Hypot(p.X[i]-p.X[0], p.Y[i]-p.Y[0]); d > far {
				far, unit = d, math.Hypot(xy[i][0]-xy[0][0], xy[i][1]-xy[0][1])/d
			}
		}
		for i := range xy {
			dx, dy := unit*(p.X[i]-p.X[0]), unit*(p.Y[i]-p.Y[0])
			if math.Abs(xy[i][0]-xy[0][0]-dx) > 0.05*max(1, math.Abs(dx)) || math.Abs(xy[0][1]-xy[i][1]-dy) > 0.05*max(1, math.Abs(dy)) {
				rt.Errorf("the scales of the axes differ at point %d", i)
			}
		}
	})
}

func TestArrowsEndWhereTheyPoint(t *testing.T) {
	plane := Plane{X: "x", Y: "y", Layers: []Layer{
		Points{X: []float64{3}, Y: []float64{4}},
		Arrows{X: []float64{3}, Y: []float64{4}},
	}}
	root, _ := render(t, Single("T", "D", plane))
	xy := marks(t, root, "layer")
	if tip := xy[3]; math.Hypot(tip[0]-xy[0][0], tip[1]-xy[0][1]) > 0.02 {
		t.Errorf("the tip is at %v, the point at %v", tip, xy[0])
	}
}

func TestBarsStandOnTheirBase(t *testing.T) {
	y := []float64{1, 10, 0.2}
	root, _ := render(t, Single("T", "D", Bars{Groups: []string{"a", "b", "c"}, Series: []BarSeries{{Y: y}}}))
	a := area(t, root)
	var heights []float64
	root.walk(func(g node) {
		if g.attr("class") != "series" {
			return
		}
		for _, r := range g.Children {
			if bottom := r.number(t, "y") + r.number(t, "height"); math.Abs(bottom-a.y-a.h) > 0.02 {
				t.Errorf("a bar ends at %g, the axis at %g", bottom, a.y+a.h)
			}
			heights = append(heights, r.number(t, "height"))
		}
	})
	if got := heights[1] / heights[0]; math.Abs(got-10) > 0.05 {
		t.Errorf("heights are as %.2f to 1, want 10", got)
	}
}

// Dots lie on the line of their group, the first at the top, and a decade is as long
// anywhere; what reaches below a logarithmic axis ends at its edge.
func TestDotsLieOnTheirLines(t *testing.T) {
	d := Dots{
		X: Axis{Log: true}, Groups: []string{"a", "b", "c"},
		Series: []DotSeries{{X: []float64{1, 10, 100}, Lo: []float64{-1, 5, 50}, Hi: []float64{2, 20, 200}}},
	}
	root, _ := render(t, Single("T", "D", d))
	a := area(t, root)
	xy := marks(t, root, "series") // two ends and the dot of each
	for g := range 3 {
		dot, want := xy[3*g+2], a.y+(float64(g)+0.5)*a.h/3
		if math.Abs(dot[1]-want) > 0.02 || math.Abs(xy[3*g][1]-want) > 0.02 {
			t.Errorf("group %d: the dot is at %v and its range at %v, want y = %g", g, dot, xy[3*g], want)
		}
	}
	if xy[0][0] != a.x {
		t.Errorf("a range from below 0 starts at %g, want the edge at %g", xy[0][0], a.x)
	}
	if first, second := xy[5][0]-xy[2][0], xy[8][0]-xy[5][0]; math.Abs(first-second) > 0.02 {
		t.Errorf("decades are %g and %g points long", first, second)
	}
}

func TestIntervalBelowZeroReachesTheEdge(t *testing.T) {
	s := Series{X: []float64{0, 1}, Y: []float64{1, 2}, Lo: []float64{-1, 0.5}, Hi: []float64{2, 3}, Style: Scatter}
	c := Chart{Y: Axis{Log: true}, Series: []Series{s}}
	f := c.frame()
	if _, y := f.point(rect{0, 0, 100, 100}, 0, s.Lo[0]); y != 100 {
		t.Errorf("the end is drawn at %g, want 100", y)
	}
	if f.y.lo <= 0 || f.y.lo > 0.5 {
		t.Errorf("the axis starts at %g", f.y.lo)
	}
}

func TestProjectionIsIsometric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) [3]float64 {
			a, b := rapid.Float64Range(0, 1).Draw(t, label), rapid.Float64Range(0, 1).Draw(t, label)
			return [3]float64{1 - a, a * b, a * (1 - b)}
		}
		p, q := draw("p"), draw("q")
		px, py := Project(p[0], p[1], p[2])
		qx, qy := Project(q[0], q[1], q[2])
		// Corners of the simplex are √2 apart in space and 1 on the page.
		want := math.Sqrt((math.Pow(p[0]-q[0], 2) + math.Pow(p[1]-q[1], 2) + math.Pow(p[2]-q[2], 2)) / 2)
		if got := math.Hypot(px-qx, py-qy); math.Abs(got-want) > 1e-12 {
			t.Errorf("distance %g, want %g", got, want)
		}
	})
}

// A number that is 0 to the digits of a cell has no sign, one that is 0 no digits.
func TestHeatMapCells(t *testing.T) {
	for v, want := range map[float64]string{-0.004: "0.00", 0: "0", 1e-9: "0.00", -0.006: "−0.01", -10.58: "−10.58", 0.5: "0.50"} {
		if got := cellText(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if got := cellText(math.Copysign(0, -1)); got != "0" {
		t.Errorf("minus zero is %s", got)
	}
}

func TestHeatMapColours(t *testing.T) {
	m := HeatMap{Z: [][]float64{{-2, 0}, {1, 0.5}}, Diverging: true}
	s := m.scale()
	if s.lo != -2 || s.hi != 2 {
		t.Errorf("scale [%g, %g], want [-2, 2]", s.lo, s.hi)
	}
	if m.color(s, -2) != blueRed[0] || m.color(s, 0) != blueRed[4] || m.color(s, 2) != blueRed[8] {
		t.Error("the ends or the middle of the scale have the wrong colour")
	}
	m = HeatMap{Z: [][]float64{{0.25, 9}, {0.5, 0.75}}, Lower: true, Range: [2]float64{0, 1}}
	if s := m.scale(); s.lo != 0 || s.hi != 1 {
		t.Errorf("scale [%g, %g], want [0, 1]: the hidden cell counts", s.lo, s.hi)
	}
	root, _ := render(t, Single("T", "D", m))
	cells := 0
	root.walk(func(g node) {
		if g.attr("class") == "cells" {
			g.walk(func(n node) {
				if n.XMLName.Local == "rect" {
					cells++
				}
			})
		}
	})
	if cells != 3 {
		t.Errorf("%d cells in the lower triangle of two rows, want 3", cells)
	}
}

// A cell reaches under the next one, at its right and below, so that the paper does not
// shine through between them, and none reaches out of the map.
func TestHeatMapHasNoGaps(t *testing.T) {
	a := rect{10, 20, 60, 40}
	m := HeatMap{Z: [][]float64{{1, 2, 3}, {4, 5, 6}}}
	for i := range m.Z {
		for j := range m.Z[i] {
			r := m.under(m.cell(a, i, j), i, j)
			right, below := a.x+a.w-(r.x+r.w), a.y+a.h-(r.y+r.h)
			if j+1 < len(m.Z[i]) {
				right = m.cell(a, i, j+1).x + 0.5 - (r.x + r.w)
			}
			if i+1 < len(m.Z) {
				below = m.cell(a, i+1, j).y + 0.5 - (r.y + r.h)
			}
			if last := j+1 == len(m.Z[i]); right > 1e-9 || last && right < -1e-9 {
				t.Errorf("cell %d, %d ends %g points from where it should at the right", i, j, right)
			}
			if last := i+1 == len(m.Z); below > 1e-9 || last && below < -1e-9 {
				t.Errorf("cell %d, %d ends %g points from where it should below", i, j, below)
			}
		}
	}
}

// Cells of 0 are left out where that is asked for, and classes have their colours and
// their legend in place of a scale; a value that is no class is an error.
func TestHeatMapClassesAndBlanks(t *testing.T) {
	draw := func(m HeatMap) (string, error) {
		doc, err := Single("title", "description", m).SVG()
		return string(doc), err
	}
	z := [][]float64{{0, 1}, {2, 0}}
	all, err := draw(HeatMap{Z: z})
	if err != nil {
		t.Fatal(err)
	}
	rest, err := draw(HeatMap{Z: z, BlankZeros: true})
	if n := strings.Count(all, "<rect") - strings.Count(rest, "<rect"); err != nil || n != 2 {
		t.Errorf("%d cells are left out, want 2; %v", n, err)
	}
	named, err := draw(HeatMap{Z: z, Classes: []string{"calm", "wind", "storm"}})
	for _, want := range []string{">calm<", ">wind<", ">storm<"} {
		if !strings.Contains(named, want) || err != nil {
			t.Errorf("no %s, %v", want, err)
		}
	}
	if strings.Contains(named, `class="scale"`) {
		t.Error("classes have a scale")
	}
	_, err = draw(HeatMap{Z: z, Classes: []string{"calm", "wind"}})
	if want := `figure "title": row 0, column 0: heat map: z[1][0] = 2 is not one of the 2 classes`; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Keys that have a line each have their names under one another; where lines hold
// several, each name is right behind its sample.
func TestNamesOfKeysAreFlush(t *testing.T) {
	solid := key{name: "a long name of a run", kind: lineKey, class: 1}
	dashed := key{name: "another name of a run", kind: lineKey, class: 2, dash: dashes[1]}
	one, _ := arrangeLegend([]key{solid, dashed}, 150)
	if one[1].x != 0 || one[0].text != one[1].text {
		t.Errorf("names at %v and %v", one[0].text, one[1].text)
	}
	side, _ := arrangeLegend([]key{solid, dashed}, 600)
	if side[1].x == 0 || side[0].text == side[1].text {
		t.Errorf("names at %v and %v of samples of %v and %v", side[0].text, side[1].text, solid.sample(), dashed.sample())
	}
}

// In the picture of a map, a cell is four pixels in each direction, of its colour, and a
// blank cell is transparent.
func TestPictureOfCells(t *testing.T) {
	m := HeatMap{Z: make([][]float64, 20), BlankZeros: true}
	for i := range m.Z {
		m.Z[i] = make([]float64, 26)
		for j := range m.Z[i] {
			m.Z[i][j] = float64((7*i+3*j)%11) / 10
		}
	}
	clear(m.Z[4]) // a row without cells
	scale := m.scale()
	img := m.picture(scale)
	if img.Bounds() != image.Rect(0, 0, 4*26, 4*20) {
		t.Fatalf("a picture of %v", img.Bounds())
	}
	for y := range 4 * 20 {
		for x := range 4 * 26 {
			v, want := m.Z[y/4][x/4], color.NRGBA{}
			if v != 0 {
				want = m.color(scale, v)
			}
			if got := img.At(x, y); got != want {
				t.Fatalf("pixel %d, %d is %v, want %v, of a cell with the value %g", x, y, got, want, v)
			}
		}
	}
}

// A map of at most 500 cells has an element for each, a larger one is a picture.
func TestManyCellsAreAPicture(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		picture       bool
	}{{20, 25, false}, {20, 26, true}} {
		z := make([][]float64, c.rows)
		for i := range z {
			z[i] = make([]float64, c.columns)
			z[i][i] = 1
		}
		root, _ := render(t, Single("map", "cells", HeatMap{Z: z}))
		images := 0
		root.walk(func(n node) {
			if n.XMLName.Local == "image" {
				images++
			}
		})
		if images > 1 || (images == 1) != c.picture {
			t.Errorf("%d × %d cells have %d pictures", c.rows, c.columns, images)
		}
	}
}
