package claim

import (
	"bytes"
	"encoding/csv"
	"errors"
	"path/filepath"
	"strconv"

	"foretell/figure"
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
		o.claim.Figures, o.claim.Captions = append(o.claim.Figures, path), append(o.claim.Captions, caption)
	}
}

// CSV writes a table of numbers to data/ID-NAME.csv and enters it. Header names the
// columns. A row of another length is an error.
func (o *Output) CSV(name string, header []string, rows [][]float64) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.Write(header)
	for _, row := range rows {
		if len(row) != len(header) {
			o.fail(errors.New("a row of " + name + " does not fit its header"))
			return
		}
		fields := make([]string, len(row))
		for i, x := range row {
			fields[i] = strconv.FormatFloat(x, 'g', 10, 64)
		}
		w.Write(fields)
	}
	w.Flush()
	o.File(name+".csv", text.Bytes())
}

// Arrays writes arrays to data/ID-NAME.npz and enters it.
func (o *Output) Arrays(name string, arrays []Array) {
	var data bytes.Buffer
	if err := npz.Write(&data, arrays); err != nil {
		o.fail(err)
		return
	}
	o.File(name+".npz", data.Bytes())
}

// File writes data of any kind to data/ID-NAME, whose ending says what it is, and
// enters it.
func (o *Output) File(name string, data []byte) {
	path := "data/" + o.claim.ID + "-" + name
	if o.err != nil {
		return
	}
	if o.err = durable.WriteFile(filepath.Join(o.dir, path), data); o.err == nil {
		o.claim.Data = append(o.claim.Data, path)
	}
}

func (o *Output) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}
