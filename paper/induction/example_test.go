package induction_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"foretell/claim"
	"foretell/paper/induction"
)

// A claim that needs no trained model: what the steps of a selective induction head are
// worth.
func Example() {
	dir, err := os.MkdirTemp("", "reproduce")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rows, err := claim.Select(induction.Paper.Rows(claim.Quick), []string{"I18"})
	if err != nil {
		log.Fatal(err)
	}
	study := &claim.Study{Out: dir, Workers: 2}
	claims, err := study.Reproduce(context.Background(), rows)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range claims {
		fmt.Println(c.ID, c.Verdict, c.Figures, c.Data)
	}
	// Output: I18 holds [figures/I18-observers.svg] [data/I18-observers.csv]
}
