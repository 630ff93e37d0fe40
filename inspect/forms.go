package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"foretell/figure"
)

// forms maps a file extension to the function that writes a result in that format.
type forms map[string]func(w io.Writer) error

// write writes the result to w in the format of a file extension. An unknown extension is
// an error.
func (f forms) write(w io.Writer, ending string) error {
	write, ok := f[ending]
	if !ok {
		return fmt.Errorf("cannot write the format %q, want one of %s", ending,
			strings.Join(slices.Sorted(maps.Keys(f)), ", "))
	}
	return write(w)
}

// asJSON returns a function that writes the value as JSON on one line.
func asJSON(value any) func(w io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
}

// asPicture returns a function that writes a figure as SVG.
func asPicture(draw func() (*figure.Figure, error)) func(w io.Writer) error {
	return func(w io.Writer) error {
		f, err := draw()
		if err != nil {
			return err
		}
		return f.Write(w)
	}
}

// asPage returns a function that writes a page.
func asPage(html func() ([]byte, error)) func(w io.Writer) error {
	return func(w io.Writer) error {
		text, err := html()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
}

// Write writes the floor as a picture (.svg, see [Floors.Figure]), a page (.html, see
// [Floors.HTML]), a table (.csv, see [Floors.WriteCSV]) or a JSON value (.json). Any
// other extension is an error.
func (f *Floors) Write(w io.Writer, ending string, of Subject) error {
	return forms{
		".svg":  asPicture(func() (*figure.Figure, error) { return f.Figure(of), nil }),
		".html": asPage(func() ([]byte, error) { return f.HTML(of) }),
		".csv":  f.WriteCSV,
		".json": asJSON(f),
	}.write(w, ending)
}

// Write writes the sample as a picture (.svg, see [Sample.Figure]), a table (.csv, see
// [Sample.WriteCSV]) or a JSON value (.json). It returns an error for any other
// extension, or if ctx ends. In a table or a JSON value, each sequence is written as soon
// as it is sampled.
func (s Sample) Write(ctx context.Context, w io.Writer, ending string, of Subject) error {
	return forms{
		".svg":  asPicture(func() (*figure.Figure, error) { return s.Figure(of) }),
		".csv":  func(w io.Writer) error { return s.WriteCSV(ctx, w) },
		".json": func(w io.Writer) error { return s.WriteJSON(ctx, w) },
	}.write(w, ending)
}

// Write writes the beliefs as a picture (.svg, see [Trace.Figure]), a table (.csv, see
// [Trace.WriteCSV]) or a JSON value (.json). Any other extension is an error.
func (t *Trace) Write(w io.Writer, ending string, of Subject) error {
	return forms{
		".svg":  asPicture(func() (*figure.Figure, error) { return t.Figure(of) }),
		".csv":  func(w io.Writer) error { return t.WriteCSV(w, of.Process.Tokens()) },
		".json": asJSON(t),
	}.write(w, ending)
}

// Write writes a process in the format of a file extension. A picture (.svg) or a
// Graphviz graph (.dot) shows the drawing named by the parameter what (see [Drawings]);
// an empty name means the picture that fits best, or in a .dot file the states. A table
// (.csv) holds the transitions, see [Subject.WriteCSV]. A page (.html) or a JSON value
// (.json) holds everything known about the process. Write returns the errors of [Draw]
// and [Describe], and an error for any other extension.
func (s Subject) Write(ctx context.Context, w io.Writer, ending, what string) error {
	describe := func(as func(d *Description) func(io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error {
			d, err := Describe(ctx, s)
			if err != nil {
				return err
			}
			return as(d)(w)
		}
	}
	return forms{
		".svg": asPicture(func() (*figure.Figure, error) { return Draw(ctx, s, what) }),
		".dot": func(w io.Writer) error { return s.writeDOT(ctx, w, what) },
		".csv": func(w io.Writer) error { return s.WriteCSV(ctx, w) },
		".html": describe(func(d *Description) func(io.Writer) error {
			return asPage(func() ([]byte, error) { return d.HTML(ctx, s) })
		}),
		".json": describe(func(d *Description) func(io.Writer) error { return asJSON(d) }),
	}.write(w, ending)
}

func (s Subject) writeDOT(ctx context.Context, w io.Writer, what string) error {
	if what == "" {
		what = DrawStates
	}
	p, err := s.Optimum()
	if err != nil {
		return err
	}
	g, err := GraphOf(ctx, p, what)
	if err != nil {
		return err
	}
	return g.DOT(w)
}
