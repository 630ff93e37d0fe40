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

// The best sum of functions of (position, token) is the linear least-squares filter. It
// forgets faster than the constrained belief, which counts twice what two tokens tell in
// common.
func ExampleHMM_LinearFilter() {
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	linear, err := mess3.Linear(context.Background(), []int32{0, 0, 0})
	if err != nil {
		log.Fatal(err)
	}
	filter := mess3.LinearFilter()
	steady, err := filter.Steady(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	r2, err := filter.SteadyR2(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("linear      %.4f\n", linear)
	fmt.Printf("decay       %.4f a step, by Eq. 26 %.4f\n", real(steady.Decays[0]), 1-3*0.15)
	fmt.Printf("R²          %.4f, by Eq. 26 %.4f\n", r2.Linear, r2.Constrained)
	// Output:
	// linear      [0.7639 0.1181 0.1181]
	// decay       0.4666 a step, by Eq. 26 0.5500
	// R²          0.9869, by Eq. 26 0.9746
}

// For a negative eigenvalue theory asks for two heads. How near one comes that does not
// look at tokens: it attends to odd lags, where corrections have one sign.
func ExampleHMM_HeadsR2() {
	mess3, err := process.Mess3(0.5, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	found, err := mess3.HeadsR2(context.Background(), 10, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range found {
		fmt.Printf("%d heads: R² %.4f, at most %.4f\n", r.Heads, r.R2, r.Bound)
	}
	fmt.Printf("one head by lag: %.2f\n", found[1].Profiles[0])
	// Output:
	// 0 heads: R² 0.7779, at most 0.7779
	// 1 heads: R² 0.9628, at most 0.9667
	// 2 heads: R² 1.0000, at most 1.0000
	// one head by lag: [0.00 1.00 0.00 0.29 0.00 0.08 0.00 0.02 0.00 0.01]
}

// The decay of one geometric sum of tokens from which the belief is decoded best:
// linearly that of the linear filter, by polynomials of degree 3 and 5 a larger one, and
// by one of degree 3 where the last token's weight is free, too.
func ExampleHMM_GeometricSums() {
	for _, alpha := range []float64{0.6, 0.7, 0.8, 0.9, 0.95} {
		mess3, err := process.Mess3(0.15, alpha)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("α %.2f:", alpha)
		for _, degree := range []int{1, 3, 5} {
			sums, err := mess3.GeometricSums(context.Background(), 6, degree)
			if err != nil {
				log.Fatal(err)
			}
			best, err := sums.Best(context.Background())
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf(" %.2f", best.Decay)
		}
		short, err := mess3.GeometricSums(context.Background(), 5, 3)
		if err != nil {
			log.Fatal(err)
		}
		free, err := short.BestOwn(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf(", free %.2f\n", free.Decay)
	}
	// Output:
	// α 0.60: 0.47 0.52 0.51, free 0.50
	// α 0.70: 0.40 0.47 0.46, free 0.44
	// α 0.80: 0.30 0.40 0.39, free 0.37
	// α 0.90: 0.18 0.29 0.28, free 0.26
	// α 0.95: 0.10 0.20 0.19, free 0.17
}

func ExampleBuild() {
	_, err := process.Build("mess3", process.Params{"x": 0.7})
	fmt.Println(err)
	// Output: mess3: x = 0.7 is outside (0, 0.5]
}

// How many attention heads the random phase of zero-one-random asks for, and
// what they attend to: T turns by 120° a step, so three heads share the lags.
func ExampleSpectrum_Heads() {
	z1r, err := process.Z1R(0.5)
	if err != nil {
		log.Fatal(err)
	}
	spectrum, err := z1r.Spectrum(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, mode := range spectrum.Modes {
		fmt.Printf("λ = %.3f, %d heads\n", mode.Eigenvalue, mode.Heads())
	}
	layer := spectrum.Attention(4)
	for _, head := range layer.Heads {
		fmt.Printf("position 4 attends with %.2f\n", head.Pattern[3*4:])
	}
	// Output:
	// λ = (1.000+0.000i), 0 heads
	// λ = (-0.500+0.866i), 3 heads
	// position 4 attends with [0.40 0.10 0.10 0.40]
	// position 4 attends with [0.14 0.14 0.57 0.14]
	// position 4 attends with [0.14 0.57 0.14 0.14]
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
