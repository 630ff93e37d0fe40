package report

import (
	"html"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"foretell/internal/formula"
)

var marks = []struct {
	text string
	want []span
}{
	{"", nil},
	{"plain", []span{{plain, "plain"}}},
	{"*a* and `b_c`.", []span{{emphasis, "a"}, {plain, " and "}, {code, "b_c"}, {plain, "."}}},
	{"a*b*c", []span{{plain, "a*b*c"}}},
	{"2 * 3 * 4", []span{{plain, "2 * 3 * 4"}}},
	{"(*x y*)", []span{{plain, "("}, {emphasis, "x y"}, {plain, ")"}}},
	{"p* and q*", []span{{plain, "p* and q*"}}},
	{"`a", []span{{plain, "`a"}}},
	{"``", []span{{plain, "``"}}},
	{"`*`", []span{{plain, "`*`"}}},
	{"*`x`*", []span{{plain, "*"}, {code, "x"}, {plain, "*"}}},
	{"ζ*η*", []span{{plain, "ζ*η*"}}},
	{"two\nlines\x1b[31m", []span{{plain, "two lines\uFFFD[31m"}}},
}

func TestSpans(t *testing.T) {
	for _, m := range marks {
		if got := spans(m.text); !reflect.DeepEqual(got, m.want) {
			t.Errorf("%q: %+v, want %+v", m.text, got, m.want)
		}
	}
}

func FuzzSpans(f *testing.F) {
	for _, m := range marks {
		f.Add(m.text)
	}
	f.Add("<script>`</code>`*<b>*&amp;]]>\xff")
	f.Add("ζ^(d−s) of `x_t` and *P_{s_j}*, a < b & c_<i>")
	tag := regexp.MustCompile(`</?(code|em|var|sub|sup)>`)
	f.Fuzz(func(t *testing.T, text string) {
		var marked, bare, shown strings.Builder
		for i, s := range spans(text) {
			mark := map[style]string{plain: "", code: "`", emphasis: "*"}[s.style]
			marked.WriteString(mark + s.text + mark)
			bare.WriteString(s.text)
			runs := formula.Split(s.text)
			if s.style == code {
				runs = []formula.Run{{Text: s.text}}
			}
			for _, r := range runs {
				shown.WriteString(r.Text)
			}
			if s.text == "" || s.style != plain && strings.ContainsAny(s.text, "`*") {
				t.Errorf("span %d of %q is %+v", i, text, s)
			}
		}
		if marked.String() != clean(text) {
			t.Errorf("%q is cut into %q", text, marked.String())
		}
		inside := tag.ReplaceAllString(string(markup(text)), "")
		if strings.ContainsAny(inside, `<>"'`) {
			t.Errorf("%q becomes markup %q", text, markup(text))
		}
		if html.UnescapeString(inside) != shown.String() {
			t.Errorf("%q is shown as %q", text, inside)
		}
		if unmarked(text) != bare.String() {
			t.Errorf("%q without marks is %q", text, unmarked(text))
		}
	})
}

// Mathematics is set as such outside code, and what looks like markup in it is text.
func TestMarkupSetsMathematics(t *testing.T) {
	for text, want := range map[string]string{
		"R² of `x_t` at x = 0.15": "<var>R</var>² of <code>x_t</code> at <var>x</var> = 0.15",
		"*ζ^(d−s)*, d_model":      "<em><var>ζ</var><sup><var>d</var>−<var>s</var></sup></em>, d_model",
		"P_{s_j,<i>}":             "<var>P</var><sub><var>s</var><sub><var>j</var></sub>,&lt;<var>i</var>&gt;</sub>",
		"p̃ < q & a model":        "<var>p̃</var> &lt; <var>q</var> &amp; a model",
	} {
		if got := string(markup(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"d_model is *wide*":            "d_model is *wide*",
		"_x_ and a_b":                  `\_x\_ and a\_b`,
		"a*b [link](x) <b> AT&T":       `a\*b \[link\](x) &lt;b> AT&amp;T`,
		"cost $5 ~ `a|b`":              "cost \\$5 \\~ `a|b`",
		`back\slash and a lone` + " `": `back\\slash and a lone \` + "`",
	} {
		if got := prose(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"- no list": `\- no list`, "+1": `\+1`, "> 3": `\> 3`, "1. first": `1\. first`, "12) x": `12\) x`, "=": `\=`,
		"−0.5": "−0.5", "0.5": `0\.5`, "plain": "plain",
	} {
		if got := flush(text); got != want {
			t.Errorf("%q at the start of a line: %q, want %q", text, got, want)
		}
	}
}

func TestAnchorIsInjective(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"M4", "M 4", "M_4", "M_20_4", "M__4", "m4", "ζ", "\"", "'", "M4.1", "M41"} {
		a := anchor(id)
		if other, taken := seen[a]; taken {
			t.Errorf("%q and %q are both %q", id, other, a)
		}
		if !regexp.MustCompile(`^[0-9A-Za-z_]+$`).MatchString(a) {
			t.Errorf("%q: %q is no identifier", id, a)
		}
		seen[a] = id
	}
}

func TestNumbersInWords(t *testing.T) {
	for s, want := range map[string]string{
		"-0.05 [-0.13, -0.03] (-1)": "−0.05 [−0.13, −0.03] (−1)",
		"3.1e-15, M1-2, ζ-1":        "3.1e-15, M1-2, ζ-1",
	} {
		if got := minus(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	for s, want := range map[float64]string{0: "under 0.1 s", 0.1: "0.1 s", 9.94: "9.9 s", 12.3: "12 s", 150: "2.5 min"} {
		if got := seconds(s); got != want {
			t.Errorf("%v s: %q, want %q", s, got, want)
		}
	}
	for n, want := range map[int64]string{999: "999 B", 12345: "12 kB", 1500_000: "1.5 MB"} {
		if got := bytesize(n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
}
