package torchfile_test

import (
	"bytes"
	"fmt"

	"foretell/internal/torchfile"
)

func Example() {
	state := &torchfile.Dict{}
	state.Set("weight", torchfile.Floats{Shape: []int{2, 1}, Data: []float32{1, -0.5}})
	var file bytes.Buffer
	fmt.Println(torchfile.Write(&file, state))
	value, err := torchfile.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	weight, _ := value.(*torchfile.Dict).Get("weight")
	elements, err := weight.(*torchfile.Tensor).Floats()
	fmt.Println(weight.(*torchfile.Tensor).Shape, elements, err)
	// Output:
	// <nil>
	// [2 1] [1 -0.5] <nil>
}
