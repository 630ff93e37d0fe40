package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/figure"
	"foretell/model"
)

const (
	mostBlocksDrawn  = 3   // blocks drawn for a matrix: those with the largest entries
	mostEntriesDrawn = 128 // rows, and columns, drawn of a block
	mostMatrices     = 24
)

// figure draws each matrix as a row of panels. The first panel shows the largest entry of
// every block, with the names of the blocks. The other panels show the entries of the
// blocks with the largest entries, at most three blocks. It returns an error for more
// than 24 matrices.
func (b *Blocked) figure() (*figure.Figure, error) {
	if len(b.Matrices) > mostMatrices {
		return nil, fmt.Errorf("%s: %d matrices are too many for a picture, want at most %d",
			b.path, len(b.Matrices), mostMatrices)
	}
	f := &figure.Figure{
		Title: b.path + ": the blocks of its matrices",
		Desc: "A row for each matrix: the largest entry of each block of the residual stream, and the largest blocks " +
			"entry by entry.",
		Width: 820,
	}
	widest := 0
	for _, matrix := range b.Matrices {
		widest = max(widest, len(matrix.drawn()))
	}
	for _, matrix := range b.Matrices {
		row := make([]figure.Panel, 1+widest)
		row[0] = matrix.overview()
		for i, b := range matrix.drawn() {
			row[1+i] = b.panel()
		}
		f.Panels = append(f.Panels, row)
		f.Rows = append(f.Rows, matrix.title())
	}
	f.Rows[len(f.Rows)-1] = "unembed.W_U"
	return f, nil
}

// overview returns a panel with a cell for each block.
func (m BlockMatrix) overview() figure.Panel {
	names := func(bands []model.ResidualBlock) (list []string) {
		for _, b := range bands {
			list = append(list, b.Name)
		}
		return list
	}
	z := m.Largest()
	p := figure.HeatMap{Z: z, Rows: names(m.Rows), Cols: names(m.Columns), Label: "largest |entry|"}
	if len(m.Columns) > 2 {
		p.Cols = nil // the same as the rows; there is no room for their names
		p.X = "block, in the order of the rows, from 0"
	}
	if len(m.Columns) == 1 { // draw the blocks side by side, which leaves room for their names
		p.Z, p.Rows, p.Cols, p.X = [][]float64{slices.Concat(z...)}, names(m.Columns), nil, "block of the residual stream"
	}
	return p
}

// drawn returns the at most three blocks with the largest entries, in row-major order.
func (m BlockMatrix) drawn() []Block {
	list := slices.Clone(m.Blocks)
	slices.SortStableFunc(list, func(a, b Block) int { return cmp.Compare(b.largest(), a.largest()) })
	list = list[:min(len(list), mostBlocksDrawn)]
	slices.SortFunc(list, func(a, b Block) int { return cmp.Or(a.rows-b.rows, a.columns-b.columns) })
	return list
}

// panel draws the entries of a block, at most its first 128 rows and 128 columns.
func (b Block) panel() figure.Panel {
	rows := b.entries[:min(len(b.entries), mostEntriesDrawn)]
	z := make([][]float64, len(rows))
	for i, row := range rows {
		z[i] = row[:min(len(row), mostEntriesDrawn)]
	}
	return figure.HeatMap{
		Title: b.Row + " × " + b.Column, Z: z, Diverging: b.Least < 0 && b.Most > 0,
	}
}
