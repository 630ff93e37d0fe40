package claim

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strconv"

	"foretell/figure"
	"foretell/internal/csvtable"
	"foretell/internal/durable"
	"foretell/internal/npz"
)

// Output writes the figures and data of a claim to the study's folder. No method returns
// an error. After the first error nothing more is written, and the row's test returns
// that error. A file's name, an argument of the methods, distinguishes files of the same
// kind within a claim. It has no extension, except in [Output.File].
type Output struct {
	dir   string
	claim *Claim
	err   error
}

// Array is an array of numbers for [Output.Arrays]: its name, its shape and its data, a
// row-major []float64, []float32, []int64 or []int32.
type Array = npz.Array

// Figure writes a figure to figures/ID-NAME.svg and adds it to the claim with its
// caption, which says what to look for.
func (o *Output) Figure(name, caption string, f *figure.Figure) {
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

// CSV writes a table of numbers to data/ID-NAME.csv and adds it to the claim. The header
// has the names of the columns; [Meaning] gives their meanings. A row whose length
// differs from the header's is an error.
func (o *Output) CSV(name string, header []string, rows [][]float64) {
	if slices.ContainsFunc(rows, func(row []float64) bool { return len(row) != len(header) }) {
		o.fail(errors.New("a row of " + name + " does not have one number for each column of the header"))
		return
	}
	text, content := newTable(o.path(name+".csv"), header, rows)
	o.File(name+".csv", text)
	o.enter(content)
}

// newTable returns a table of numbers as CSV, and a description of its columns.
func newTable(file string, header []string, rows [][]float64) ([]byte, Content) {
	content := Content{File: file, Rows: len(rows)}
	for _, column := range header {
		content.Columns = append(content.Columns, Column{Name: column, Meaning: Meaning(column)})
	}
	var text bytes.Buffer
	w := csvtable.NewWriter(&text)
	w.Write(header)
	for _, row := range rows {
		fields := make([]string, len(row))
		for i, x := range row {
			fields[i] = strconv.FormatFloat(x, 'g', 10, 64)
		}
		w.Write(fields)
	}
	w.Flush()
	return text.Bytes(), content
}

// Codes gives the meanings of the integers in a column of the last CSV file written, from
// 0 on: names[i] is the meaning of i.
func (o *Output) Codes(column string, names ...string) {
	if o.err != nil {
		return
	}
	columns := o.claim.Contents[len(o.claim.Contents)-1].Columns
	for i, c := range columns {
		if c.Name == column {
			columns[i].Codes = names
		}
	}
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
		content.Arrays = append(content.Arrays, Layout{a.Name, a.Shape, npz.Type(a), Meaning(a.Name)})
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
