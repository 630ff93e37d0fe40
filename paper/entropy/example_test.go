package entropy_test

import (
	"fmt"

	"foretell/claim"
	"foretell/paper/entropy"
)

// What the quick profile measures.
func Example() {
	fmt.Println(entropy.Paper.Title)
	fmt.Println(entropy.Paper.Setting(claim.Quick))
	// Output:
	// Estimators of the entropy rate, judged on sources whose rate is exact
	// quick profile: sequences of up to 100,000 symbols, 5 seeds; hidden Markov models fitted to 10,000 symbols; no transformer is trained
}
