package walk

import (
	"fmt"
	"io"
	"strings"
)

// Format is a way to write a document.
type Format struct {
	Name    string
	Summary string
	Write   func(out io.Writer, d *Document) error
}

// Formats lists what a document can be written as. The first is the default.
var Formats = []Format{
	{"text", "for a terminal of 80 columns", writeText},
	{"markdown", "with formulas in TeX between dollar signs", writeMarkdown},
	{"latex", "a file that pdflatex compiles", writeLaTeX},
	{"html", "a page that needs no other file", writeHTML},
}

// FormatNamed returns a format, or an error that lists their names.
func FormatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("%q is not one of %s", name, strings.Join(names, ", "))
}
