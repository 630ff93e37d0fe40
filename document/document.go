package document

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

	layout   = NewLayout("page", pageHTML)
	pageHead = NewHead(CSS, "")
)

// Document is what is written about something found, in sections. On a page its texts,
// except titles, are formatted by [Markup].
type Document struct {
	Title, Subtitle string
	Sections        []Section
}

// Section is a heading and its contents, in this order. Any part may be empty.
type Section struct {
	Title   string
	Text    []string // paragraphs
	Facts   []Fact
	Figure  *figure.Figure // a page shows it without its Heading and Notes
	Caption string         // caption of the figure: what it shows and what to expect
	Tables  []Table        // the numbers behind the figure, which the reader of a page can unfold
	Notes   []string       // paragraphs
	Tight   bool           // whether a terminal shows no empty line above
}

// Fact is a name and a value.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// contents is the data of the template page.html.
type contents struct {
	Document
	Head  Head
	Parts []part
}

type part struct {
	Section
	Plate *plate
}

// plate is a figure as the page shows it.
type plate struct {
	Name, Anchor string
	Width        string // natural, in points
	SVG          template.HTML
	Caption      string
}

// HTML returns the document as a self-contained page. Figures are numbered in order. A
// table without columns is left out. An error describes the first figure that cannot be
// drawn.
func (d Document) HTML() ([]byte, error) {
	c := contents{Document: d, Head: pageHead.Titled(d.Title)}
	classes, number := Classes{}, 0
	for _, s := range d.Sections {
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
	if err := layout.Write(&b, c); err != nil {
		return nil, fmt.Errorf("document: %w", err)
	}
	return b.Bytes(), nil
}

func newPlate(s Section, number int, classes Classes) (*plate, error) {
	shown := *s.Figure
	shown.Heading, shown.Notes = "", nil // the page has its own heading, and the caption in place of the notes
	svg, err := shown.SVG()
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
