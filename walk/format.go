package walk

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
)

// Format is an output format of a document.
type Format struct {
	Name      string
	Extension string // extension of a file name, with the dot
	Summary   string
	Write     func(out io.Writer, d *Document) error
}

// WriteFile writes the document to path, atomically: after an error the old file is
// unchanged. It keeps the file's mode and follows symbolic links. If the file is not
// regular, such as /dev/stdout, it writes into that file. It refuses to overwrite a file
// that belongs to a run or a report.
func (f Format) WriteFile(path string, d *Document) error {
	var text bytes.Buffer
	if err := f.Write(&text, d); err != nil {
		return err
	}
	return durable.Output(path, text.Bytes())
}

// Formats lists the output formats. The first is the default.
var Formats = []Format{
	{"text", ".txt", "for a terminal of 80 columns", writeText},
	{"markdown", ".md", "with formulas in TeX between dollar signs", writeMarkdown},
	{"latex", ".tex", "a file that pdflatex compiles", writeLaTeX},
	{"html", ".html", "a self-contained page", writeHTML},
}

// FormatOf returns the format for a file name's extension. A name without an extension
// gets the first of [Formats]. An unknown extension is an error that lists the known
// ones.
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
	return Format{}, fmt.Errorf("%s: unknown extension %s, want %s", path, ending, strings.Join(endings, ", "))
}
