package contexttree_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"foretell/contexttree"
)

// A chain of variable memory: after a 0 the older past does not matter, after a 1 one
// more symbol does. Its entropy rate is 0.472 nats a symbol.
func Example() {
	ones := map[[2]int32]float64{{0, 0}: 0.9, {0, 1}: 0.9, {1, 0}: 0.7, {1, 1}: 0.2}
	random, x := rand.New(rand.NewPCG(1, 2)), []int32{0, 1}
	for n := 2; n < 5000; n++ {
		x = append(x, 0)
		if random.Float64() < ones[[2]int32{x[n-1], x[n-2]}] {
			x[n] = 1
		}
	}

	tree, err := contexttree.New(contexttree.Options{Alphabet: 2, Depth: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := tree.Append(x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("code length: %.3f nats a symbol\n", -tree.LogLikelihood()/float64(tree.Coded()))
	next := make([]float64, 2)
	tree.Next(next)
	fmt.Printf("after %d: %.3f\n", x[len(x)-2:], next)

	for _, leaf := range tree.Best(1)[0].Leaves {
		fmt.Printf("%v: counts %d, estimates %.3f\n", leaf.Context, leaf.Counts, leaf.Next)
	}

	rates := make([]float64, 1000)
	for i := range rates {
		if rates[i], err = tree.Sample(1, uint64(i)).EntropyRate(); err != nil {
			fmt.Println(err)
			return
		}
	}
	slices.Sort(rates)
	fmt.Printf("entropy rate, if the source is such a chain: %.3f to %.3f (95 %%)\n", rates[25], rates[975])
	// Output:
	// code length: 0.467 nats a symbol
	// after [0 1]: [0.294 0.706]
	// [0]: counts [178 1675], estimates [0.096 0.904]
	// [1 0]: counts [492 1183], estimates [0.294 0.706]
	// [1 1]: counts [1183 281], estimates [0.808 0.192]
	// entropy rate, if the source is such a chain: 0.449 to 0.478 (95 %)
}
