package walk

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/document"
	"foretell/internal/golden"
	"foretell/internal/needs"
	"foretell/model"
)

// documents are walks that between them have every kind of step, operator and
// matrix: that of Virgilio 2025, and one with norms, two heads, an MLP, rotary
// positions, long numbers and summaries, and one whose tokens have names.
func documents(t *testing.T) map[string]*Document {
	t.Helper()
	abc, err := New(t.Context(), ABC(), []int32{0, 1, 2}, Defaults)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New[float64](model.Config{
		DModel: 4, NLayers: 1, NHeads: model.Heads{2}, DHead: 2, DMLP: 9, NCtx: 4, DVocab: 3,
		PositionalEmbeddingType: "rotary", ActFn: "gelu_new",
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Weights.Get("unembed.b_U").Data[1] = -3e8
	o := Defaults
	o.Position, o.Digits = 2, 3
	norms, err := New(t.Context(), m, []int32{0, 2, 1, 0}, o)
	if err != nil {
		t.Fatal(err)
	}
	o = Defaults
	o.Names = []string{"A", "a name that is long", "50 %_<b>α"}
	named, err := New(t.Context(), ABC(), []int32{0, 1, 2}, o)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Document{"abc": abc, "norms": norms, "named": named}
}

func render(t *testing.T, f Format, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldens(t *testing.T) {
	for name, d := range documents(t) {
		for _, f := range Formats {
			golden.Compare(t, filepath.Join("testdata", name+f.Extension), render(t, f, d))
		}
	}
}

// TestLaTeXCompiles needs pdflatex, of Debian's texlive-latex-base.
func TestLaTeXCompiles(t *testing.T) {
	engine := needs.Program(t, "pdflatex", "texlive-latex-base")
	for name, d := range documents(t) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "walk.tex"), []byte(render(t, Formats[2], d)), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(engine, "-halt-on-error", "-interaction=nonstopmode", "walk.tex")
		cmd.Dir = dir
		if log, err := cmd.CombinedOutput(); err != nil || bytes.Contains(log, []byte("Overfull")) || bytes.Contains(log, []byte("Missing character")) {
			t.Errorf("%s: %v\n%s", name, err, log)
		}
	}
}

var formulas = regexp.MustCompile(`(?s)<math.*?</math>`)

// The page's formulas are well-formed, and nothing of it is fetched from elsewhere.
func TestHTMLStandsAlone(t *testing.T) {
	for name, d := range documents(t) {
		text := render(t, Formats[3], d)
		found := formulas.FindAllString(text, -1)
		if len(found) < 50 {
			t.Fatalf("%s: %d formulas", name, len(found))
		}
		for _, formula := range found {
			decoder := xml.NewDecoder(strings.NewReader(formula))
			for {
				if _, err := decoder.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v in %s", name, err, formula)
				}
			}
		}
		// Glyphs around a matrix stretch only in a mathematical font.
		for _, glyph := range []string{"<mo>[</mo><mtable", "<mo>(</mo><mtable", "<mo>(</mo><mrow><mtable"} {
			if strings.Contains(text, glyph) {
				t.Errorf("%s: a matrix has %s at its side", name, glyph)
			}
		}
		policy := document.Policy(string(pageHead.Switch), pageJS)
		if n := strings.Count(text, "<script"); n != 3 || !strings.Contains(html.UnescapeString(text), policy) {
			t.Errorf("%s: %d scripts; want the data and the two that the policy names", name, n)
		}
		for _, foreign := range []string{"http:", "https:", "src=", "<link", "@import", "url("} {
			if strings.Contains(text, foreign) {
				t.Errorf("%s: the page has %s", name, foreign)
			}
		}
	}
}

