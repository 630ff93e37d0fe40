//go:build !js

package parquettable

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// schema is the root of a schema whose columns keep their order. A
// [parquet.Group] sorts its columns by name.
type schema struct {
	parquet.Group
	fields []parquet.Field
}

func (s schema) Fields() []parquet.Field { return s.fields }

// rowGroup is the number of rows that are buffered and written together.
const rowGroup = 1 << 14

// Write writes a table. The columns must have the same number of values. It returns an
// error for two columns of one name, which a file cannot have.
func Write(w io.Writer, columns []Column) error {
	root, err := schemaOf(columns)
	if err != nil {
		return err
	}
	writer := parquet.NewWriter(w, parquet.NewSchema("table", root), parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy("foretell", "", ""))
	rows := 0
	if len(columns) > 0 {
		rows = len(columns[0].Values)
	}
	row := make(parquet.Row, len(columns))
	for i := range rows {
		for j, c := range columns {
			row[j] = parquet.NullValue().Level(0, 0, j)
			if value := c.Values[i]; value != nil {
				row[j] = parquet.ValueOf(value).Level(0, 1, j)
			}
		}
		if _, err := writer.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return writer.Close()
}

func schemaOf(columns []Column) (schema, error) {
	s := schema{Group: parquet.Group{}}
	for _, c := range columns {
		if s.Group[c.Name] != nil {
			return s, fmt.Errorf("two columns are named %s, which a Parquet file cannot have", c.Name)
		}
		s.Group[c.Name] = parquet.Optional(leaf(c))
	}
	byName := map[string]parquet.Field{}
	for _, field := range s.Group.Fields() {
		byName[field.Name()] = field
	}
	for _, c := range columns {
		s.fields = append(s.fields, byName[c.Name])
	}
	return s, nil
}

// leaf returns the type of a column; DOUBLE if all values are missing.
func leaf(c Column) parquet.Node {
	for _, value := range c.Values {
		switch value.(type) {
		case nil:
		case int64:
			return parquet.Leaf(parquet.Int64Type)
		case float64:
			return parquet.Leaf(parquet.DoubleType)
		case bool:
			return parquet.Leaf(parquet.BooleanType)
		case string:
			return parquet.String()
		default:
			panic(fmt.Sprintf("parquettable: a value of type %T", value))
		}
	}
	return parquet.Leaf(parquet.DoubleType)
}
