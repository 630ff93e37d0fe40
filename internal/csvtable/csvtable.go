// Package csvtable writes tables as CSV. Every CSV file of the program comes from here,
// so that all have the same rules:
//
//   - a file is exact: a cell holds the text or the number as it is, and reads back the
//     same;
//   - so nothing is put before a cell that begins with =, +, - or @, which a spreadsheet
//     may take for a formula. Numbers may begin with - or +, and names of tokens and runs
//     are the user's own.
package csvtable

import (
	"bytes"
	"encoding/csv"
	"io"
)

// NewWriter returns a writer of rows, whose Flush and Error end a table.
func NewWriter(w io.Writer) *csv.Writer { return csv.NewWriter(w) }

// Bytes returns a table whose first row has the names of its columns.
func Bytes(table [][]string) ([]byte, error) {
	var out bytes.Buffer
	err := NewWriter(&out).WriteAll(table)
	return out.Bytes(), err
}
