package document_test

import (
	"fmt"

	"foretell/document"
)

// One frame is a table for readers and a file for programs.
func Example() {
	f := document.Frame{Title: "error by size", Columns: []document.Column{
		{Name: "neurons", Heading: "neurons"},
		{Name: "error", Heading: "largest error", Format: "%.1e", Meaning: "largest error of the probability"},
		{Name: "seed"},
	}}
	f.Row(16, 0.0123456, 1)
	f.Row(64, 0.000789, 1)
	table := f.Table()
	fmt.Println(table.Columns, table.Rows)
	text, err := f.CSV(-1)
	fmt.Print(string(text), err)
	// Output:
	// [neurons largest error] [[16 1.2e-02] [64 7.9e-04]]
	// neurons,error,seed
	// 16,0.0123456,1
	// 64,0.000789,1
	// <nil>
}
