package document

import (
	"bytes"
	"fmt"
	"math"

	"foretell/internal/parquettable"
)

// Parquet returns the columns that have a name as Parquet, with the cells of [Frame.CSV].
// An empty text is a missing value. A column has whole numbers, numbers, true and false,
// or texts; it has texts if its cells are of several kinds.
func (f Frame) Parquet() ([]byte, error) {
	var columns []parquettable.Column
	for j, c := range f.Columns {
		if c.Name != "" {
			columns = append(columns, parquettable.Column{Name: c.Name, Values: f.typed(j)})
		}
	}
	var text bytes.Buffer
	err := parquettable.Write(&text, columns)
	return text.Bytes(), err
}

// typed returns the cells of column j, all of one type or nil.
func (f Frame) typed(j int) []any {
	values := make([]any, len(f.Rows))
	kinds := map[string]bool{}
	for i, row := range f.Rows {
		if values[i] = plain(row[j]); values[i] != nil {
			kinds[fmt.Sprintf("%T", values[i])] = true
		}
	}
	if len(kinds) < 2 {
		return values
	}
	numbers := len(kinds) == 2 && kinds["int64"] && kinds["float64"]
	for i, value := range values {
		whole, isWhole := value.(int64)
		switch {
		case value == nil:
		case numbers && isWhole:
			values[i] = float64(whole)
		case !numbers:
			values[i] = fmt.Sprint(value)
		}
	}
	return values
}

// plain returns a cell as an int64, a float64, a bool or a string, or nil if it is empty.
func plain(cell any) any {
	switch c := cell.(type) {
	case Shown:
		return plain(c.Value)
	case Truth:
		return bool(c)
	case bool:
		return c
	case int:
		return int64(c)
	case int64:
		return c
	case uint64:
		if c <= math.MaxInt64 {
			return int64(c)
		}
	}
	if x, ok := number(cell); ok {
		return x
	}
	if text := fmt.Sprint(cell); text != "" {
		return text
	}
	return nil
}
