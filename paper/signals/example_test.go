package signals_test

import (
	"fmt"

	"foretell/claim"
	"foretell/paper/signals"
)

// The claims of the document, and how many models each trains.
func ExamplePaper() {
	for _, row := range signals.Paper.Rows(claim.Quick) {
		fmt.Println(row.ID, len(row.Trainings))
	}
	// Output:
	// S1 0
	// S2 0
	// S11 0
	// S12 0
	// S8 0
	// S9 0
	// S10 0
	// S13 3
	// S13b 2
	// S14 9
	// S7 3
	// S3 15
	// S4 9
	// S5 12
	// S6 17
}
