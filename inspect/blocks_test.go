package inspect

import (
	"reflect"
	"strings"
	"testing"

	"foretell/craft"
	"foretell/model"
)

// The blocks of a construction are those that its docstring names, and nothing else is
// written.
func TestBlocksOfInduction(t *testing.T) {
	m, err := craft.Make("induction", map[string]any{"lags": []float64{1, 3}, "n_ctx": 8.0})
	if err != nil {
		t.Fatal(err)
	}
	matrices, err := Blocks(m.Model)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range matrices {
		if want := m.Model.Config.Blocks(m.Model.Config.NLayers); x.Name == "unembed.W_U" && len(x.Rows) != len(want) {
			t.Errorf("%d bands of the output's, want %d", len(x.Rows), len(want))
		}
		for _, b := range x.Blocks {
			got = append(got, x.Name+": "+b.Row+" × "+b.Column)
		}
	}
	want := []string{
		"blocks.0.attn.W_A: token × token",
		"blocks.0.attn.W_A: position × position",
		"blocks.1.attn.W_A: position × position",
		"blocks.1.attn.W_A: position × position",
		"blocks.2.attn.W_A: position × position",
		"blocks.2.attn.W_A: 2.1.1.1.position × position",
		"blocks.2.attn.W_A: 2.2.1.1.position × position",
		"unembed.W_U: 3.1.token × next token",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if b := matrices[1].Blocks[0]; !reflect.DeepEqual(b.Values, []float64{-500, 500}) || b.Least != -500 || b.Most != 500 {
		t.Errorf("layer 2 holds %v", b.Values)
	}
	if z := matrices[0].Largest(); z[1][1] != 500 || z[0][1] != 0 || z[0][0] < 1 {
		t.Errorf("largest entries %v", z)
	}
	f, err := (&Blocked{matrices, "craft:induction"}).figure()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := f.SVG()
	if err != nil || !strings.Contains(string(picture), "2.1.1.1.position × position") {
		t.Errorf("a picture of %d bytes, %v", len(picture), err)
	}
}

func TestBlocksNeedConcatenatedHeads(t *testing.T) {
	m, err := craft.Make("coin", map[string]any{"n_ctx": 8.0, "error": 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Blocks(m.Model); err == nil || !strings.Contains(err.Error(), "residual: concat") {
		t.Errorf("got %v", err)
	}
	flat, err := model.Zero[float64](model.Config{Architecture: "flat", DModel: 2, NCtx: 3, DVocab: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Blocks(flat); err == nil || !strings.Contains(err.Error(), "no residual stream") {
		t.Errorf("got %v", err)
	}
}
