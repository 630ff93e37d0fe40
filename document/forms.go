package document

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"foretell/figure"
)

// Forms are the forms in which an answer can be written, each with the extension of a
// file's name, such as .csv, or [Terminal].
type Forms map[string]Form

// Form writes an answer in one form. Nothing is computed for it before.
type Form func(w io.Writer) error

// Terminal is the form of an answer that a terminal shows.
const Terminal = ""

// Write writes the answer in the form with an extension. An extension without a form is
// an error.
func (f Forms) Write(w io.Writer, ending string) error {
	form, ok := f[ending]
	if !ok {
		endings := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(known string) bool { return known == Terminal })
		return fmt.Errorf("cannot write the format %q, want one of %s", ending, strings.Join(endings, ", "))
	}
	return form(w)
}

// Print writes the answer for a terminal. It ignores write errors; a buffered w returns
// them when it is flushed.
func (f Forms) Print(w io.Writer) { _ = f[Terminal](w) }

// Sure returns a function that never fails in the shape of those that can.
func Sure[T any](get func() T) func() (T, error) {
	return func() (T, error) { return get(), nil }
}

// Page returns the form of a document as a page, see [Document.HTML].
func Page(get func() (Document, error)) Form {
	return encoded(get, Document.HTML)
}

// Picture returns the form of a figure as SVG.
func Picture(draw func() (*figure.Figure, error)) Form {
	return encoded(draw, (*figure.Figure).SVG)
}

// CSV returns the form of a frame as CSV whose numbers read back the same.
func CSV(get func() (Frame, error)) Form {
	return encoded(get, func(f Frame) ([]byte, error) { return f.CSV(-1) })
}

// Parquet returns the form of a frame as Parquet, see [Frame.Parquet].
func Parquet(get func() (Frame, error)) Form { return encoded(get, Frame.Parquet) }

// encoded returns the form of a value that is made, encoded and then written.
func encoded[T any](get func() (T, error), encode func(T) ([]byte, error)) Form {
	return func(w io.Writer) error {
		value, err := get()
		if err != nil {
			return err
		}
		data, err := encode(value)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}
}

// JSON returns the form of a value as JSON on one line.
func JSON(value any) Form {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
}

// IndentedJSON returns the form of a value as JSON on indented lines, in which <, > and &
// are escaped.
func IndentedJSON(value any) Form {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(value)
	}
}

// Answer is what is written about something found, each part made when it is asked for.
type Answer struct {
	Text    func() []Section               // for a terminal
	Figure  func() (*figure.Figure, error) // .svg
	Page    func() (Document, error)       // .html
	Numbers func() (Frame, error)          // .csv and .parquet
	Value   any                            // .json
}

// Forms returns the forms of the answer. A page without a subtitle names the command line
// that made it.
func (a Answer) Forms(command string) Forms {
	return Forms{
		Terminal:   Text(a.Text),
		".svg":     Picture(a.Figure),
		".csv":     CSV(a.Numbers),
		".parquet": Parquet(a.Numbers),
		".json":    IndentedJSON(a.Value),
		".html": Page(func() (Document, error) {
			page, err := a.Page()
			if page.Subtitle == "" {
				page.Subtitle = "Made by `" + command + "`"
			}
			return page, err
		}),
	}
}
