// Package csvtable writes tables as CSV. All CSV files of the program are written here,
// by the same rules:
//
//   - A file is exact: a cell holds the text or number unchanged, and reads back the
//     same.
//   - Therefore a cell that begins with =, +, - or @ is not escaped, although a
//     spreadsheet may interpret it as a formula. Numbers can begin with - or +, and names
//     of tokens and runs belong to the user.
package csvtable

import (
	"encoding/csv"
	"io"
)

// NewWriter returns a writer of rows. Flush and Error end a table.
func NewWriter(w io.Writer) *csv.Writer { return csv.NewWriter(w) }
