package intervene_test

import (
	"context"
	"fmt"
	"log"

	"foretell/craft"
	"foretell/intervene"
)

// Which position's attention tells the coin's model that the second toss was heads? One
// head takes the mean of all tosses, so that the last position's stream has all of it
// after attention, and none before.
func Example() {
	coin, err := craft.Make("coin", map[string]any{"n_ctx": 8.0})
	if err != nil {
		log.Fatal(err)
	}
	clean, corrupt := []int32{2, 1, 1, 0}, []int32{2, 1, 0, 0} // 2 begins, 1 is heads
	for _, hook := range []string{"resid_pre", "resid_mid"} {
		found, err := intervene.Patch(context.Background(), coin.Model, coin.Process,
			intervene.OnePair(clean, corrupt), intervene.Patching{Hook: hook})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s by position: %.2f\n", hook, found.Rows[0].Recovered)
	}
	// Output:
	// resid_pre by position: [0.00 0.00 1.00 0.00]
	// resid_mid by position: [0.00 0.00 0.00 1.00]
}

// Without its head the coin's model knows nothing of the tosses: it is as far from the
// optimal prediction as a guess that is always the same.
func ExampleAblate() {
	coin, err := craft.Make("coin", map[string]any{"n_ctx": 6.0})
	if err != nil {
		log.Fatal(err)
	}
	words, err := intervene.WordsOf(context.Background(), coin.Process, 6)
	if err != nil {
		log.Fatal(err)
	}
	found, err := intervene.Ablate(context.Background(), coin.Model, words, intervene.Ablation{
		Parts: []intervene.Part{intervene.Head(0, 0)}, With: intervene.Mean,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("KL %.4f nats, without %s %.4f, chance %.4f\n",
		found.KL, found.Parts[0].Name, found.Parts[0].KL, *found.Chance)
	// Output:
	// KL 0.0000 nats, without head 0.0 0.0832, chance 0.0832
}
