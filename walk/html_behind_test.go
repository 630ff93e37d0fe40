package walk

import (
	"bytes"
	"encoding/json"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/needs"
	"foretell/model"
)

// asks focuses each number of a page one after the other and writes down what is then
// shown behind it.
const asks = `<script>
document.body.append(Object.assign(document.createElement("pre"), {id: "answers", textContent: JSON.stringify(
  [...document.querySelectorAll("table.matrix[data-e] tbody td, td.n[data-e]")].map(cell => {
    cell.dispatchEvent(new Event("focusin", {bubbles: true}));
    return {
      cell: cell.classList.contains("z") ? "0" : cell.textContent,
      lines: [...document.querySelectorAll("#behind p")].map(p => p.textContent),
      hits: document.querySelectorAll("mtd.hit").length,
    };
  }))}));
</script></body>`

var (
	policyTag = regexp.MustCompile(`<meta http-equiv=.*\n`)
	answers   = regexp.MustCompile(`(?s)<pre id="answers">(.*?)</pre>`)
)

// What the page's script finds behind a number ends in that number, and the sum that it
// shows worked out adds up to it.
func TestBehindTheNumbers(t *testing.T) {
	browser := needs.Program(t, "chromium", "chromium")
	docs := documents(t)
	docs["layers"], docs["zeros"] = sinusoidal(t), zeroValues(t)
	for name, d := range docs {
		page := policyTag.ReplaceAllString(render(t, Formats[3], d), "")
		path := filepath.Join(t.TempDir(), "walk.html")
		if err := os.WriteFile(path, []byte(strings.Replace(page, "</body>", asks, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
			"--dump-dom", "file://"+path)
		cmd.Stderr = &log
		dom, err := cmd.Output()
		found := answers.FindSubmatch(dom)
		if err != nil || found == nil {
			t.Fatalf("%s: %v, no answers in %d bytes\n%s", name, err, len(dom), &log)
		}
		checkAnswers(t, name, []byte(html.UnescapeString(string(found[1]))))
	}
}

func checkAnswers(t *testing.T, name string, data []byte) {
	t.Helper()
	var list []struct {
		Cell  string
		Lines []string
		Hits  int
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 50 {
		t.Errorf("%s: %d numbers can be asked about", name, len(list))
	}
	hits, zeros := 0, 0 // zeros whose products are shown
	for _, a := range list {
		hits += min(a.Hits, 1)
		if len(a.Lines) < 2 || a.Lines[len(a.Lines)-1] != "= "+a.Cell {
			t.Errorf("%s: behind %s: %q", name, a.Cell, a.Lines)
			continue
		}
		if product := strings.Contains(a.Lines[1], " · "); a.Cell == "0" && product {
			zeros++
		}
		for _, line := range a.Lines[1:] {
			x, ok := added(strings.TrimPrefix(line, "= "))
			if want, err := number(a.Cell); ok && err == nil && math.Abs(x-want) > 0.02*(1+math.Abs(want)) {
				t.Errorf("%s: %s adds up to %v, want %v", name, line, x, want)
			}
		}
	}
	if name == "zeros" && zeros == 0 {
		t.Errorf("%s: no sum stands behind a 0", name)
	}
	if hits < len(list)/2 {
		t.Errorf("%s: of %d numbers %d show what they are made of", name, len(list), hits)
	}
}

// added adds up a line of numbers with signs between; ok is false for another line.
func added(line string) (total float64, ok bool) {
	line = smaller.ReplaceAllString(line, "")
	line = strings.ReplaceAll(strings.ReplaceAll(line, " + ", " "), " − ", " −")
	for field := range strings.FieldsSeq(line) {
		x, err := number(field)
		if err != nil {
			return 0, false
		}
		total += x
	}
	return total, true
}

var smaller = regexp.MustCompile(` \(\d+ smaller terms\)`)

func number(text string) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
}

// sinusoidal is the walk of a model with two layers, positions that are sines, and
// products of more terms than are shown one by one.
func sinusoidal(t *testing.T) *Document {
	t.Helper()
	m, err := model.New[float64](model.Config{
		DModel: 12, NLayers: 2, NHeads: model.Heads{1, 2}, DHead: 2, DMLP: 10, NCtx: 4, DVocab: 3,
		PositionalEmbeddingType: "sinusoidal", ActFn: "relu", TieUnembed: true, NormalizationType: "LNPre",
	}, 2)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults
	o.Size = 12
	d, err := New(t.Context(), m, []int32{0, 2, 1, 0}, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// zeroValues is the walk of a model whose values are all 0, a few terms each.
func zeroValues(t *testing.T) *Document {
	t.Helper()
	m, err := model.New[float64](model.Config{
		DModel: 4, NLayers: 1, NHeads: model.Heads{1}, DHead: 2, DMLP: 4, NCtx: 4, DVocab: 3, ActFn: "relu",
		PositionalEmbeddingType: "learned", NormalizationType: "none",
	}, 3)
	if err != nil {
		t.Fatal(err)
	}
	clear(m.Weights.Get("blocks.0.attn.W_V").Data)
	d, err := New(t.Context(), m, []int32{0, 2, 1, 0}, Defaults)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
