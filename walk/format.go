package walk

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
)

// Format is a way to write a document.
type Format struct {
	Name      string
	Extension string // of a file, with the point
	Summary   string
	Write     func(out io.Writer, d *Document) error
}

// WriteFile writes a document to a path. A file is written whole or not at all and
// keeps its mode, links are followed, and what is no regular file, such as /dev/stdout,
// is written through; a file of which a run or a report is made is an error.
func (f Format) WriteFile(path string, d *Document) error {
	var text bytes.Buffer
	if err := f.Write(&text, d); err != nil {
		return err
	}
	return durable.Output(path, text.Bytes())
}

// Formats lists what a document can be written as. The first is the default.
var Formats = []Format{
	{"text", ".txt", "for a terminal of 80 columns", writeText},
	{"markdown", ".md", "with formulas in TeX between dollar signs", writeMarkdown},
	{"latex", ".tex", "a file that pdflatex compiles", writeLaTeX},
	{"html", ".html", "a page that needs no other file", writeHTML},
}

// FormatOf returns the format that the ending of a file's name says, the first where it
// has none. It is an error, which names those that there are, where the ending is of no
// format.
func FormatOf(path string) (Format, error) {
	ending := filepath.Ext(path)
	if ending == "" {
		return Formats[0], nil
	}
	var endings []string
	for _, f := range Formats {
		if f.Extension == ending {
			return f, nil
		}
		endings = append(endings, f.Extension)
	}
	return Format{}, fmt.Errorf("%s: no format has the ending %s; there are %s", path, ending, strings.Join(endings, ", "))
}
