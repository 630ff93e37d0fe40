package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/document"
	"foretell/model"
)

// BlockMatrix is a weight matrix of a disentangled transformer. It is divided into blocks
// in the same way as the residual stream.
type BlockMatrix struct {
	Name string `json:"name"` // name of the weights, such as "blocks.2.attn.W_A"
	Head int    `json:"head"` // index of the head in its layer, from 1; 1 for W_U
	// Rows are the bands that queries read, and Columns the bands that keys read. In W_U,
	// Rows are the bands from which logits are computed, and the only band of Columns is the
	// next token.
	Rows    []model.ResidualBlock `json:"rows"`
	Columns []model.ResidualBlock `json:"columns"`
	Blocks  []Block               `json:"blocks"` // blocks with a nonzero entry, in row-major order
}

// Block is the submatrix in one band of a matrix's rows and one band of its columns.
type Block struct {
	Row    string  `json:"row"`
	Column string  `json:"column"`
	Least  float64 `json:"least"` // smallest entry
	Most   float64 `json:"most"`
	// Values are the distinct entries in ascending order, or nil if there are more than
	// four.
	Values []float64 `json:"values,omitempty"`

	rows, columns int         // indices of the bands
	entries       [][]float64 // [row][column], counted within the bands
}

// mostValues is the largest number of distinct entries that are listed one by one.
const mostValues = 4

// Blocks returns the matrices of a disentangled transformer (residual: concat) in the
// order of the forward pass. It returns an error if the model has no residual stream, or
// if heads add to the residual stream, which then has no blocks.
func Blocks[F model.Float](m *model.Transformer[F]) ([]BlockMatrix, error) {
	c := m.Config
	switch {
	case !c.HasAttention():
		return nil, fmt.Errorf("it has no residual stream and so no blocks; " +
			"a model with residual: concat has blocks, for example craft:induction")
	case c.AddsToStream():
		return nil, fmt.Errorf("its heads add to one residual stream, which has no blocks; " +
			"a model with residual: concat has blocks, for example craft:induction")
	}
	var list []BlockMatrix
	for layer, heads := range c.NHeads {
		name, bands := fmt.Sprintf("blocks.%d.attn.W_A", layer), c.Blocks(layer)
		data, size := m.Weights.Get(name).Data, c.Width(layer)*c.Width(layer)
		for h := range heads {
			b := BlockMatrix{Name: name, Head: h + 1, Rows: bands, Columns: bands}
			b.Blocks = cut(data[h*size:(h+1)*size], bands, bands)
			list = append(list, b)
		}
	}
	b := BlockMatrix{
		Name: "unembed.W_U", Head: 1,
		Rows: c.Blocks(c.NLayers), Columns: []model.ResidualBlock{{Name: "next token", Width: c.DVocab}},
	}
	b.Blocks = cut(m.Weights.Get(b.Name).Data, b.Rows, b.Columns)
	return append(list, b), nil
}

// cut returns the nonzero blocks of a row-major matrix with the given bands.
func cut[F model.Float](data []F, rows, columns []model.ResidualBlock) []Block {
	last := columns[len(columns)-1]
	width := last.Offset + last.Width
	var blocks []Block
	for i, r := range rows {
		for j, c := range columns {
			b := Block{Row: r.Name, Column: c.Name, rows: i, columns: j, entries: make([][]float64, r.Width)}
			for y := range b.entries {
				b.entries[y] = make([]float64, c.Width)
				for x := range b.entries[y] {
					b.entries[y][x] = float64(data[(r.Offset+y)*width+c.Offset+x])
				}
			}
			if b.summarize(); b.Least != 0 || b.Most != 0 {
				blocks = append(blocks, b)
			}
		}
	}
	return blocks
}

// summarize computes Least, Most and Values from the entries.
func (b *Block) summarize() {
	b.Least, b.Most = math.Inf(1), math.Inf(-1)
	few := true
	for _, row := range b.entries {
		for _, x := range row {
			b.Least, b.Most = min(b.Least, x), max(b.Most, x)
			if few && !slices.Contains(b.Values, x) {
				b.Values = append(b.Values, x)
				few = len(b.Values) <= mostValues
			}
		}
	}
	slices.Sort(b.Values)
	if !few {
		b.Values = nil
	}
}

// largest returns the largest absolute entry.
func (b Block) largest() float64 { return max(-b.Least, b.Most) }

// Largest returns the largest absolute entry of each block, as [band of rows][band of
// columns]. It is 0 for a block of zeros.
func (m BlockMatrix) Largest() [][]float64 {
	z := make([][]float64, len(m.Rows))
	for i := range z {
		z[i] = make([]float64, len(m.Columns))
	}
	for _, b := range m.Blocks {
		z[b.rows][b.columns] = b.largest()
	}
	return z
}

// text returns the matrix as text: a map, with a line for each band of rows and, after a
// tab, a mark for each of its blocks (■ if it has a nonzero entry, else ·); then a list
// of the nonzero blocks.
func (m BlockMatrix) text() document.Section {
	s := document.Section{Text: []string{m.title()}, Tight: true}
	for i, row := range m.Largest() {
		var marks strings.Builder
		for _, x := range row {
			marks.WriteString(map[bool]string{true: "■", false: "·"}[x > 0])
		}
		s.Facts = append(s.Facts, document.Fact{Name: "  " + m.Rows[i].Name, Value: marks.String()})
	}
	for _, b := range m.Blocks {
		s.Notes = append(s.Notes, "  "+b.Row+" × "+b.Column+": "+b.describe())
	}
	return s
}

// title returns the name of the weights and the head.
func (m BlockMatrix) title() string { return fmt.Sprintf("%s, head %d", m.Name, m.Head) }

// describe returns the entries of a block as text.
func (b Block) describe() string {
	if b.Values == nil {
		return fmt.Sprintf("from %.4g to %.4g", b.Least, b.Most)
	}
	var list []string
	for _, x := range b.Values {
		list = append(list, fmt.Sprintf("%.4g", x))
	}
	return strings.Join(list, ", ")
}
