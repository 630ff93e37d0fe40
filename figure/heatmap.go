package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
)

// A HeatMap draws a matrix as colours, with a colour scale to its right. A small matrix
// also shows its numbers.
type HeatMap struct {
	Title string
	// Z holds the rows from top to bottom, all of equal length.
	Z [][]float64
	// Rows and Cols name the rows and columns; nil numbers them from 0.
	Rows, Cols []string
	// X and Y label the axes of columns and rows; Label labels the scale.
	X, Y, Label string
	// Lower draws only the cells with column ≤ row, as in a causal attention pattern of
	// destinations (rows) by sources (columns). The other cells are ignored.
	Lower bool
	// Diverging uses colours that show the sign. The scale is from −m to m, where m is the
	// largest absolute value.
	Diverging bool
	// Log makes the colour scale logarithmic. All values must then be positive, except zeros
	// with BlankZeros.
	Log bool
	// Texts, if not nil, are shown in the cells instead of their numbers, also in blank
	// cells. A text may have several lines.
	Texts [][]string
	// Range extends the colour scale to include both values, which lets several maps share a
	// scale; the zero value has no effect. If adjacent maps in a row have equal scales and
	// Labels, only the last of them shows the scale.
	Range [2]float64
	// BlankZeros leaves cells with value 0 empty, for sparse matrices.
	BlankZeros bool
	// Classes names the values 0, 1, …; other values are then errors. Each class has its own
	// colour, and a legend replaces the scale.
	Classes []string

	shared bool // the next map in the row has the same scale and shows it
}

const (
	barWidth  = 8.0 // width of the colour scale
	barGap    = 8.0 // gap between the colour scale and the map
	fewCells  = 144 // maps with at most this number of cells show numbers, if they fit
	manyCells = 500 // larger maps are embedded as a picture
)

func (m HeatMap) check() error {
	in := panelName("heat map", m.Title)
	if len(m.Z) == 0 || len(m.Z[0]) == 0 {
		return fmt.Errorf("%s: z is empty", in)
	}
	for i, row := range m.Z {
		if err := checkLength(fmt.Sprintf("z[%d]", i), len(row), len(m.Z[0]), "z[0]"); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
		shown := slices.DeleteFunc(slices.Clone(row[:m.visible(i)]), m.blank)
		if err := checkValues(fmt.Sprintf("z[%d]", i), shown, m.Log); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
		if m.Texts != nil && (len(m.Texts) != len(m.Z) || len(m.Texts[i]) != len(row)) {
			return fmt.Errorf("%s: texts has another shape than z", in)
		}
	}
	if m.Rows != nil && len(m.Rows) != len(m.Z) {
		return fmt.Errorf("%s: %d names for %d rows, want one for each", in, len(m.Rows), len(m.Z))
	}
	if m.Cols != nil && len(m.Cols) != len(m.Z[0]) {
		return fmt.Errorf("%s: %d names for %d columns, want one for each", in, len(m.Cols), len(m.Z[0]))
	}
	if m.Classes != nil {
		for i, row := range m.Z {
			for j, v := range row {
				if v < 0 || v >= float64(len(m.Classes)) || v != math.Trunc(v) {
					return fmt.Errorf("%s: z[%d][%d] = %g is not one of the %d classes", in, i, j, v, len(m.Classes))
				}
			}
		}
	}
	return checkValues(in+": range", m.Range[:], false)
}

// visible returns the number of cells drawn in row i.
func (m HeatMap) visible(i int) int {
	if m.Lower {
		return min(i+1, len(m.Z[i]))
	}
	return len(m.Z[i])
}

func (m HeatMap) keys() (keys []key) {
	for k, name := range m.Classes {
		keys = append(keys, key{name: name, kind: barKey, class: k + 1})
	}
	return keys
}

// blank reports whether a cell with value v is left empty.
func (m HeatMap) blank(v float64) bool { return m.BlankZeros && v == 0 }

// unscaled reports whether the map is drawn without a colour scale.
func (m HeatMap) unscaled() bool { return m.shared || m.Classes != nil }

func (m HeatMap) height(w float64) float64 { return w * m.aspect() }

// aspect returns the height of the cells' area divided by its width, clipped to a range.
func (m HeatMap) aspect() float64 {
	return min(max(float64(len(m.Z))/float64(len(m.Z[0])), 0.25), 1.6)
}

// scale returns the ends of the colour scale.
func (m HeatMap) scale() span {
	var rows [][]float64
	for i, row := range m.Z {
		rows = append(rows, slices.DeleteFunc(slices.Clone(row[:m.visible(i)]), func(v float64) bool {
			return m.Log && m.blank(v)
		}))
	}
	if m.Range != [2]float64{} {
		rows = append(rows, m.Range[:])
	}
	lo, hi := bounds(rows...)
	if m.Diverging {
		hi = max(math.Abs(lo), math.Abs(hi))
		lo = -hi
	}
	switch {
	case lo > hi: // all cells are blank
		lo, hi = 1, 10
	case lo == hi && m.Log:
		lo, hi = lo/2, hi*2
	case lo == hi:
		lo, hi = lo-0.5, hi+0.5
	}
	return span{Axis{Label: m.Label, Log: m.Log}, lo, hi}
}

