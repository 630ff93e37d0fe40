package coin_test

import (
	"fmt"

	"foretell/claim"
	"foretell/paper/coin"
)

// The claims of the document, and how many models each trains.
func ExamplePaper() {
	for _, row := range coin.Paper.Rows(claim.Quick) {
		fmt.Println(row.ID, len(row.Trainings))
	}
	// Output:
	// C1 0
	// C2 0
	// C3 0
	// C4 0
	// C5 0
	// C6 10
}
