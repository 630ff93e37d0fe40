package paper_test

import (
	"context"
	"fmt"
	"os"

	"foretell/paper"
)

// A claim that needs no trained model: the paper's two ways to write the
// constrained belief are compared, and one of them turns out to be something else.
func Example() {
	dir, err := os.MkdirTemp("", "reproduce")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	rows, err := paper.Select(paper.Mess3.Rows, []string{"M3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	study := &paper.Study{Out: dir, Profile: paper.Quick, Workers: 2}
	claims, err := study.Reproduce(context.Background(), rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range claims {
		fmt.Println(c.ID, c.Verdict, c.Figures, c.Data)
	}
	// Output:
	// M3 corrected [figures/M3-constrained.svg] [data/M3-constrained.npz]
}
