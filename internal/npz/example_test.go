package npz_test

import (
	"bytes"
	"fmt"

	"foretell/internal/npz"
)

func Example() {
	var file bytes.Buffer
	err := npz.Write(&file, []npz.Array{
		{Name: "beliefs", Shape: []int{2, 3}, Data: []float64{1, 0, 0, 0.5, 0.25, 0.25}},
		{Name: "tokens", Shape: []int{2}, Data: []int32{0, 2}},
	})
	fmt.Println(err)
	arrays, err := npz.Read(file.Bytes())
	for _, a := range arrays {
		fmt.Println(a.Name, a.Shape, a.Data, err)
	}
	// Output:
	// <nil>
	// beliefs [2 3] [1 0 0 0.5 0.25 0.25] <nil>
	// tokens [2] [0 2] <nil>
}
