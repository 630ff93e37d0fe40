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

// Output takes the figures and data of a claim into the study's folder. The first
// error stays: what follows it is not written, and it is the test's, which is why no
// method returns one. A NAME tells the files of one kind of a claim apart; it comes
// without the ending, except in [Output.File].
type Output struct {
	dir   string
	claim *Claim
	err   error
}

// Array is an array of numbers for [Output.Arrays]: its name, its shape and its data, a
// row-major []float64, []float32, []int64 or []int32.
type Array = npz.Array

// Figure writes a figure to figures/ID-NAME.svg and enters it with its caption, which
// says what to see.
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

// CSV writes a table of numbers to data/ID-NAME.csv and enters it. Header names the
// columns, whose meanings [Meaning] knows. A row of another length is an error.
func (o *Output) CSV(name string, header []string, rows [][]float64) {
	if slices.ContainsFunc(rows, func(row []float64) bool { return len(row) != len(header) }) {
		o.fail(errors.New("a row of " + name + " does not fit its header"))
		return
	}
	text, content := newTable(o.path(name+".csv"), header, rows)
	o.File(name+".csv", text)
	o.enter(content)
}

// newTable writes a table of numbers, and says what a file with it holds.
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

// Codes says what the whole numbers of a column of the CSV file written last stand for,
// from 0 on, such as stages of a model.
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

// Arrays writes arrays to data/ID-NAME.npz and enters it.
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

// File writes data of any kind to data/ID-NAME, whose ending says what it is, and
// enters it.
func (o *Output) File(name string, data []byte) {
	path := o.path(name)
	if o.err != nil {
		return
	}
	if o.err = durable.WriteFile(filepath.Join(o.dir, path), data); o.err == nil {
		o.claim.Data = append(o.claim.Data, path)
	}
}

// path is where data of a name are, relative to the study's folder.
func (o *Output) path(name string) string { return "data/" + o.claim.ID + "-" + name }

// enter enters what a file holds, if it has been written.
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
