package inspect

import (
	"fmt"
	"io"
	"strconv"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/csvtable"
	"foretell/internal/plural"
	"foretell/model"
)

// Blocked holds the matrices of a model, divided into blocks and ready to be shown.
type Blocked struct {
	Matrices []BlockMatrix `json:"matrices"`

	path  string
	model *model.Transformer[float64]
}

// Blocks returns the model's matrices divided into blocks; see [Blocks].
func (m *Model) Blocks() (*Blocked, error) {
	b := &Blocked{path: m.Path, model: m.Float64()}
	var err error
	if b.Matrices, err = Blocks(b.model); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return b, nil
}

// Print writes the matrices as text; see [PrintBlocks].
func (b *Blocked) Print(w io.Writer) { PrintBlocks(w, b.Matrices) }

// Figure draws the matrices; see [BlocksFigure].
func (b *Blocked) Figure() (*figure.Figure, error) {
	f, err := BlocksFigure(b.path, b.model)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.path, err)
	}
	return f, nil
}

// Write returns the blocks in the format of a file extension: .svg is the figure, .html a
// self-contained page that names the command line, .csv a row for each nonzero block, and
// .json the output of --json. It returns an error for any other extension, and the errors
// of [BlocksFigure].
func (b *Blocked) Write(ending, command string) ([]byte, error) {
	return written(ending, b.Figure, func() ([]byte, error) { return b.html(command) }, b.CSV, b)
}

// table returns a row of cells for each nonzero block of a matrix, under [blockColumns].
func (m BlockMatrix) table() (rows [][]string) {
	for _, b := range m.Blocks {
		r, c := m.Rows[b.rows], m.Columns[b.columns]
		rows = append(rows, []string{
			m.Name, strconv.Itoa(m.Head), b.Row, b.Column, strconv.Itoa(r.Offset), strconv.Itoa(r.Width),
			strconv.Itoa(c.Offset), strconv.Itoa(c.Width), exact(b.Least), exact(b.Most),
		})
	}
	return rows
}

// blockColumns are the columns of a table of blocks.
var blockColumns = []string{
	"matrix", "head", "row", "column", "row_offset", "row_width", "column_offset", "column_width", "least", "most",
}

// CSV returns a row for each nonzero block: its matrix and head; the two bands of the
// residual stream that the block connects, with their offsets and widths; and the
// smallest and the largest entry of the block.
func (b *Blocked) CSV() ([]byte, error) {
	rows := [][]string{blockColumns}
	for _, m := range b.Matrices {
		rows = append(rows, m.table()...)
	}
	return csvtable.Bytes(rows)
}

func (b *Blocked) html(command string) ([]byte, error) {
	f, err := b.Figure()
	if err != nil {
		return nil, err
	}
	s := document.Section{Figure: f, Caption: f.Desc}
	for _, m := range b.Matrices {
		title := fmt.Sprintf("%s, head %d: %s", m.Name, m.Head, plural.Count(len(m.Blocks), "block"))
		s.Tables = append(s.Tables, document.Table{Title: title, Columns: blockColumns, Rows: m.table()})
	}
	return document.Document{Title: f.Title, Subtitle: "Made by `" + command + "`", Sections: []document.Section{s}}.HTML()
}
