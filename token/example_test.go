package token_test

import (
	"fmt"
	"math"

	"foretell/token"
)

func Example() {
	train := make([]float64, 64)
	for n := range train {
		train[n] = math.Sin(2 * math.Pi * float64(n) / 16)
	}
	q, err := token.Fit("uniform", token.Params{"levels": 5}, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	tokens, _ := q.Encode(nil, []float64{-0.3, 0.2, 0.9, 7})
	back, _ := q.Decode(nil, tokens)
	distortion, _ := token.Distortion(q, train)
	fmt.Println(tokens, back)
	fmt.Printf("%.3f bits a sample, mean squared error %.4f\n", token.Rate(q), distortion)

	_, err = q.Encode(nil, []float64{0, math.NaN()})
	fmt.Println(err)
	// Output:
	// [1 2 4 4] [-0.5 0 1 1]
	// 2.322 bits a sample, mean squared error 0.0156
	// uniform: sample 1 is NaN: want numbers within ±1e+150
}
