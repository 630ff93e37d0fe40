package figure

import (
	"errors"
	"fmt"
	"io"

	"foretell/internal/durable"
)

// A Figure is a grid of panels with one legend.
//
// The legend above the grid collects the named series of all panels, each name
// and style once. Plot areas of a row share their height and those of a column
// their width, so that axes line up.
type Figure struct {
	// Title and Desc are what a screen reader says: what the figure is, and
	// what can be seen in it. They are not drawn. Both are required.
	Title, Desc string
	// Heading is drawn at the top, for a figure that stands alone, and Notes are drawn
	// under it, such as parameters or how to read it. Lines that are too long are broken.
	Heading string
	Notes   []string
	// Panels holds the rows from top to bottom; nil leaves a place empty.
	Panels [][]Panel
	// Rows labels the rows at their left, Cols the columns at their top. Either
	// is nil or has one label a row (column).
	Rows, Cols []string
	// Width is the natural width in points; 0 chooses by the number of columns.
	Width float64
}

// A Panel is one of the kinds of this package: [Simplex], [Plane], [Chart],
// [Bars], [Dots], [HeatMap] or [Graph].
type Panel interface {
	check() error                 // the first fault of the data
	keys() []key                  // legend entries
	height(w float64) float64     // natural height of a plot area of width w
	margins(w, h float64) margins // room for labels around a plot area of w × h
	draw(s *svg, area rect)
}

// Single returns a figure of one panel.
func Single(title, desc string, p Panel) *Figure {
	return &Figure{Title: title, Desc: desc, Panels: [][]Panel{{p}}}
}

// Row returns a figure of panels side by side.
func Row(title, desc string, panels ...Panel) *Figure {
	return &Figure{Title: title, Desc: desc, Panels: [][]Panel{panels}}
}

// SVG returns the figure as a stand-alone SVG document, which may also be put
// inline into an HTML page. The error names the first fault of the data.
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

// Write writes the figure's document to w. The error names the first fault of the data,
// or is that of w.
func (f *Figure) Write(w io.Writer) error {
	doc, err := f.SVG()
	if err == nil {
		_, err = w.Write(doc)
	}
	return err
}

// WriteFile writes the figure to path. A file there holds the old figure or the new one
// at any moment, never a part, and keeps its mode; links are followed, and what is no
// regular file, such as /dev/stdout, is written through. A file of which a run or a
// report is made is an error. The error names the first fault of the data, or the path.
func (f *Figure) WriteFile(path string) error {
	doc, err := f.SVG()
	if err != nil {
		return err
	}
	return durable.Output(path, doc)
}

func (f *Figure) check() error {
	if f.Title == "" || f.Desc == "" {
		return errors.New("title and description must not be empty: screen readers read them out")
	}
	if !finite(f.Width) || f.Width < 0 {
		return fmt.Errorf("width = %v is not a length", f.Width)
	}
	cols, count := f.size()
	if count == 0 {
		return errors.New("no panels")
	}
	if f.Rows != nil && len(f.Rows) != len(f.Panels) {
		return fmt.Errorf("%d row labels for %d rows", len(f.Rows), len(f.Panels))
	}
	if f.Cols != nil && len(f.Cols) != cols {
		return fmt.Errorf("%d column titles for %d columns", len(f.Cols), cols)
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

// size returns the number of columns and of panels.
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

// keys returns the legend: every named series once, in the order of the panels.
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
