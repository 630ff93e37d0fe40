package inspect_test

import (
	"fmt"

	"foretell/inspect"
	"foretell/process"
)

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
