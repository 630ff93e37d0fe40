package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"foretell/internal/limit"
)

// mostFigure bounds the bytes of a figure's file.
const mostFigure = 64 << 20

// plate is a figure within the page.
type plate struct {
	Name    string // "Figure M4.1"
	Anchor  string
	Caption template.HTML
	File    file
	Width   string // natural width in points
	SVG     template.HTML
	Same    *plate // the earlier plate with the same picture; SVG is then empty
}

// file is a link to a file beside the page.
type file struct {
	Path string
	Href string
	Size string
}

// gallery collects the plates of a page.
type gallery struct {
	from    []string          // folders of the files
	plates  map[string]*plate // by contents of the SVG file
	classes map[string]bool   // of the figures in the page
}

// plate reads the figure at path, which is relative to the folder of the page.
func (g *gallery) plate(path string) (*plate, error) {
	f, err := g.file(path)
	if err != nil {
		return nil, err
	}
	data, err := limit.ReadFile(g.path(path), "a figure", mostFigure)
	if err != nil {
		return nil, err
	}
	if first := g.plates[string(data)]; first != nil {
		return &plate{File: f, Same: first}, nil
	}
	d, err := inspect(data)
	if err != nil {
		return nil, err
	}
	unique := d.class
	for n := 2; g.classes[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", d.class, n)
	}
	g.classes[unique] = true
	p := &plate{File: f, Width: d.width, SVG: template.HTML(strings.ReplaceAll(d.svg, d.class, unique))}
	g.plates[string(data)] = p
	return p, nil
}

// file returns the link to an existing file.
func (g *gallery) file(path string) (file, error) {
	info, err := os.Stat(g.path(path))
	if err != nil {
		return file{}, err
	}
	if info.IsDir() {
		return file{}, errors.New("is a folder")
	}
	return file{Path: clean(filepath.ToSlash(path)), Href: href(path), Size: bytesize(info.Size())}, nil
}

// path is where a file is: in the first folder that has it, or would be, in the last.
func (g *gallery) path(path string) string {
	full := ""
	for _, dir := range g.from {
		full = filepath.Join(dir, filepath.FromSlash(path))
		if _, err := os.Lstat(full); err == nil {
			break
		}
	}
	return full
}

// href returns a relative path as a relative URL.
func href(path string) string { return (&url.URL{Path: filepath.ToSlash(path)}).String() }

func bytesize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}

var (
	// figureClass is the class of the root of a figure of package figure. All its
	// identifiers and rules of style begin with it.
	figureClass = regexp.MustCompile(`^figure-[0-9a-f]+$`)
	figureWidth = regexp.MustCompile(`^([0-9.]+)pt$`)
)

// drawing is a figure of package figure.
type drawing struct {
	svg   string // the root element
	class string // of the root
	width string // in points
}

// inspect returns the figure in an SVG file. Anything but a drawing of package
// figure is an error: other drawings may hold scripts, load files, or have
// identifiers and styles that disturb the page.
func inspect(data []byte) (drawing, error) {
	var d drawing
	start, end := int64(-1), int64(0) // of the root
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

// root returns what the root element says of a drawing.
func root(e xml.StartElement) (d drawing, err error) {
	d.class = attribute(e, "class")
	width := figureWidth.FindStringSubmatch(attribute(e, "width"))
	if e.Name.Local != "svg" || !figureClass.MatchString(d.class) || width == nil {
		return d, errors.New(`is not a figure of package figure: its root is not <svg class="figure-…" width="…pt">`)
	}
	d.width = width[1]
	return d, nil
}

func checkElement(e xml.StartElement, class string) error {
	switch e.Name.Local {
	case "script", "foreignObject", "iframe", "link":
		return fmt.Errorf("holds a <%s>, which a figure cannot", e.Name.Local)
	}
	for _, a := range e.Attr {
		name, value := a.Name.Local, a.Value
		switch {
		case strings.HasPrefix(strings.ToLower(name), "on"):
			return fmt.Errorf("holds a script in attribute %s, which a figure cannot", name)
		case name == "href" && !strings.HasPrefix(value, "data:image/png;") && !strings.HasPrefix(value, "#"):
			return fmt.Errorf("refers to %.60q outside itself", value)
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
