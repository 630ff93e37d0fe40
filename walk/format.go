package walk

import "io"

// Format is a way to write a document.
type Format struct {
	Name      string
	Extension string // of a file, with the point
	Summary   string
	Write     func(out io.Writer, d *Document) error
}

// Formats lists what a document can be written as. The first is the default.
var Formats = []Format{
	{"text", ".txt", "for a terminal of 80 columns", writeText},
	{"markdown", ".md", "with formulas in TeX between dollar signs", writeMarkdown},
	{"latex", ".tex", "a file that pdflatex compiles", writeLaTeX},
	{"html", ".html", "a page that needs no other file", writeHTML},
}
