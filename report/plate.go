package report

import (
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path/filepath"

	"foretell/document"
	"foretell/internal/limit"
)

// mostFigure is the largest size of a figure's file in bytes.
const mostFigure = 64 << 20

// plate is a figure as the page shows it.
type plate struct {
	Name    string // "Figure M4.1"
	Anchor  string
	Caption template.HTML
	File    file
	Width   string // natural width in points
	SVG     template.HTML
	Same    *plate // the earlier plate with the same picture; SVG is then empty
}

// file is a link to a file, relative to the page.
type file struct {
	Path string
	Href string
	Size string
}

// gallery collects the plates of a page.
type gallery struct {
	from    []string          // folders that have the files
	plates  map[string]*plate // the key is the contents of the SVG file
	classes document.Classes
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
	d, err := document.ReadDrawing(data)
	if err != nil {
		return nil, err
	}
	p := &plate{File: f, Width: d.Width, SVG: g.classes.Inline(d)}
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
	return newFile(path, int(info.Size())), nil
}

// path returns the path of a file in the first folder that has it, or in the last folder
// if no folder has it.
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
