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
		if r.Script != "" {
			text = r.Script + "[" + text + "]"
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
		"T^(z_0)":                 "<T>^[<z>]^_[0]",
		"P_{s_j,s_i}":             "<P>_[<s>]__[<j>]_[,]_[<s>]__[<i>]",
		"p̃_{i,1} up to k̂":       "<p̃>_[<i>]_[,1] up to <k̂>",
		"q_iᵀk_j, ζⁿ, C·Aᵀ":       "<q>_[<i>]ᵀ<k>_[<j>], <ζ>ⁿ, <C>·<A>ᵀ",
		"k_j = p_jW_K":            "<k>_[<j>] = <p>_[<j>]<W>_[K]",
		"GPT, L = H = 1, KL":      "GPT, <L> = <H> = 1, KL",
		"(a−b)² of a model":       "(<a>−<b>)² of a model",
		"(a+H)/(a+b+N)":           "(<a>+<H>)/(<a>+<b>+<N>)",
		"a(a−b), (x, a)":          "<a>(<a>−<b>), (<x>, <a>)",
		"a":                       "<a>",
		`token "b" is x`:          `token "b" is <x>`,
		"Pr(S|z) of A and B":      "Pr(<S>|<z>) of A and B",
		"H_scaled = a model's":    "H_scaled = a model's",
		"":                        "",
	} {
		if got := shown(Split(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A text that never closes what it opens is no longer work than another.
func TestSplitOfManyBrackets(t *testing.T) {
	text := strings.Repeat("a^{", 5000)
	for i, run := range Split(text + "}")[:5000] {
		if run.Script != "" {
			t.Fatalf("run %d of brackets that close too late is %+v", i, run)
		}
	}
}

// Runs hold the text as it stands, but for the marks of mathematics.
func FuzzSplit(f *testing.F) {
	f.Add("a_s·ζ^(d−s) R²")
	f.Add("P_{s_{i−k},s_i} p̃_jW_K ^{} _() \u0303a^-2 \xff\xfe")
	marks := strings.NewReplacer("_", "", "^", "", "{", "", "}", "", "(", "", ")", "", "-", "−")
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		for _, r := range Split(text) {
			b.WriteString(r.Text)
			if r.Text == "" || strings.Trim(r.Script, "_^") != "" {
				t.Errorf("%q: %+v", text, r)
			}
		}
		if got, want := marks.Replace(b.String()), marks.Replace(text); got != want {
			t.Errorf("%q is shown as %q", text, b.String())
		}
	})
}
