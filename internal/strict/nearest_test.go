package strict

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	known := []string{"seed", "batch_size", "num_steps", "lr", "weight_decay", "n_heads", "n_layers", "d_model", "positional_embedding_type"}
	for word, want := range map[string]string{
		"sead":                      "seed",
		"dees":                      "", // as far as any
		"BatchSize":                 "batch_size",
		"batch-size":                "batch_size",
		"bacth_size":                "batch_size",
		"learning_rate":             "lr",
		"wd":                        "weight_decay",
		"heads":                     "n_heads",
		"n_head":                    "n_heads",
		"layers":                    "n_layers",
		"dmodel":                    "d_model",
		"positionnal_embeding_type": "positional_embedding_type",
		"temperature":               "",
		"":                          "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Nearest("abce", []string{"abcd", "abcf"}); got != "abcd" {
		t.Errorf("of two equally near words %q, want the first", got)
	}
	if got := Nearest("x", nil); got != "" {
		t.Errorf("of no words %q, want none", got)
	}
}

// The distance equals its recursive definition (Boytsov 2011, the optimal string
// alignment), without the table.
func TestDistance(t *testing.T) {
	var slow func(a, b []rune) int
	slow = func(a, b []rune) int {
		if len(a) == 0 || len(b) == 0 {
			return len(a) + len(b)
		}
		x, y := len(a)-1, len(b)-1
		d := min(slow(a[:x], b)+1, slow(a, b[:y])+1)
		if a[x] == b[y] {
			d = min(d, slow(a[:x], b[:y]))
		} else {
			d = min(d, slow(a[:x], b[:y])+1)
		}
		if x > 0 && y > 0 && a[x] == b[y-1] && a[x-1] == b[y] {
			d = min(d, slow(a[:x-1], b[:y-1])+1)
		}
		return d
	}
	word := rapid.SliceOfN(rapid.RuneFrom([]rune("abé")), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := distance(a, b), slow(a, b); got != want {
			t.Errorf("distance(%q, %q) = %d, want %d", string(a), string(b), got, want)
		}
	})
}

// What may be meant is said in one way: alone, or with what there is.
func TestMeant(t *testing.T) {
	known := []string{"relu", "gelu"}
	for got, want := range map[string]string{
		Meant("rleu", known):    `did you mean "relu"?`,
		Meant("tanh", known):    "",
		Choice("gellu", known):  `did you mean "gelu"?`,
		Choice("tanh", known):   "want one of relu, gelu",
		NotOneOf("rleu", known): `"rleu" is not one of relu, gelu; did you mean "relu"?`,
		NotOneOf("tanh", known): `"tanh" is not one of relu, gelu`,
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
