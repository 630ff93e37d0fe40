package safetensors_test

import (
	"bytes"
	"fmt"

	"foretell/internal/safetensors"
)

func Example() {
	var file bytes.Buffer
	err := safetensors.Write(&file, []safetensors.Tensor{
		{Name: "embed.W_E", Shape: []int{2, 2}, F32: []float32{1, 2, 3, 4}},
	}, map[string]string{"step": "500"})
	fmt.Println(file.Len(), err)

	read, err := safetensors.Read(file.Bytes())
	embed, _ := read.Tensor("embed.W_E")
	fmt.Println(embed.Shape, embed.F32, read.Metadata["step"], err)

	_, err = safetensors.Read(file.Bytes()[:file.Len()-1])
	fmt.Println(err)
	// Output:
	// 120 <nil>
	// [2 2] [1 2 3 4] 500 <nil>
	// tensor "embed.W_E": truncated: its data at [0, 16] exceed the file's 15 bytes of data
}
