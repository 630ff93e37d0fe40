package inspect

import (
	"foretell/document"
	"foretell/figure"
)

// answer is what is written about a model or about runs, each part made when it is asked
// for.
type answer struct {
	text    func() []document.Section         // for a terminal
	figure  func() (*figure.Figure, error)    // .svg
	page    func() (document.Document, error) // .html
	numbers func() (document.Frame, error)    // .csv
	value   any                               // .json
}

// forms returns the forms of the answer. A page without a subtitle names the command line
// that made it.
func (a answer) forms(command string) document.Forms {
	return document.Forms{
		document.Terminal: document.Text(a.text),
		".svg":            document.Picture(a.figure),
		".csv":            document.CSV(a.numbers),
		".json":           document.IndentedJSON(a.value),
		".html": document.Page(func() (document.Document, error) {
			page, err := a.page()
			if page.Subtitle == "" {
				page.Subtitle = "Made by `" + command + "`"
			}
			return page, err
		}),
	}
}

// plainFrame returns a frame whose columns have the same names in tables and in files.
func plainFrame(title string, names ...string) document.Frame {
	f := document.Frame{Columns: document.Named(names...)}
	f.Title = title
	for j := range f.Columns {
		f.Columns[j].Heading = f.Columns[j].Name
	}
	return f
}
