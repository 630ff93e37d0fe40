package page

import (
	"bytes"
	_ "embed" // for the template
	"fmt"
	"html/template"

	"foretell/figure"
)

var (
	//go:embed page.html
	pageHTML string

	pageTemplate = template.Must(Template("page", nil).Parse(pageHTML))
	pageHead     = NewHead(CSS, "")
)

// Page is a document that needs no other file. Its texts, but not its titles, are as
// [Markup] has them.
type Page struct {
	Title, Subtitle string
	Sections        []Section
}

// Section is a heading with what stands below it, of which any part may be left out, in
// this order.
type Section struct {
	Title   string
	Text    []string // paragraphs
	Facts   []Fact
	Figure  *figure.Figure
	Caption string  // of the figure: what it shows and what would be expected
	Tables  []Table // to be opened: the numbers behind the figure
}

// Fact is a name and what there is to say of it.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Table is a table of numbers, each row as long as Columns. One without columns is left
// out.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// contents is what the template shows.
type contents struct {
	Page
	Head  Head
	Parts []part
}

type part struct {
	Section
	Plate *plate
}

// plate is a figure within the page.
type plate struct {
	Name, Anchor string
	Width        string // natural, in points
	SVG          template.HTML
	Caption      string
}

// HTML returns the page. Figures are numbered in their order; the error is of the first
// that cannot be drawn.
func (p Page) HTML() ([]byte, error) {
	c := contents{Page: p, Head: pageHead.Titled(p.Title)}
	classes, number := Classes{}, 0
	for _, s := range p.Sections {
		made := part{Section: s}
		if s.Figure != nil {
			number++
			var err error
			if made.Plate, err = newPlate(s, number, classes); err != nil {
				return nil, err
			}
		}
		c.Parts = append(c.Parts, made)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, c); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return b.Bytes(), nil
}

func newPlate(s Section, number int, classes Classes) (*plate, error) {
	svg, err := s.Figure.SVG()
	if err != nil {
		return nil, err
	}
	d, err := ReadDrawing(svg)
	if err != nil {
		return nil, fmt.Errorf("figure %q: %w", s.Figure.Title, err)
	}
	return &plate{
		Name: fmt.Sprintf("Figure %d", number), Anchor: fmt.Sprintf("figure-%d", number),
		Width: d.Width, SVG: classes.Inline(d), Caption: s.Caption,
	}, nil
}
