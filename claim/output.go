package claim

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/durable"
	"foretell/internal/npz"
)

// Output writes the figures and data of a claim to the study's folder. No method returns
// an error. After the first error nothing more is written, and the row's test returns
// that error. A file's name, an argument of the methods, distinguishes files of the same
// kind within a claim. It has no extension, except in [Output.File].
type Output struct {
	dir   string
	row   Row
	claim *Claim
	err   error
}

// Array is an array of numbers for [Output.Arrays]: its name, its shape and its data, a
// row-major []float64, []float32, []int64 or []int32.
type Array = npz.Array

// Figure writes a figure to figures/ID-NAME.svg and adds it to the claim with its
// caption, which the row's texts must have.
func (o *Output) Figure(name string, f *figure.Figure) {
	caption, ok := o.row.Captions[name]
	if !ok {
		o.fail(errors.New("the texts have no caption for the figure " + name))
	}
	o.Captioned(name, caption, f)
}

// Captioned is [Output.Figure] for a caption that depends on what was measured. The
// caption says what to look for.
func (o *Output) Captioned(name, caption string, f *figure.Figure) {
	path := "figures/" + o.claim.ID + "-" + name + ".svg"
	if o.err != nil {
		return
	}
	drawing, err := f.SVG()
	if err != nil {
		o.fail(err)
		return
	}
	if o.err = durable.WriteFile(filepath.Join(o.dir, path), drawing); o.err == nil {
		o.claim.Figures = append(o.claim.Figures, path)
		o.claim.Captions = append(o.claim.Captions, caption)
	}
}

// CSV writes the named columns of a frame to data/ID-NAME.csv and adds the file to the
// claim. A column without a meaning has the meaning that the document's glossary gives
// its name. A text in a named column is an error: data files hold numbers alone.
func (o *Output) CSV(name string, f document.Frame) {
	text, content, err := newTable(o.path(name+".csv"), f, o.row.Glossary)
	if err != nil {
		o.fail(fmt.Errorf("%s: %w", name, err))
	}
	o.File(name+".csv", text)
	o.enter(content)
}

// digits is the number of significant digits in data files.
const digits = 10

// newTable returns a frame as CSV, and a description of its columns.
func newTable(file string, f document.Frame, g Glossary) ([]byte, Content, error) {
	content := Content{File: file, Rows: len(f.Rows)}
	for j, c := range f.Columns {
		if c.Name == "" {
			continue
		}
		if f.Textual(j) {
			return nil, content, fmt.Errorf("the column %s has a text, and data files hold numbers alone", c.Name)
		}
		if c.Meaning == "" {
			c.Meaning = g.Meaning(c.Name)
		}
		content.Columns = append(content.Columns, Column{Name: c.Name, Meaning: c.Meaning, Codes: c.Codes})
	}
	text, err := f.CSV(digits)
	return text, content, err
}

// Arrays writes arrays to data/ID-NAME.npz and adds the file to the claim.
func (o *Output) Arrays(name string, arrays []Array) {
	var data bytes.Buffer
	if err := npz.Write(&data, arrays); err != nil {
		o.fail(err)
		return
	}
	o.File(name+".npz", data.Bytes())
	content := Content{File: o.path(name + ".npz")}
	for _, a := range arrays {
		content.Arrays = append(content.Arrays, Layout{a.Name, a.Shape, npz.Type(a), o.row.Glossary.Meaning(a.Name)})
	}
	o.enter(content)
}

// File writes data of any kind to data/ID-NAME, whose extension gives its format, and
// adds the file to the claim.
func (o *Output) File(name string, data []byte) {
	path := o.path(name)
	if o.err != nil {
		return
	}
	if o.err = durable.WriteFile(filepath.Join(o.dir, path), data); o.err == nil {
		o.claim.Data = append(o.claim.Data, path)
	}
}

// path returns the path of a data file relative to the study's folder.
func (o *Output) path(name string) string { return "data/" + o.claim.ID + "-" + name }

// enter adds the description of a file to the claim, if the file has been written.
func (o *Output) enter(c Content) {
	if o.err == nil {
		o.claim.Contents = append(o.claim.Contents, c)
	}
}

func (o *Output) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}
