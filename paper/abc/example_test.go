package abc_test

import (
	"fmt"

	"foretell/claim"
	"foretell/paper/abc"
)

// The claims of the document, and how many models each trains.
func ExamplePaper() {
	for _, row := range abc.Paper.Rows(claim.Quick) {
		fmt.Println(row.ID, len(row.Trainings))
	}
	// Output:
	// A1 100
	// A2 0
	// A3 0
	// A4 1
}
