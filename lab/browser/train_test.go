package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A newcomer presses Train and watches Mess3's beliefs appear. Reloading the page in the
// middle, and a second tab, lose nothing and change nothing: the run ends in the bits of
// the command that the page names, and in the fractal that was looked at.
func TestTrain(t *testing.T) {
	b, l := Start(t), startLab(t)
	p := b.Open(t, l.at("dials", "d_model=32;num_steps=900"), Views[0])
	press(p, "Train")
	waitFor(p, `document.querySelectorAll(".clouds canvas").length === 4`)
	address := Eval[string](p, "location.search")
	name := regexp.MustCompile(`run=([^&]+)`).FindStringSubmatch(address)
	if name == nil {
		t.Fatalf("the address %s names no run", address)
	}
	p.Do(chromedp.Reload())
	second := b.Open(t, l.at("run", name[1]), Views[2])
	waitFor(p, `document.body.textContent.includes("Time: step 900")`)
	want := fractal(t, p, name[1]+"@900")
	for _, page := range []*Page{p, second} {
		waitFor(page, `[...document.querySelectorAll(".facts dd")].some(e => e.textContent === "complete")`)
		waitFor(page, fmt.Sprintf(`[...document.querySelectorAll(".clouds .r2")].at(-1).textContent === "R² = %.3f"`, want))
		if want < 0.98 {
			t.Errorf("R² of the last stage is %g", want)
		}
		learned := textOf(page, ".learned")
		if share, err := strconv.ParseFloat(strings.TrimSuffix(learned, " %"), 64); err != nil || share < 90 {
			t.Errorf("the page says that %q is learned", learned)
		}
		audited(t, page, map[*Page]View{p: Views[0], second: Views[2]}[page], "train")
	}
	command := textOf(p, ".command code") // names the run; the configuration is in its folder
	if want := "foretell plot " + filepath.Join("runs", name[1]); !strings.Contains(textOf(p, "main"), want) {
		t.Errorf("no command %q near the curves (the first is %q)", want, command)
	}
	l.foretell(t, "train", filepath.Join("runs", name[1], "config.yaml"), "--out", "alone")
	page, err := os.ReadFile(filepath.Join(l.dir, "runs", name[1], "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := os.ReadFile(filepath.Join(l.dir, "alone", "metrics.jsonl"))
	if err != nil || string(page) != string(alone) {
		t.Errorf("the run of the page has other metrics than the command's, %v", err)
	}
	l.foretell(t, "runs", "check", filepath.Join("runs", name[1]))
}

// A training run is paused, continued and branched with another rate.
func TestPauseContinueAndBranch(t *testing.T) {
	b, l := Start(t), startLab(t)
	p := b.Open(t, l.at("dials", "d_model=32;num_steps=6000"), Views[0])
	press(p, "Train")
	waitFor(p, `document.querySelectorAll(".clouds canvas").length === 4`)
	press(p, "Pause")
	waitFor(p, `[...document.querySelectorAll("button")].some(b => b.textContent === "Continue")`)
	first := Eval[string](p, "location.search")
	press(p, "Continue")
	waitFor(p, `[...document.querySelectorAll("button")].some(b => b.textContent === "Pause")`)
	press(p, "Pause")
	waitFor(p, `[...document.querySelectorAll("button")].some(b => b.textContent === "Continue")`)
	Eval[*bool](p, `void [...document.querySelectorAll("button")].find(b => b.textContent.startsWith("Train from step")).click()`)
	waitFor(p, `location.search !== `+strconv.Quote(first)+` && document.querySelector(".learned")`)
	press(p, "Pause")
	waitFor(p, `[...document.querySelectorAll("button")].some(b => b.textContent === "Continue")`)
	if text := textOf(p, ".problem"); text != "" {
		t.Errorf("the page says %q", text)
	}
}

// What is wrong with a configuration is said in one line.
func TestWrongConfiguration(t *testing.T) {
	b, l := Start(t), startLab(t)
	p := b.Open(t, l.at("config", "process: {name: mess4}\n"), Views[0])
	press(p, "Train")
	waitFor(p, `document.querySelector(".problem")`)
	if text := textOf(p, ".problem"); !strings.Contains(text, "config.yaml:1:") || !strings.Contains(text, "mess3") {
		t.Errorf("the page says %q", text)
	}
	for _, f := range p.Faults() { // the browser reports the status of the refused request
		if !strings.Contains(f.Text, "400") {
			t.Errorf("%+v", f)
		}
	}
}

// The page of a run has the attention of the step that it shows, as the command prints
// it.
func TestTrainShowsAttention(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("run", "first"), Views[0])
	waitFor(p, `document.querySelectorAll(".pattern").length === 2`)
	command := Eval[string](p, `[...document.querySelectorAll(".command code")].map(c => c.textContent).find(c => c.startsWith("foretell look"))`)
	seen := jsonOf[struct{ Patterns [][][][]float64 }](t, l, strings.Fields(command)[1:]...)
	text := textOf(p, "main")
	for h, pattern := range seen.Patterns[0] {
		row := ""
		for _, x := range pattern[len(pattern)-1] {
			row += strconv.FormatFloat(x, 'f', 4, 64)
		}
		if !strings.Contains(text, row) {
			t.Errorf("head %d: the page has no row %q", h, row)
		}
	}
}
