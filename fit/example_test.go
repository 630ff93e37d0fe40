package fit_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"foretell/fit"
)

// Old Faithful's eruptions are short or long. Two states explain them: after a short
// eruption always comes a long one. The fitted model is a process, so its floors and its
// entropy rate are exact, if the eruptions came from such a model.
func Example() {
	text, err := os.ReadFile("testdata/geyser.txt")
	if err != nil {
		log.Fatal(err)
	}
	var eruptions []int32
	for _, c := range strings.TrimSpace(string(text)) {
		eruptions = append(eruptions, c-'0')
	}
	ctx := context.Background()
	found, err := fit.HMM(ctx, eruptions, []string{"short", "long"}, 2, fit.Options{Emission: fit.States})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ln L = %.4f with %d parameters\n", found.LogLikelihood, found.Parameters)
	fmt.Printf("A = %.3f\n", found.HMM.NetTransition())
	floor, err := found.HMM.Floor(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	rate, _, err := found.HMM.EntropyRate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("floors %.3f …, entropy rate %.3f nats\n", floor.ByPosition, rate)
	draws, err := found.Bootstrap(ctx, 20, 1)
	if err != nil {
		log.Fatal(err)
	}
	low, high := rate, rate
	for _, d := range draws {
		low, high = min(low, d.EntropyRate), max(high, d.EntropyRate)
	}
	fmt.Printf("20 such series give %.2f to %.2f\n", low, high)
	// Output:
	// ln L = -126.7078 with 5 parameters
	// A = [0.171 0.829 1.000 0.000]
	// floors [0.648 0.448 0.432] …, entropy rate 0.424 nats
	// 20 such series give 0.39 to 0.45
}
