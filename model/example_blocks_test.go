package model_test

import (
	"fmt"

	"foretell/model"
)

// The residual stream of a disentangled transformer, by what it has come from.
func ExampleConfig_Blocks() {
	c, err := model.Config{
		Residual: "concat", NLayers: 2, NHeads: model.Heads{1, 2}, NCtx: 8, DVocab: 3,
	}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range c.Blocks(1) {
		fmt.Println(b.Name, b.Offset, b.Width)
	}
	fmt.Println(c.Width(0), c.Width(1), c.Width(2))
	// Output:
	// token 0 3
	// position 3 8
	// 1.1.token 11 3
	// 1.1.position 14 8
	// 11 22 66
}
