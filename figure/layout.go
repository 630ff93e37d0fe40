package figure

import (
	"runtime"
	"sync"
)

// Sizes of text in points.
const (
	tickSize  = 9.0
	labelSize = 10.0
	titleSize = 10.5
)

// Space between parts, in points.
const (
	edge   = 4.0  // free space around the whole figure
	gutter = 12.0 // free space between plot areas, in addition to their margins
	lead   = 1.3  // line height divided by the text size
)

type rect struct{ x, y, w, h float64 }

type margins struct{ top, right, bottom, left float64 }

// widest returns, for each side, the larger of the margins m and o.
func (m margins) widest(o margins) margins {
	return margins{max(m.top, o.top), max(m.right, o.right), max(m.bottom, o.bottom), max(m.left, o.left)}
}

// layout holds the positions of all parts of a figure.
type layout struct {
	width, height float64
	heading       []placedLine
	legend        []placedKey
	legendTop     float64
	titleTop      float64 // upper edge of the column titles
	labelLeft     float64 // left edge of the row labels
	areas         [][]rect
}

// layout places the panels. Margins depend on tick labels, which depend on the size of
// the plot areas, which depends on the margins; a few iterations converge.
func (f *Figure) layout() *layout {
	cols, _ := f.size()
	l := &layout{width: f.Width, labelLeft: edge}
	if l.width == 0 {
		l.width = []float64{360, 500, 600, 640}[min(cols, 4)-1]
	}
	l.heading, l.legendTop = arrangeHeading(f.Heading, f.Notes, l.width-2*edge)
	l.legendTop += edge
	l.legend, l.titleTop = arrangeLegend(f.keys(), l.width-2*edge)
	l.titleTop += l.legendTop
	top := l.titleTop
	if f.Cols != nil {
		top += titleSize*lead + 2
	}
	left := edge
	if f.Rows != nil {
		left += labelSize*lead + 4
	}

	free := func(w float64) float64 { // the width of a plot area, if the margins are computed for areas of width w
		colM, _ := f.margins(cols, w, f.heights(w))
		free := l.width - left - edge - gutter*float64(cols-1)
		for _, m := range colM {
			free -= m.left + m.right
		}
		return max(free/float64(cols), 20)
	}
	w := free(free((l.width - left) / float64(cols) * 0.8))
	// Wider areas may have more labels and need wider margins than assumed: shrink.
	for range 4 {
		if fits := free(w); fits < w {
			w = fits
		}
	}
	l.place(f, w, f.heights(w), left, top)
	return l
}

// place sets the plot areas of width w, and the height of the figure.
func (l *layout) place(f *Figure, w float64, heights []float64, left, top float64) {
	cols, _ := f.size()
	colM, rowM := f.margins(cols, w, heights)
	y := top
	for r := range f.Panels {
		x := left
		y += rowM[r].top
		areas := make([]rect, cols)
		for c := range areas {
			x += colM[c].left
			areas[c] = rect{x, y, w, heights[r]}
			x += w + colM[c].right + gutter
		}
		l.areas = append(l.areas, areas)
		y += heights[r] + rowM[r].bottom + gutter
	}
	l.height = y - gutter + edge
}

// heights returns the height of each row, which is the height of its tallest panel, for
// plot areas of width w.
func (f *Figure) heights(w float64) []float64 {
	h := make([]float64, len(f.Panels))
	for r, row := range f.Panels {
		for _, p := range row {
			if p != nil {
				h[r] = max(h[r], p.height(w))
			}
		}
	}
	return h
}

// margins returns the space that each column and each row needs around its areas.
func (f *Figure) margins(cols int, w float64, heights []float64) (col, row []margins) {
	col, row = make([]margins, cols), make([]margins, len(f.Panels))
	for r, panels := range f.Panels {
		for c, p := range panels {
			if p != nil {
				m := p.margins(w, heights[r])
				col[c], row[r] = col[c].widest(m), row[r].widest(m)
			}
		}
	}
	return col, row
}

func (l *layout) draw(s *svg, f *Figure) {
	for _, line := range l.heading {
		s.text(edge, edge+line.y, line.label)
	}
	for _, k := range l.legend {
		k.draw(s, edge, l.legendTop)
	}
	for c, title := range f.Cols {
		a := l.areas[0][c]
		s.text(a.x+a.w/2, l.titleTop+titleSize, label{text: title, size: titleSize, bold: true})
	}
	for r, name := range f.Rows {
		a := l.areas[r][0]
		s.text(l.labelLeft+labelSize, a.y+a.h/2, label{text: name, size: labelSize, turn: -90})
	}
	l.drawPanels(s, f)
}

// drawPanels draws panels concurrently, at most GOMAXPROCS at a time, and joins their
// markup in order.
func (l *layout) drawPanels(s *svg, f *Figure) {
	var panels []*svg
	var group sync.WaitGroup
	busy := make(chan struct{}, runtime.GOMAXPROCS(0))
	for r, row := range f.Panels {
		for c, p := range row {
			if p == nil {
				continue
			}
			part := &svg{depth: s.depth}
			panels = append(panels, part)
			busy <- struct{}{}
			group.Go(func() {
				part.open("panel")
				p.draw(part, l.areas[r][c])
				part.close()
				<-busy
			})
		}
	}
	group.Wait()
	for _, part := range panels {
		s.body.Write(part.body.Bytes())
		s.hash.Write(part.hash.Bytes())
	}
}
