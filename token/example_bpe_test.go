package token_test

import (
	"fmt"

	"foretell/token"
)

// A vocabulary is learned from a text, or read from the files of a GPT-2 model.
func ExampleTrainBPE() {
	bpe, err := token.TrainBPE("a signal, a signal's token, a token's signal", 280, "<|endoftext|>")
	if err != nil {
		panic(err)
	}
	tokens := bpe.Encode("the signal's tokens")
	for _, id := range tokens {
		fmt.Printf("%d %q\n", id, bpe.Token(id))
	}
	text, err := bpe.Decode(tokens)
	fmt.Println(text, err)
	// Output:
	// 83 "t"
	// 71 "h"
	// 68 "e"
	// 261 " signal"
	// 262 "'s"
	// 268 " token"
	// 82 "s"
	// the signal's tokens <nil>
}

// No token reaches across the pieces of a text.
func ExamplePieces() {
	for piece := range token.Pieces("It's  1 sine.") {
		fmt.Printf("%q ", piece)
	}
	// Output: "It" "'s" " " " 1" " sine" "."
}
