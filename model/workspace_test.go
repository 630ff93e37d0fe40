package model

import (
	"reflect"
	"testing"
)

// floats counts the numbers of type float32 in the slices that a value holds, each array
// once.
func floats(v reflect.Value, seen map[uintptr]bool) (n int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Kind() == reflect.Pointer && seen[v.Pointer()] {
			return 0
		}
		if v.Kind() == reflect.Pointer {
			seen[v.Pointer()] = true
		}
		return floats(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			n += floats(v.Field(i), seen)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Float32 {
			if v.Cap() == 0 || seen[v.Pointer()] {
				return 0
			}
			seen[v.Pointer()] = true
			return v.Cap()
		}
		for i := range v.Len() {
			n += floats(v.Index(i), seen)
		}
	}
	return n
}

// Rows of scores are padded to the next multiple of 16 above their length.
func TestPadded(t *testing.T) {
	for T := 1; T <= 100; T++ {
		if n := padded(T); n%16 != 0 || n <= T || n > T+16 {
			t.Errorf("%d columns for %d scores", n, T)
		}
	}
}

// The size of a workspace is the number of floats that one holds after a backward pass.
func TestWorkspaceSize(t *testing.T) {
	for name, c := range map[string]Config{
		"narrow":    {DModel: 8, NLayers: 2, NHeads: Heads{2, 1}, DHead: 4, NCtx: 10, DVocab: 3},
		"wide":      {DModel: 64, NLayers: 1, NHeads: Heads{4}, DMLP: 256, NCtx: 16, DVocab: 5},
		"heads":     {DModel: 8, NLayers: 2, NHeads: Heads{16}, DHead: 32, NCtx: 8, DVocab: 3},
		"long":      {DModel: 4, NLayers: 2, NHeads: Heads{2}, DHead: 2, NCtx: 200, DVocab: 3},
		"tokens":    {DModel: 4, NLayers: 1, NHeads: Heads{1}, DHead: 2, NCtx: 8, DVocab: 4000},
		"tied":      {DModel: 8, NLayers: 1, NHeads: Heads{1}, NCtx: 8, DVocab: 90, TieUnembed: true},
		"no norm":   {DModel: 8, NLayers: 2, NHeads: Heads{1}, NCtx: 8, DVocab: 3, AttnOnly: true, NormalizationType: "none"},
		"concat":    {Residual: "concat", NLayers: 2, NHeads: Heads{2, 1}, NCtx: 40, DVocab: 3},
		"wide cat":  {Residual: "concat", NLayers: 2, NHeads: Heads{1, 1}, NCtx: 8, DVocab: 100},
		"flat":      {Architecture: "flat", DModel: 8, NLayers: 2, DMLP: 100, NCtx: 20, DVocab: 3},
		"flat long": {Architecture: "flat", DModel: 16, NLayers: 1, DMLP: 4, NCtx: 300, DVocab: 3},
	} {
		c, err := c.Resolve()
		if err != nil {
			t.Fatal(name, err)
		}
		for _, batch := range []int{1, 7} {
			m, err := New[float32](c, 1)
			if err != nil {
				t.Fatal(err)
			}
			w, rows := NewWorkspace[float32](c, batch), batch*c.NCtx
			m.Forward(w, make([]int32, rows), batch)
			m.CrossEntropy(w, make([]int32, rows), make([]float32, rows))
			m.Pack()
			m.Backward(w, make([]int32, rows), NewWeights[float32](c))
			w.columns = nil // of the gradients
			if w.table != nil {
				w.table.w.columns = nil // of the weights
			}
			got, want := c.WorkspaceSize(batch), floats(reflect.ValueOf(w), map[uintptr]bool{})
			if got != float64(want) {
				t.Errorf("%s: %v numbers for a batch of %d, held %d", name, got, batch, want)
			}
		}
	}
}
