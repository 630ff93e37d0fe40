package process_test

import (
	"context"
	"fmt"
	"log"

	"foretell/process"
)

// What an optimal observer of Mess3 believes about the hidden state after the
// tokens 0 1 1, what it expects next, and how little any predictor can lose.
func Example() {
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	belief, err := mess3.Belief([]int32{0, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	floor, err := mess3.Floor(context.Background(), 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("belief %.4f\n", belief)
	fmt.Printf("next   %.4f\n", mess3.Next(belief))
	fmt.Printf("floor  %.6f nats\n", floor.ByPosition)
	rate, _, err := mess3.EntropyRate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("rate   %.6f nats, chance %.6f\n", rate, floor.Chance)
	// Output:
	// belief [0.1736 0.6955 0.1309]
	// next   [0.2982 0.4130 0.2888]
	// floor  [1.098612 1.091068 1.089391 1.089004] nats
	// rate   1.088888 nats, chance 1.098612
}

// One layer of attention can add up a correction for each token, but not multiply
// them as Bayes' rule does. What it can reach is the constrained belief.
func ExampleHMM_Constrained() {
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	word := []int32{0, 0, 0}
	full, err := mess3.Belief(word)
	if err != nil {
		log.Fatal(err)
	}
	constrained, err := mess3.Constrained(word)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("full        %.4f\n", full)
	fmt.Printf("constrained %.4f\n", constrained)
	// Output:
	// full        [0.7885 0.1058 0.1058]
	// constrained [0.8273 0.0863 0.0863]
}

func ExampleBuild() {
	_, err := process.Build("mess3", process.Params{"x": 0.7})
	fmt.Println(err)
	// Output: mess3: x = 0.7 is outside (0, 0.5]
}

// A Markov chain that stays with probability 0.9, at lag 1 or lag 2: what the tokens
// tell of the lag, and token 0 next by the model average and by maximum likelihood.
func ExampleInterleaved() {
	chain, err := process.NewInterleaved([][]float64{{0.9, 0.1}, {0.1, 0.9}}, []int{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	word := []int32{1, 0, 0, 1, 0}
	average, likeliest := chain.Predictor(), chain.ML()
	next, byML := make([]float64, 2), make([]float64, 2)
	for t, token := range word {
		for _, p := range []process.Predictor{average, likeliest} {
			if err := p.Observe(int(token)); err != nil {
				log.Fatal(err)
			}
		}
		posterior, err := chain.Posterior(word[:t+1])
		if err != nil {
			log.Fatal(err)
		}
		average.Next(next)
		likeliest.Next(byML)
		fmt.Printf("%d  lags %.2f  token 0: %.2f, by ML %.2f\n", token, posterior, next[0], byML[0])
	}
	// Output:
	// 1  lags [0.50 0.50]  token 0: 0.50, by ML 0.50
	// 0  lags [0.50 0.50]  token 0: 0.50, by ML 0.90
	// 0  lags [0.90 0.10]  token 0: 0.90, by ML 0.90
	// 1  lags [0.90 0.10]  token 0: 0.18, by ML 0.10
	// 0  lags [0.50 0.50]  token 0: 0.50, by ML 0.90
}

// Every sequence of up to two flips of a coin, with what comes next: the coin has no
// hidden states, and its table comes from its predictor.
func ExampleWords() {
	coin, err := process.NewCoin(1, 1)
	if err != nil {
		log.Fatal(err)
	}
	words, err := process.Words(context.Background(), coin, 2)
	if err != nil {
		log.Fatal(err)
	}
	for row := range words.Rows() {
		fmt.Printf("%v has probability %.3f, heads next %.3f\n", words.Tokens(row), words.Prob[row], words.NextTokens(row)[1])
	}
	// Output:
	// [0] has probability 0.500, heads next 0.333
	// [1] has probability 0.500, heads next 0.667
	// [0 0] has probability 0.333, heads next 0.250
	// [0 1] has probability 0.167, heads next 0.500
	// [1 0] has probability 0.167, heads next 0.500
	// [1 1] has probability 0.333, heads next 0.750
}

// Parameters as a command line gives them, resolved for what is made of them.
func ExampleResolveParams() {
	known := []process.Param{
		{Name: "lags", Default: []float64{1, 2}, Range: "whole numbers", Summary: "how far back a head looks"},
		{Name: "heads", Default: 1.0, Range: "[1, 8]", Summary: "heads of a layer"},
	}
	lags, err := known[0].Parse("lags", "[2, 5]")
	if err != nil {
		log.Fatal(err)
	}
	params, err := process.ResolveParams("induction", known, process.Params{"lags": lags})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(params.List("lags"), params.Number("heads"))
	_, err = process.ResolveParams("induction", known, process.Params{"lags": "many"})
	fmt.Println(err)
	// Output:
	// [2 5] 1
	// induction: lags = "many" is not a list of numbers, such as [0.5, 0.5]
}

// The bracket signal of EE269 2026: OPEN 7, OPEN 2, CLOSE, CLOSE. After a CLOSE the tag
// of the bracket that it closes is certain.
func ExampleSymbolic_Retrievals() {
	brackets, err := process.Brackets(0.1, 0.1, 8, 30)
	if err != nil {
		log.Fatal(err)
	}
	sequence := []int32{30, 7, 30, 2, 31, 2, 31, 7}
	retrievals, err := brackets.Retrievals(sequence)
	if err != nil {
		log.Fatal(err)
	}
	predictor, next := brackets.Predictor(), make([]float64, brackets.Alphabet())
	for t, z := range sequence {
		predictor.Next(next)
		if err := predictor.Observe(int(z)); err != nil {
			log.Fatal(err)
		}
		if retrievals[t] {
			fmt.Printf("position %d: %d with probability %g\n", t+1, z, next[z])
		}
	}
	// Output:
	// position 6: 2 with probability 1
	// position 8: 7 with probability 1
}

// A process of one's own, checked as it is read.
func ExampleParse() {
	const lazy = `
name: lazy
states: [A, B]
tokens: [heads, tails]
transitions:
  - {from: A, to: A, token: heads, p: 0.9}
  - {from: A, to: B, token: tails, p: 0.1}
  - {from: B, to: A, token: heads, p: 0.5}
`
	_, err := process.Parse("lazy.yaml", []byte(lazy))
	fmt.Println(err)
	p, err := process.Parse("lazy.yaml", []byte(lazy+"  - {from: B, to: B, token: tails, p: 0.5}\n"))
	if err != nil {
		log.Fatal(err)
	}
	floor, err := p.Floor(context.Background(), 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f nats\n", floor.ByPosition)
	// Output:
	// lazy.yaml:8:5: transitions[2] is not possible: lazy: state B: its probabilities sum to 0.5, want 1
	// [0.450561 0.386427 0.386427] nats
}
