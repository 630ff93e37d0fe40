package strict_test

import (
	"fmt"

	"foretell/internal/strict"
)

func Example() {
	type train struct {
		BatchSize int     `yaml:"batch_size"`
		LR        float64 `yaml:"lr"`
	}
	var config struct {
		Train train `yaml:"train"`
	}
	config.Train = train{BatchSize: 128, LR: 1e-4} // the defaults

	document, err := strict.Parse("config.yaml", []byte("train:\n  batch_size: 64\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, assignment := range []string{"train.lr=-0.1", "train.batch-size=32"} {
		if err := document.Set(assignment); err != nil {
			fmt.Println(err)
		}
		err := document.Decode(&config)
		fmt.Println(config.Train, err)
	}
	fmt.Printf("%s: train.lr = %g is not positive\n", document.Locate("train.lr"), config.Train.LR)
	// Output:
	// {64 -0.1} <nil>
	// {64 -0.1} train.batch-size=32: unknown key "batch-size" in train; did you mean "batch_size"? (known: batch_size, lr)
	// train.lr=-0.1: train.lr = -0.1 is not positive
}
