package kernel

import (
	"fmt"
	"strings"
	"testing"
)

// lengths has, for each kernel that takes slices, the exact lengths of its slices in a
// call, and the call.
var lengths = []struct {
	name    string
	lengths []int
	call    func(x [][]float64)
}{
	{"Activate", []int{4, 4}, func(x [][]float64) { Activate(GELU, x[0], x[1]) }},
	{"ActivateSlope", []int{4, 4, 4}, func(x [][]float64) { ActivateSlope(GELU, x[0], x[1], x[2]) }},
	{"ActivateBackward", []int{4, 4, 4}, func(x [][]float64) { ActivateBackward(GELU, x[0], x[1], x[2]) }},
	{"AttentionPattern", []int{9, 9, 6, 6, AttentionScratch(3, 2)}, func(x [][]float64) {
		AttentionPattern(x[0], x[1], x[2], x[3], 2, x[4], 3, 2, 1)
	}},
	{"AttentionMix", []int{6, 9, 6}, func(x [][]float64) { AttentionMix(x[0], 2, x[1], x[2], 2, 3, 2) }},
	{"AttentionBackward", []int{6, 6, 6, 6, 9, 6, 6, 6, AttentionScratch(3, 2)}, func(x [][]float64) {
		AttentionBackward(x[0], x[1], x[2], x[3], 2, x[4], x[5], x[6], x[7], 2, x[8], 3, 2, 1)
	}},
	{"AttentionRowPattern", []int{2, 8}, func(x [][]float64) {
		AttentionRowPattern(x[0], []float64{1, 1}, x[1], 3, []int32{0, 2}, 1)
	}},
	{"AttentionRowMix", []int{2, 8}, func(x [][]float64) {
		AttentionRowMix(make([]float64, 2), x[0], x[1], 3, []int32{0, 2})
	}},
	{"AttentionRowBackward", []int{2, 8, 8, 2, 2, 2, 8, 8, 2}, func(x [][]float64) {
		AttentionRowBackward(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], 3, []int32{0, 2}, x[8], 1)
	}},
	{"Gather", []int{4, 6}, func(x [][]float64) { Gather(x[0], x[1], []int32{0, 2}, 2) }},
	{"ScatterAdd", []int{6, 4}, func(x [][]float64) { ScatterAdd(x[0], x[1], []int32{0, 2}, 2) }},
	{"Gemm", []int{4, 6, 6}, func(x [][]float64) { Gemm(2, 3, 2, x[0], 2, 1, x[1], 3, x[2], 3, false) }},
	{"GemmBias", []int{3}, func(x [][]float64) {
		GemmBias(2, 3, 2, make([]float64, 4), 2, 1, make([]float64, 6), 3, make([]float64, 6), 3, x[0])
	}},
	{"GemmAdd", []int{3, 6}, func(x [][]float64) {
		GemmAdd(2, 3, 2, make([]float64, 4), 2, 1, make([]float64, 6), 3, make([]float64, 6), 3, x[0], x[1])
	}},
	{"Gram", []int{9, PanelsLen(2, 3)}, func(x [][]float64) { Gram(x[0], 3, x[1], 2, 2, 3) }},
	{"GramRow", []int{PanelsLen(2, 3), 3, 3}, func(x [][]float64) { GramRow(x[0], 2, 1, x[1], x[2], 1) }},
	{"LayerNorm", []int{6, 2, 2, 6, 3, 3}, func(x [][]float64) {
		LayerNorm(x[0], x[1], x[2], x[3], x[4], x[5], 2, 3, 1)
	}},
	{"LayerNormBackward", []int{6, 3, 3, 6, 6, 2, 2, 3}, func(x [][]float64) {
		LayerNormBackward(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], 2, 3)
	}},
	{"CrossEntropy", []int{4, 4, 2}, func(x [][]float64) { CrossEntropy(0, x[0], x[1], 2, 2, []int32{0, 1}, x[2]) }},
	{"SoftCrossEntropy", []int{4, 4, 4}, func(x [][]float64) { SoftCrossEntropy(0, x[0], x[1], 2, 2, x[2]) }},
	{"Softmax", []int{4, 4}, func(x [][]float64) { Softmax(x[0], x[1], 2, 2) }},
	{"SoftmaxBackward", []int{4, 4}, func(x [][]float64) { SoftmaxBackward(x[0], x[1], 2, 2, 1) }},
	{"CausalSoftmax", []int{9, 12}, func(x [][]float64) { CausalSoftmax(x[0], 3, x[1], 4, 3, 1) }},
	{"CausalSoftmaxBackward", []int{9, 9}, func(x [][]float64) { CausalSoftmaxBackward(x[0], 3, x[1], 3, 3, 1) }},
	{"Transpose", []int{6, 6}, func(x [][]float64) { Transpose(x[0], 2, x[1], 3, 2, 3) }},
	{"ColumnSums", []int{3, 6}, func(x [][]float64) { ColumnSums(x[0], x[1], 3, 2, 3) }},
	{"Sum", []int{3, 3, 3}, func(x [][]float64) { Sum(x[0], x[1], x[2]) }},
	{"Product", []int{3, 3, 3}, func(x [][]float64) { Product(x[0], x[1], x[2]) }},
	{"AddTree", []int{3, 3, 3}, func(x [][]float64) { AddTree(x) }},
	{"Adam", []int{3, 3, 3, 3}, func(x [][]float64) { Adam(x[0], x[1], x[2], x[3], AdamParams{Step: 1}) }},
	{"SGD", []int{3, 3, 3}, func(x [][]float64) { SGD(x[0], x[1], x[2], SGDParams{Momentum: 1}) }},
}

// A kernel takes slices that just hold its matrices, and refuses in its own name each
// that is an element shorter.
func TestShortSlicesPanic(t *testing.T) {
	refusal := func(call func(x [][]float64), lengths []int) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		x := make([][]float64, len(lengths))
		for i, n := range lengths {
			x[i] = make([]float64, n)
		}
		call(x)
		return
	}
	for _, c := range lengths {
		if text := refusal(c.call, c.lengths); text != "<nil>" {
			t.Errorf("%s refuses slices of lengths %v: %s", c.name, c.lengths, text)
		}
		for i := range c.lengths {
			short := append([]int(nil), c.lengths...)
			short[i]--
			if text := refusal(c.call, short); !strings.HasPrefix(text, "kernel: "+c.name+": ") {
				t.Errorf("%s of slices of lengths %v: %s, want a panic in its name", c.name, short, text)
			}
		}
	}
}
