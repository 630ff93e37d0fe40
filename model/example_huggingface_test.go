package model_test

import (
	"fmt"
	"os"

	"foretell/model"
)

// A GPT-2 is a configuration; what it would take is known before there is any of it.
func ExampleGPT2() {
	for _, size := range model.GPT2Sizes {
		c, err := model.GPT2(size.Name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(size.Name, c.Parameters())
	}
	// Output:
	// small 124439808
	// medium 354823168
	// large 774030080
	// xl 1557611200
}

// A model of GPT-2's shape goes to Hugging Face's transformers and comes back.
func ExampleLoadHuggingFace() {
	c, err := model.GPT2("small")
	if err != nil {
		fmt.Println(err)
		return
	}
	c.DModel, c.NLayers, c.NHeads, c.DHead, c.DMLP, c.NCtx, c.DVocab = 8, 2, model.Heads{2}, 0, 0, 16, 32
	m, err := model.New[float32](c, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "gpt2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := m.SaveHuggingFace(dir); err != nil {
		fmt.Println(err)
		return
	}
	again, err := model.LoadHuggingFace[float64](dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Config.Parameters(), again.Config.TieUnembed, model.IsHuggingFace(dir))
	// Output: 2144 true true
}
