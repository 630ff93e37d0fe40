package inspect

import (
	"fmt"

	"foretell/document"
	"foretell/internal/text"
)

// Blocked holds the matrices of a model, divided into blocks and ready to be shown.
type Blocked struct {
	Matrices []BlockMatrix `json:"matrices"`

	path string
}

// Blocks returns the model's matrices divided into blocks; see [Blocks].
func (m *Model) Blocks() (*Blocked, error) {
	matrices, err := Blocks(m.Float64())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return &Blocked{matrices, m.Path}, nil
}

// Forms returns the forms of the blocks: text for a terminal, .svg, .csv with a row for
// each nonzero block, .json, and a page (.html) that names the command line. More than 24
// matrices have neither a figure nor a page.
func (b *Blocked) Forms(command string) document.Forms {
	numbers := func() document.Frame { return frameOf(b.Matrices...) }
	return document.Answer{
		Text: b.text, Figure: b.figure, Page: b.page,
		Numbers: document.Sure(numbers), Value: b,
	}.Forms(command)
}

func (b *Blocked) text() (sections []document.Section) {
	for _, m := range b.Matrices {
		sections = append(sections, m.text())
	}
	return sections
}

// frameOf returns a row for each nonzero block of matrices: its matrix and head; the two
// bands of the residual stream that the block connects, with their offsets and widths;
// and the smallest and the largest entry of the block.
func frameOf(matrices ...BlockMatrix) document.Frame {
	f := document.Frame{Columns: document.Plain(
		"matrix", "head", "row", "column",
		"row_offset", "row_width", "column_offset", "column_width", "least", "most",
	)}
	for _, m := range matrices {
		for _, b := range m.Blocks {
			r, c := m.Rows[b.rows], m.Columns[b.columns]
			f.Row(m.Name, m.Head, b.Row, b.Column, r.Offset, r.Width, c.Offset, c.Width, b.Least, b.Most)
		}
	}
	return f
}

func (b *Blocked) page() (document.Document, error) {
	f, err := b.figure()
	if err != nil {
		return document.Document{}, err
	}
	s := document.Section{Figure: f, Caption: f.Desc}
	for _, m := range b.Matrices {
		table := frameOf(m).Table()
		table.Title = m.title() + ": " + text.Count(len(m.Blocks), "block")
		s.Tables = append(s.Tables, table)
	}
	return document.Document{Title: f.Title, Sections: []document.Section{s}}, nil
}
