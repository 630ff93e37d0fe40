package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
)

var (
	// figureClass matches the class of the root element in an SVG file of package figure.
	// All identifiers and style rules in the file begin with this class.
	figureClass = regexp.MustCompile(`^figure-[0-9a-f]+$`)
	figureWidth = regexp.MustCompile(`^([0-9.]+)pt$`)
)

// Drawing is an SVG figure of package figure, ready to be inlined in a page.
type Drawing struct {
	Width string // natural width in points

	svg   string // the root element with its content, as text
	class string // class of the root element
}

// ReadDrawing returns the figure in an SVG file. It accepts only drawings of package
// figure: other drawings could contain scripts, load files, or have identifiers and
// styles that disturb the page.
func ReadDrawing(data []byte) (Drawing, error) {
	var d Drawing
	start, end := int64(-1), int64(0) // offsets of the root element
	x := xml.NewDecoder(bytes.NewReader(data))
	for {
		before := x.InputOffset()
		token, err := x.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return d, fmt.Errorf("is not an SVG file: %w", err)
		}
		switch element := token.(type) {
		case xml.EndElement:
			end = x.InputOffset()
		case xml.StartElement:
			if start < 0 {
				start = before
				if d, err = root(element); err != nil {
					return d, err
				}
			}
			if err := checkElement(element, d.class); err != nil {
				return d, err
			}
		}
	}
	if start < 0 {
		return d, errors.New("is not an SVG file: it has no elements")
	}
	d.svg = string(data[start:end])
	return d, nil
}

// Classes is the set of classes that the figures on a page have so far. Each figure needs
// a distinct class.
type Classes map[string]bool

// Inline returns the drawing as an SVG element whose class is unique on the page, and
// adds this class to c.
func (c Classes) Inline(d Drawing) template.HTML {
	unique := d.class
	for n := 2; c[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", d.class, n)
	}
	c[unique] = true
	return template.HTML(strings.ReplaceAll(d.svg, d.class, unique))
}

// root returns a drawing with the class and the width of the given root element. It
// returns an error if the element is not the root of a figure of package figure.
func root(e xml.StartElement) (d Drawing, err error) {
	d.class = attribute(e, "class")
	width := figureWidth.FindStringSubmatch(attribute(e, "width"))
	if e.Name.Local != "svg" || !figureClass.MatchString(d.class) || width == nil {
		return d, errors.New(`is not a figure of package figure: its root is not <svg class="figure-…" width="…pt">`)
	}
	d.Width = width[1]
	return d, nil
}

func checkElement(e xml.StartElement, class string) error {
	switch e.Name.Local {
	case "script", "foreignObject", "iframe", "link":
		return fmt.Errorf("holds a <%s>, which a figure cannot contain", e.Name.Local)
	}
	for _, a := range e.Attr {
		name, value := a.Name.Local, a.Value
		switch {
		case strings.HasPrefix(strings.ToLower(name), "on"):
			return fmt.Errorf("holds a script in attribute %s, which a figure cannot contain", name)
		case name == "href" && !strings.HasPrefix(value, "data:image/png;") && !strings.HasPrefix(value, "#"):
			return fmt.Errorf("refers to %.60q, which is outside the file", value)
		case name == "id" && !strings.HasPrefix(value, class+"-"):
			return fmt.Errorf("has id %q, which does not begin with its class %q", value, class)
		}
	}
	return nil
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
