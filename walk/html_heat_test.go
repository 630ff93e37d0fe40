package walk

import (
	"bytes"
	"encoding/json"
	"html"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/needs"
	"foretell/model"
)

// wide is the walk of a model whose matrices are too wide for numbers.
func wide(t *testing.T, width, layers, tokens int) *Document {
	t.Helper()
	m, err := model.New[float64](model.Config{
		DModel: width, NLayers: layers, NHeads: model.Heads{2}, NCtx: tokens, DVocab: 3, ActFn: "gelu",
	}, 4)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults
	o.Names = []string{"A", "B", "C"}
	list := make([]int32, tokens)
	for i := range list {
		list[i] = int32(i % 3)
	}
	d, err := New(t.Context(), m, list, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// large returns the equations of a document whose results are heat maps, in order.
func large(d *Document) []Equation {
	var list []Equation
	for _, s := range append(d.Sections, Section{Steps: []Step{d.Attribution.Direction}}) {
		for _, step := range s.Steps {
			for _, e := range step.Equations {
				if e.Result().summarised(d.Size) {
					list = append(list, e)
				}
			}
		}
	}
	return list
}

// opens focuses each heat map, moves its cursor to the left edge and then by three cells,
// and writes down what each position shows; then it closes the map.
const opens = `<script>
document.body.append(Object.assign(document.createElement("pre"), {id: "answers", textContent: JSON.stringify(
  [...document.querySelectorAll(".heat [data-e]")].map(map => {
    const key = key => map.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    const shown = () => ({
      cell: map.dataset.cell, lines: [...document.querySelectorAll("#behind p")].map(p => p.textContent),
    });
    map.dispatchEvent(new Event("focus"));
    const first = shown();
    for (const k of ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown"]) key(k);
    const second = shown(), open = !document.getElementById("behind").hidden;
    key("Escape");
    return {first, second, open, closed: document.getElementById("behind").hidden, tab: map.tabIndex};
  }))}));
</script></body>`

// Each result that is too large for numbers is a heat map. The keyboard reaches its
// cells, each shows the value of the result and the sum behind it, and Escape closes
// them.
func TestHeatMapsOpen(t *testing.T) {
	browser := needs.Program(t, "chromium", "chromium")
	d := wide(t, 64, 1, 5)
	page := policyTag.ReplaceAllString(render(t, Formats[3], d), "")
	path := filepath.Join(t.TempDir(), "walk.html")
	if err := os.WriteFile(path, []byte(strings.Replace(page, "</body>", opens, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	dom, err := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--dump-dom", "file://"+path).Output()
	found := answers.FindSubmatch(dom)
	if err != nil || found == nil {
		t.Fatalf("%v, no answers in %d bytes", err, len(dom))
	}
	type view struct {
		Cell  string
		Lines []string
	}
	var maps []struct {
		First, Second view
		Open, Closed  bool
		Tab           int
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &maps); err != nil {
		t.Fatal(err)
	}
	equations := large(d)
	if len(maps) != len(equations) || len(maps) < 10 {
		t.Fatalf("%d heat maps for %d large results", len(maps), len(equations))
	}
	for k, got := range maps {
		m := equations[k].Result()
		down := min(1, m.Rows-1)
		if !got.Open || !got.Closed || got.Tab != 0 || got.First.Cell != "0,0" || got.Second.Cell != strconv.Itoa(down)+",2" {
			t.Errorf("%s: %+v", equations[k], got)
		}
		for _, v := range []struct {
			view
			value float64
		}{{got.First, m.At(0, 0)}, {got.Second, m.At(down, 2)}} {
			want := "= " + strings.ReplaceAll(decimal(v.value, d.Digits), "-", "−")
			if n := len(v.Lines); n < 2 || v.Lines[n-1] != want && v.value != 0 && math.Abs(v.value) > 1e-3 {
				t.Errorf("%s: %q, want the last line %s", equations[k], v.Lines, want)
			} else if x, ok := added(strings.TrimPrefix(v.Lines[n-2], "= ")); n > 2 && ok && math.Abs(x-v.value) > 0.02 {
				t.Errorf("%s: %q adds up to %v, want %v", equations[k], v.Lines[n-2], x, v.value)
			}
		}
	}
	if lines := maps[0].Second.Lines; lines[0] != "E, row 1 “B”, column 2" {
		t.Errorf("a heat map's cell is %q", lines[0])
	}
}

// A page of a model with hundreds of thousands of parameters stays small: sums end at
// mostBehind numbers, heat maps at mostHeat more.
func TestHeatMapsAreBounded(t *testing.T) {
	d := wide(t, 128, 4, 12)
	page := render(t, Formats[3], d)
	if maps := strings.Count(page, `class="heat"`); maps < 10 || len(page) > 5<<20 {
		t.Errorf("%d heat maps in %d bytes", maps, len(page))
	}
}

// The picture of a matrix has a pixel for each entry, blue above 0 and orange below it;
// what a mask hides is transparent.
func TestHeatPicture(t *testing.T) {
	m := newMatrix(2, 2, []float64{1, -1, math.Inf(-1), 0})
	picture, err := png.Decode(bytes.NewReader(heatPicture(m, magnitude(m))))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][4]uint32{{0x0a, 0x5c, 0xad, 0xff}, {0xa3, 0x4a, 0x00, 0xff}, {}, {0xf2, 0xf2, 0xf2, 0xff}} {
		r, g, b, a := picture.At(i%2, i/2).RGBA()
		if got := [4]uint32{r >> 8, g >> 8, b >> 8, a >> 8}; got != want {
			t.Errorf("entry %d is %x, want %x", i, got, want)
		}
	}
}