func (m HeatMap) color(s span, v float64) color.NRGBA {
	if m.Classes != nil {
		return hue(int(v) + 1)
	}
	if m.Diverging {
		return shade(blueRed, s.at(v))
	}
	return shade(viridis, s.at(v))
}

// names returns the ticks of an axis of n cells: all names, or every k-th name if there
// is not enough space. Without given names, the cells are numbered from 0.
func names(given []string, n int, length, room float64) []tick {
	every := 1
	for _, k := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		every = k
		if float64(n)/float64(k)*room <= length {
			break
		}
	}
	var t []tick
	for i := 0; i < n; i += every {
		if given != nil {
			t = append(t, tick{float64(i), given[i]})
		} else {
			t = append(t, tick{float64(i), fmt.Sprint(i)})
		}
	}
	return t
}

func (m HeatMap) xNames(w float64) []tick {
	all := names(m.Cols, len(m.Z[0]), math.Inf(1), 1)
	return names(m.Cols, len(m.Z[0]), w, widestLabel(all)+3)
}

func (m HeatMap) yNames(h float64) []tick {
	room := tickSize * 1.15
	if m.Rows == nil {
		room *= 1.5 // row numbers can be skipped, so they are spaced further apart
	}
	return names(m.Rows, len(m.Z), h, room)
}

func (m HeatMap) margins(w, h float64) margins {
	b := margins{top: 4, bottom: tickGap + tickSize, left: tickGap + widestLabel(m.yNames(h))}
	if m.Title != "" {
		b.top = titleSize*lead + 3
	}
	if m.X != "" {
		b.bottom += labelSize * lead
	}
	if m.Y != "" {
		b.left += labelSize*lead + 2
	}
	if m.unscaled() {
		b.right = 2
		return b
	}
	b.right = barGap + barWidth + tickGap + widestLabel(m.scale().ticks(h, 26)) + 2
	if m.Label != "" {
		b.right += labelSize*lead + 3
	}
	return b
}

// inner returns the part of an area in which the cells are square, or the whole area if
// the matrix is too elongated.
func (m HeatMap) inner(a rect) rect {
	cell := min(a.w/float64(len(m.Z[0])), a.h/float64(len(m.Z)))
	if asp := m.aspect(); asp == 0.25 || asp == 1.6 {
		return a // too elongated for square cells
	}
	w, h := cell*float64(len(m.Z[0])), cell*float64(len(m.Z))
	return rect{a.x + (a.w-w)/2, a.y + (a.h-h)/2, w, h}
}

func (m HeatMap) draw(s *svg, a rect) {
	a = m.inner(a)
	s.title(m.Title, a)
	scale := m.scale()
	cells := len(m.Z) * len(m.Z[0])
	s.open("cells")
	if cells > manyCells {
		s.image(a, encodePNG(m.picture(scale)), ` style="image-rendering:pixelated"`)
	} else {
		m.drawCells(s, a, scale)
	}
	s.close()
	s.put(`<path class="axis" d="%s"/>`, m.outline(a))
	m.drawNames(s, a)
	if !m.unscaled() {
		drawScale(s, rect{a.x + a.w + barGap, a.y, barWidth, a.h}, scale, m.color)
	}
}

// withSharedScales returns the panels of a row. A heat map omits its colour scale if the
// next heat map has the same one.
func withSharedScales(row []Panel) []Panel {
	row = slices.Clone(row)
	for i := len(row) - 2; i >= 0; i-- {
		m, ok := row[i].(HeatMap)
		next, also := row[i+1].(HeatMap)
		if !ok || !also || m.Diverging != next.Diverging {
			continue
		}
		a, b := m.scale(), next.scale()
		if m.shared = a.lo == b.lo && a.hi == b.hi && a.Label == b.Label; m.shared {
			row[i] = m
		}
	}
	return row
}

// cell returns the rectangle of a cell.
func (m HeatMap) cell(a rect, row, col int) rect {
	w, h := a.w/float64(len(m.Z[0])), a.h/float64(len(m.Z))
	return rect{a.x + float64(col)*w, a.y + float64(row)*h, w, h}
}

func (m HeatMap) drawCells(s *svg, a rect, scale span) {
	numbers := m.numbers(a)
	for i, row := range m.Z {
		for j, v := range row[:m.visible(i)] {
			r, class := m.cell(a, i, j), ""
			if !m.blank(v) {
				c := m.color(scale, v)
				s.rect(m.under(r, i, j), fmt.Sprintf(`fill="%s"`, hex6(c)))
				class = inkOn(c)
			} else if m.Texts == nil {
				continue
			}
			if !numbers {
				continue
			}
			lines := m.lines(i, j)
			for k, line := range lines {
				below := (float64(k) - float64(len(lines)-1)/2) * tickSize * lead
				s.text(r.x+r.w/2, r.y+r.h/2+below+tickSize*textHeight/2, label{text: line, size: tickSize, class: class})
			}
		}
	}
}

