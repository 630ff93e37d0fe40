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

// The optimal quantiser of a normal density at three bits, beside the law of Panter and
// Dite and Shannon's bound.
func ExampleLloydMax() {
	normal := token.Normal(0, 1)
	q, err := token.LloydMax(normal, 8, 1e-10)
	if err != nil {
		fmt.Println(err)
		return
	}
	law, _ := token.HighRateDistortion(normal, 8)
	fmt.Printf("points %.4f\n", q.Points()[4:])
	fmt.Printf("distortion %.5f, high-rate law %.5f, bound %.5f\n", normal.Distortion(q), law, math.Exp2(-2*token.Rate(q)))
	// Output:
	// points [0.2451 0.7560 1.3439 2.1519]
	// distortion 0.03455, high-rate law 0.04251, bound 0.01562
}

// The peaks of a signal as tokens: waits of up to 8 samples, then ends, maxima and minima
// with five levels each.
func ExampleEventCode() {
	x := []float64{0, 1, 2, 3, 2.9, 1, 0, -1, 0, 2}
	peaks, _ := token.NewPeaks(1)
	events, _ := peaks.Detect(x)
	values, _ := token.NewUniform(-1, 3, 5)
	code, err := token.NewEventCode(len(peaks.Kinds()), 8, values)
	if err != nil {
		fmt.Println(err)
		return
	}
	tokens, _ := code.Encode(nil, events, len(x))
	back, n, _ := code.Decode(tokens)
	line, _ := peaks.Rebuild(back, n)
	fmt.Println(tokens)
	fmt.Println(line)
	// Output:
	// [9 2 17 3 18 1 11 0]
	// [0 1 2 3 2 1 0 -1 0.5 2]
}
