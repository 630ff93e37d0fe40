package beliefs_test

import (
	"fmt"

	"foretell/claim"
	"foretell/paper/beliefs"
)

// The claims of the document, and the models that each looks at.
func ExamplePaper() {
	for _, row := range beliefs.Paper.Rows(claim.Quick) {
		fmt.Println(row.ID)
		for _, t := range row.Trainings {
			fmt.Printf("  %s: %d steps\n", t.Name, t.Config.Train.NumSteps)
		}
	}
	// Output:
	// B1
	//   RRXOR-l4-h1-d32-n10-LN-seed1: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed2: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed3: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed4: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed5: 3000 steps
	// B2
	//   RRXOR-l4-h1-d32-n10-LN-seed1: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed2: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed3: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed4: 3000 steps
	//   RRXOR-l4-h1-d32-n10-LN-seed5: 3000 steps
	//   mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed1: 3000 steps
	//   mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed2: 3000 steps
	//   mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed3: 3000 steps
	//   mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed4: 3000 steps
	//   mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed5: 3000 steps
}
