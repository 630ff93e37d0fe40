package mess3_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"foretell/claim"
	"foretell/paper/mess3"
)

// A claim that needs no trained model: the paper's two ways to write the
// constrained belief are compared, and one of them turns out to be something else.
func Example() {
	dir, err := os.MkdirTemp("", "reproduce")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rows, err := claim.Select(mess3.Paper.Rows(claim.Quick), []string{"M3"})
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
	// Output: M3 corrected [figures/M3-constrained.svg] [data/M3-constrained.npz]
}
