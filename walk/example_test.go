package walk_test

import (
	"context"
	"fmt"
	"os"

	"foretell/walk"
)

// The first steps through the transformer of Virgilio 2025: C_0, C_1 and C_2 as it
// prints them.
func Example() {
	document, err := walk.New(context.Background(), walk.ABC(), []int32{0, 1, 2}, walk.Defaults)
	if err != nil {
		fmt.Println(err)
		return
	}
	document.Sections = document.Sections[:1]
	document.Attribution = nil
	if err := walk.Formats[0].Write(os.Stdout, document); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Forward pass over the tokens 0, 1, 2
	// ════════════════════════════════════
	//
	// A transformer with 1 layer of 1 head, d_model 2, d_head 2, no MLP, n_ctx 3, an
	// alphabet of 3 tokens, no norm and learned positions.
	//
	// Row i of a matrix belongs to position i; vectors are rows, multiplied by a
	// weight matrix at their right. Each step shows its formula in symbols, then with
	// its numbers, then its result.
	//
	// All results are the model's own activations in float64, rounded for display;
	// every formula was computed and agrees with them.
	//
	// Embedding
	// ─────────
	//
	// 1. Embeddings of the tokens                                           hook_embed
	//
	//    E = W_E[0, 1, 2]
	//      ⎡  1.1988   1.3633 ⎤            ⎡  1.1988   1.3633 ⎤
	//    = ⎢ -1.8032  -0.7401 ⎥[0, 1, 2] = ⎢ -1.8032  -0.7401 ⎥
	//      ⎣ -1.0425   1.4757 ⎦            ⎣ -1.0425   1.4757 ⎦
	//
	//    Each token has looked up its row of W_E: token 0 at position 0 found row 0,
	//    and so on.
	//
	// 2. Embeddings of the positions                                    hook_pos_embed
	//
	//    P = W_pos[0, 1, 2]
	//      ⎡ -0.3160  0.9374 ⎤            ⎡ -0.3160  0.9374 ⎤
	//    = ⎢ -0.4459  1.2218 ⎥[0, 1, 2] = ⎢ -0.4459  1.2218 ⎥
	//      ⎣ -0.2666  0.9128 ⎦            ⎣ -0.2666  0.9128 ⎦
	//
	//    Each position has looked up its row of W_pos, regardless of its token.
	//
	// 3. Context                                               blocks.0.hook_resid_pre
	//
	//    C_0 = E_0 + P_0
	//    = [ 1.1988  1.3633 ] + [ -0.3160  0.9374 ] = [ 0.8829  2.3007 ]
	//
	//    C_1 = E_1 + P_1
	//    = [ -1.8032  -0.7401 ] + [ -0.4459  1.2218 ] = [ -2.2491  0.4816 ]
	//
	//    C_2 = E_2 + P_2
	//    = [ -1.0425  1.4757 ] + [ -0.2666  0.9128 ] = [ -1.3090  2.3885 ]
	//
	//    C = E + P
	//      ⎡  1.1988   1.3633 ⎤   ⎡ -0.3160  0.9374 ⎤   ⎡  0.8829  2.3007 ⎤
	//    = ⎢ -1.8032  -0.7401 ⎥ + ⎢ -0.4459  1.2218 ⎥ = ⎢ -2.2491  0.4816 ⎥
	//      ⎣ -1.0425   1.4757 ⎦   ⎣ -0.2666  0.9128 ⎦   ⎣ -1.3090  2.3885 ⎦
	//
	//    Each row of the context matrix C encodes a token and its position.
}

// What each component adds to the logit of the token that follows A, B, C.
func ExampleAttribution() {
	document, err := walk.New(context.Background(), walk.ABC(), []int32{0, 1, 2}, walk.Defaults)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := document.Attribution
	for _, part := range a.Parts {
		fmt.Printf("%-23s %8.4f\n", part.Component, part.Value)
	}
	fmt.Printf("%-23s %8.4f\n", "logit of token A", a.Logit)
	// Output:
	// embedding of token 2      2.4120
	// embedding of position 2   1.2972
	// layer 0 head 0           14.9625
	// layer 0 attention bias    0.0000
	// output bias               0.0000
	// logit of token A         18.6717
}
