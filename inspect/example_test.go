package inspect_test

import (
	"context"
	"fmt"

	"foretell/inspect"
	"foretell/process"
)

// What is known of a process before any model is trained on it: how much there is to
// learn, and how much attention theory asks for.
func ExampleDescribe() {
	s, err := inspect.Find("mess3", process.Params{"x": 0.05, "a": 0.85})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := inspect.Describe(context.Background(), s)
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

// A model whose weights are written by hand, beside the optimum: after one head among two
// flips of a coin of unknown bias, Laplace's rule has tails at 2/4.
func ExampleModel_Predict() {
	m, err := inspect.Open("craft:coin", process.Params{"n_ctx": 8.0})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Predict([]int32{process.BOS, 1, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("model %.3f, optimum %.3f, KL below 1e-9: %v\n", p.Model, p.Optimal, p.KL < 1e-9)
	// Output:
	// model [0.500 0.500 0.000], optimum [0.500 0.500 0.000], KL below 1e-9: true
}