// underlap is the distance by which a coloured cell extends under the next one, in
// points. If edges only touched, the background would show through between them.
const underlap = 0.75

// under extends a cell under its right and lower neighbours.
func (m HeatMap) under(r rect, row, col int) rect {
	if col+1 < m.visible(row) {
		r.w += min(underlap, r.w)
	}
	if row+1 < len(m.Z) {
		r.h += min(underlap, r.h)
	}
	return r
}

// cellText formats the number in a cell. A value that rounds to zero has no sign; an
// exact zero is "0".
func cellText(v float64) string {
	if v == 0 {
		return "0"
	}
	if text := fmt.Sprintf("%.2f", v); text != "-0.00" {
		return minus(text)
	}
	return "0.00"
}

// lines returns the text in a cell.
func (m HeatMap) lines(i, j int) []string {
	if m.Texts != nil {
		return strings.Split(m.Texts[i][j], "\n")
	}
	return []string{cellText(m.Z[i][j])}
}

// numbers reports whether the cells are few and large enough to show numbers.
func (m HeatMap) numbers(a rect) bool {
	if m.Classes != nil {
		return false // the legend shows the classes
	}
	widest, tallest := 0.0, 1
	for i, row := range m.Z {
		for j := range row[:m.visible(i)] {
			lines := m.lines(i, j)
			tallest = max(tallest, len(lines))
			for _, line := range lines {
				widest = max(widest, textWidth(line, tickSize))
			}
		}
	}
	c := m.cell(a, 0, 0)
	return len(m.Z)*len(m.Z[0]) <= fewCells && c.w > widest+3 && c.h > float64(tallest)*tickSize*lead
}

// picture returns the cells as squares of several pixels, which stay sharp in renderers
// that smooth images.
func (m HeatMap) picture(scale span) image.Image {
	const px = 4
	img := image.NewNRGBA(image.Rect(0, 0, px*len(m.Z[0]), px*len(m.Z)))
	for i, row := range m.Z {
		for j, v := range row[:m.visible(i)] {
			if m.blank(v) {
				continue
			}
			c := m.color(scale, v)
			for k := range px * px {
				img.SetNRGBA(px*j+k%px, px*i+k/px, c)
			}
		}
	}
	return img
}

// outline returns the edge of the visible cells. It separates cells in the colour of the
// background from empty ones.
func (m HeatMap) outline(a rect) string {
	xy := []float64{a.x, a.y}
	for i := range m.Z {
		c := m.cell(a, i, m.visible(i)-1)
		xy = append(xy, c.x+c.w, c.y, c.x+c.w, c.y+c.h)
	}
	return points(append(xy, a.x, a.y+a.h)...) + "Z"
}

func (m HeatMap) drawNames(s *svg, a rect) {
	s.open("axes")
	xs, ys := m.xNames(a.w), m.yNames(a.h)
	for _, t := range xs {
		c := m.cell(a, 0, int(t.at))
		s.text(c.x+c.w/2, a.y+a.h+tickGap+tickSize*textHeight, label{text: t.label, size: tickSize})
	}
	for _, t := range ys {
		c := m.cell(a, int(t.at), 0)
		s.text(a.x-tickGap, c.y+c.h/2+tickSize*textHeight/2, label{text: t.label, size: tickSize, anchor: "end"})
	}
	if m.X != "" {
		s.text(a.x+a.w/2, a.y+a.h+tickGap+tickSize+labelSize, label{text: m.X, size: labelSize})
	}
	if m.Y != "" {
		s.text(a.x-tickGap-widestLabel(ys)-5, a.y+a.h/2, label{text: m.Y, size: labelSize, turn: -90})
	}
	s.close()
}

// drawScale draws the colour scale with ticks at its right.
func drawScale(s *svg, a rect, scale span, colour func(span, float64) color.NRGBA) {
	const steps = 64
	s.open("scale")
	for i := range steps {
		v := scale.lo + (scale.hi-scale.lo)*(float64(i)+0.5)/steps
		c := hex6(colour(scale, v))
		part := rect{a.x, a.y + a.h*(1-float64(i+1)/steps), a.w, a.h / steps}
		if i+1 < steps {
			part.y, part.h = part.y-part.h, 2*part.h
		}
		s.rect(part, fmt.Sprintf(`fill="%s"`, c))
	}
	ticks := scale.ticks(a.h, 26)
	for _, t := range ticks {
		y := a.y + a.h*(1-scale.at(t.at))
		s.line("axis", a.x+a.w, y, a.x+a.w+2, y)
		s.text(a.x+a.w+2+tickGap, y+tickSize*textHeight/2, label{text: t.label, size: tickSize, anchor: "start"})
	}
	if scale.Label != "" {
		x := a.x + a.w + 2 + tickGap + widestLabel(ticks) + labelSize*textHeight + 5
		s.text(x, a.y+a.h/2, label{text: scale.Label, size: labelSize, turn: -90})
	}
	s.close()
}
