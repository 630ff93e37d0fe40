package describe_test

import (
	"context"
	"fmt"

	"foretell/describe"
	"foretell/process"
)

// What is known of a process before any model is trained on it: how much there is to
// learn, and how much attention theory asks for.
func ExampleProcess() {
	s, err := describe.Named("mess3", process.Params{"x": 0.05, "a": 0.85})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := describe.Process(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %d states, %d tokens\n", d.Name, len(d.States), len(d.Tokens))
	fmt.Printf("entropy rate %.4f, chance %.4f nats\n", d.EntropyRate, d.Chance)
	fmt.Printf("attention heads: %d\n", d.Spectrum.Heads.Future)
	fmt.Println(d.BeliefsError)
	// Output:
	// mess3: 3 states, 3 tokens
	// entropy rate 0.7935, chance 1.0986 nats
	// attention heads: 1
	// mess3: more than 1000 distinct beliefs, possibly infinitely many
}
