package figure

import (
	"errors"
	"fmt"
	"slices"
)

// A Figure is a grid of panels with one legend.
//
// The legend, above the grid, lists each distinct name and style of all series once. Plot
// areas in a row have equal heights and plot areas in a column have equal widths, which
// aligns their axes.
type Figure struct {
	// Title and Desc are the accessible name and description, for screen readers: what the
	// figure is, and what it shows. They are not drawn. Both are required.
	Title, Desc string
	// Heading is drawn at the top, for a figure without a caption. Notes are drawn below it,
	// for example parameters or reading instructions. Long lines are broken.
	Heading string
	Notes   []string
	// Panels holds the rows from top to bottom. A nil panel leaves its place empty.
	Panels [][]Panel
	// Rows labels the rows, at their left, and Cols the columns, at their top. Each is nil
	// or has one label for each row or column.
	Rows, Cols []string
	// Width is the natural width in points; 0 selects one by the number of columns.
	Width float64
}

// A Panel is one of the panel types of this package: [Simplex], [Plane], [Chart], [Bars],
// [Dots], [HeatMap] or [Graph].
type Panel interface {
	check() error                 // returns the first error in the data
	keys() []key                  // legend entries
	height(w float64) float64     // natural height of a plot area of width w
	margins(w, h float64) margins // space for labels around a plot area of w × h
	draw(s *svg, area rect)
}

// Single returns a figure with one panel.
func Single(title, desc string, p Panel) *Figure {
	return &Figure{Title: title, Desc: desc, Panels: [][]Panel{{p}}}
}

// Row returns a figure with panels side by side.
func Row(title, desc string, panels ...Panel) *Figure {
	return &Figure{Title: title, Desc: desc, Panels: [][]Panel{panels}}
}

// Grid returns a figure with panels in rows of the given number of columns.
func Grid(columns int, title, desc string, panels ...Panel) *Figure {
	return &Figure{Title: title, Desc: desc, Panels: slices.Collect(slices.Chunk(panels, columns))}
}

// SVG returns the figure as an SVG document, which can also be inlined in an
// HTML page. An error describes the first problem in the data.
func (f *Figure) SVG() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("figure %q: %w", f.Title, err)
	}
	s, drawn := &svg{}, *f
	drawn.Panels = make([][]Panel, len(f.Panels))
	for r, row := range f.Panels {
		drawn.Panels[r] = withSharedScales(row)
	}
	shareNotation(drawn.Panels)
	l := drawn.layout()
	l.draw(s, &drawn)
	return s.document(f.Title, f.Desc, l.width, l.height), nil
}

func (f *Figure) check() error {
	if f.Title == "" || f.Desc == "" {
		return errors.New("title and description must not be empty: screen readers read them out")
	}
	if !finite(f.Width) || f.Width < 0 {
		return fmt.Errorf("width = %v is not a length, want at least 0", f.Width)
	}
	cols, count := f.size()
	if count == 0 {
		return errors.New("no panels, want at least one")
	}
	if f.Rows != nil && len(f.Rows) != len(f.Panels) {
		return fmt.Errorf("%d row labels for %d rows, want one for each", len(f.Rows), len(f.Panels))
	}
	if f.Cols != nil && len(f.Cols) != cols {
		return fmt.Errorf("%d column titles for %d columns, want one for each", len(f.Cols), cols)
	}
	for r, row := range f.Panels {
		for c, p := range row {
			if p == nil {
				continue
			}
			if err := p.check(); err != nil {
				return fmt.Errorf("row %d, column %d: %w", r, c, err)
			}
		}
	}
	return nil
}

// size returns the number of columns and the number of panels.
func (f *Figure) size() (cols, count int) {
	for _, row := range f.Panels {
		cols = max(cols, len(row))
		for _, p := range row {
			if p != nil {
				count++
			}
		}
	}
	return cols, count
}

// keys returns the legend: each named series once, in the order of the panels.
func (f *Figure) keys() []key {
	var all []key
	seen := map[key]bool{}
	for _, row := range f.Panels {
		for _, p := range row {
			if p == nil {
				continue
			}
			for _, k := range p.keys() {
				if k.name != "" && !seen[k] {
					seen[k] = true
					all = append(all, k)
				}
			}
		}
	}
	return all
}