// JSON holds every number of the walk; null is what the mask has made −∞.
func TestJSON(t *testing.T) {
	for name, d := range documents(t) {
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Sections []struct {
				Steps []struct {
					Title, Hook, Note string
					Equations         []struct {
						Formula, TeX string
						Operands     []matrixJSON
						Result       matrixJSON
					}
				}
			}
			Attribution struct {
				Logit, Sum float64
				Parts      []struct {
					Component, Formula string
					Value              float64
				}
			}
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for i, s := range d.Sections {
			for j, step := range s.Steps {
				for k, e := range step.Equations {
					g, want := got.Sections[i].Steps[j].Equations[k], e.Result()
					if g.Formula != e.String() || len(g.Operands) == 0 || g.TeX == "" {
						t.Errorf("%s: %s: %+v", name, e, g)
					}
					for n, x := range want.Data {
						y := g.Result.Values[n/want.Columns][n%want.Columns]
						if math.IsInf(x, 0) != (y == nil) || y != nil && *y != x {
							t.Errorf("%s: %s: number %d is not %v", name, e, n, x)
						}
					}
				}
			}
		}
		if a := got.Attribution; a.Logit != d.Attribution.Logit || a.Sum != d.Attribution.Sum || len(a.Parts) != len(d.Attribution.Parts) || a.Parts[0].Formula == "" {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{1.23456, 4, "1.2346"},
		{-0.00004, 4, "0.0000"},
		{-0.00005001, 4, "-0.0001"},
		{math.Inf(-1), 4, "-∞"},
		{math.Inf(1), 4, "∞"},
		{12345678, 2, "1.23e+07"},
		{-9999999, 1, "-9999999.0"},
		{math.NaN(), 3, "NaN"},
	} {
		if got := decimal(c.x, c.digits); got != c.want {
			t.Errorf("%v: %s, want %s", c.x, got, c.want)
		}
	}
	for text, want := range map[string]string{"1e-05": `1\cdot 10^{-5}`, "-1.50e+10": `-1.50\cdot 10^{10}`, "-∞": `-\infty`, "2": "2"} {
		if got := texNumber(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Sentences keep what a format would take for markup.
func TestSentences(t *testing.T) {
	const sentence = "of `W_E`: 2^k, a_b & <-∞"
	for _, c := range []struct{ got, want string }{
		{latexText(sentence), `of \texttt{W\_E}: 2\textasciicircum{}k, a\_b \& $<$$-\infty$`},
		{markdownText(sentence), "of `W_E`: 2^k, a\\_b & &lt;-∞"},
		{string(document.Markup(sentence)), "of <code>W_E</code>: 2<sup><var>k</var></sup>, <var>a</var><sub><var>b</var></sub> &amp; &lt;-∞"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// A page says whose walk it is and what made it, where that is known.
func TestPageSaysItsOrigin(t *testing.T) {
	d := documents(t)["abc"]
	if text := render(t, Formats[3], d); strings.Contains(text, "The model is") {
		t.Error("a page tells of a model that it does not know")
	}
	d.Model, d.Parameters, d.Command = "craft:coin", "n_ctx=4", "foretell walk craft:coin --out <x>.html"
	want := "<p>The model is <code>craft:coin</code> with n_ctx=4. Made by <code>foretell walk craft:coin --out &lt;x&gt;.html</code></p>"
	if text := render(t, Formats[3], d); !strings.Contains(text, want) || !strings.Contains(text, `id="theme"`) {
		t.Errorf("the page does not have %s, or no switch of colours", want)
	}
}

// A matrix of the JSON that names a weight has its numbers, from its offset on, and every
// weight that a formula uses is named.
func TestJSONNamesWeights(t *testing.T) {
	c, err := model.Config{
		NLayers: 2, DModel: 4, NHeads: []int{2}, DMLP: 5, NCtx: 3, DVocab: 3, NormalizationType: "LN",
	}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New[float64](c, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(t.Context(), m, []int32{0, 2}, Defaults)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, s := range d.Sections {
		for _, step := range s.Steps {
			for _, e := range step.Equations {
				data, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				var got struct{ Operands []matrixJSON }
				if err := json.Unmarshal(data, &got); err != nil {
					t.Fatal(err)
				}
				for _, o := range got.Operands {
					if o.Weight == "" {
						continue
					}
					weight := m.Weights.Get(o.Weight)
					if !slices.Equal(o.WeightShape, weight.Shape) {
						t.Errorf("%s: shape %v, want %v", o.Weight, o.WeightShape, weight.Shape)
					}
					for n := range o.Rows * o.Columns {
						named[fmt.Sprint(o.Weight, *o.WeightOffset+n)] = true
						if got, want := *o.Values[n/o.Columns][n%o.Columns], weight.Data[*o.WeightOffset+n]; got != want {
							t.Errorf("%s: number %d is %v, want %v", o.Weight, n, got, want)
						}
					}
				}
			}
		}
	}
	if got, want := len(named), c.Parameters(); got != want {
		t.Errorf("%d weights are named, want %d", got, want)
	}
}
