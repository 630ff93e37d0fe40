package document

// Table is a small table for readers. Columns names every column. Each row has one cell
// for each column.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`

	// Values has the unrounded number of each cell of Rows, or nil if the cell is a text or
	// the number is not finite. Errors has the numbers after ±; it is nil if no cell has ±.
	Values [][]*float64 `json:"values"`
	Errors [][]*float64 `json:"errors,omitempty"`

	joined []int // indices of the columns after those that stay next to them, see [Column]
}

// Texts returns a table of texts.
func Texts(title string, columns []string, rows ...[]string) Table {
	t := Table{Title: title, Columns: columns, Rows: rows, Values: make([][]*float64, len(rows))}
	for i, row := range rows {
		t.Values[i] = make([]*float64, len(row))
	}
	return t
}
