package formula

import (
	"strings"
	"testing"
)

// shown writes runs with <i>, _[…] and ^[…].
func shown(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		text := r.Text
		if r.Italic {
			text = "<" + text + ">"
		}
		switch r.Script {
		case Index:
			text = "_[" + text + "]"
		case Power:
			text = "^[" + text + "]"
		}
		b.WriteString(text)
	}
	return b.String()
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"training step":           "training step",
		"x = 0.15, a = 0.6":       "<x> = 0.15, <a> = 0.6",
		"x = 0.15, α = 0.6":       "<x> = 0.15, <α> = 0.6",
		"a_s·ζ^(d−s)":             "<a>_[<s>]·<ζ>^[<d>]^[−]^[<s>]",
		"a_{d,s}":                 "<a>_[<d>]_[,]_[<s>]",
		"T^(z)":                   "<T>^[(]^[<z>]^[)]",
		"10^-3":                   "10^[−3]",
		"R² of a fit":             "<R>² of a fit",
		"attention A(d, s)":       "attention <A>(<d>, <s>)",
		"d_model and n_ctx":       "d_model and n_ctx",
		"blocks.0.hook_resid_mid": "blocks.0.hook_resid_mid",
		"attn.W_Q":                "attn.W_Q",
		"W_Q":                     "<W>_[Q]",
		"the model's, e.g. 20k":   "the model's, e.g. 20k",
		"Σ_h μ_h":                 "Σ_[<h>] <μ>_[<h>]",
		"runs/b, x = 1":           "runs/b, <x> = 1",
		"runs/b/c and b/first":    "runs/b/c and b/first",
		"p/q":                     "<p>/<q>",
		"a_ b^":                   "a_ <b>^",
		"":                        "",
	} {
		if got := shown(Split(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a_s·ζ^(d−s) R²")
	f.Fuzz(func(t *testing.T, text string) {
		length := 0
		for _, r := range Split(text) {
			length += len(r.Text)
			if r.Text == "" {
				t.Errorf("%q: an empty run", text)
			}
		}
		if length > 3*len(text) { // at most a minus sign for a hyphen
			t.Errorf("%q has grown", text)
		}
	})
}
