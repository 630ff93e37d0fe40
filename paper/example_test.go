package paper_test

import (
	"fmt"
	"log"

	"foretell/claim"
	"foretell/paper"
)

func ExampleNamed() {
	p, err := paper.Named("coin", "abc")
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range p.Rows(claim.Quick) {
		fmt.Print(row.ID, " ")
	}
	// Output: C1 C2 C3 C4 C5 C6 A1 A2 A3 A4
}
