package sweep_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"foretell/sweep"
)

// A study of two learning rates with two seeds each.
func Example() {
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "coin.yaml")
	if err := os.WriteFile(file, []byte(base), 0o644); err != nil {
		log.Fatal(err)
	}
	plan, err := sweep.Read(file, 2, "train.lr=0.01,0.03")
	if err != nil {
		log.Fatal(err)
	}
	manifest, err := plan.Expand()
	if err != nil {
		log.Fatal(err)
	}
	study, err := sweep.Begin(filepath.Join(dir, "rates"), manifest, plan.Text())
	if err != nil {
		log.Fatal(err)
	}
	states, err := study.Train(context.Background(), sweep.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(manifest.Varied)
	for _, s := range states {
		fmt.Println(s.Settings, s.State)
	}
	// Output:
	// [train.lr train.seed]
	// [0.01 1] complete
	// [0.01 2] complete
	// [0.03 1] complete
	// [0.03 2] complete
}
