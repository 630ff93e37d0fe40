package browser

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// trained starts a laboratory with a small run that is named first.
func trained(t *testing.T) *laboratory {
	t.Helper()
	config, err := filepath.Abs(filepath.Join("..", "..", "examples", "mess3.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return startLab(t, []string{
		"train", config, "--set", "model.d_model=4", "--set", "model.n_heads=2", "--set", "model.d_mlp=6",
		"--set", "model.n_ctx=4", "--set", "train.num_steps=40", "--out", "runs/first",
	})
}

// jsonOf returns what a command prints with --json.
func jsonOf[T any](t *testing.T, l *laboratory, args ...string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(l.foretell(t, append(args, "--json")...)), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Each view of the page Inside is without faults, at both widths and in both themes.
func TestInsideViews(t *testing.T) {
	b, l := Start(t), trained(t)
	ready := map[string]string{
		"predict": ".pattern", "probe": ".clouds .r2", "steer": ".triangle", "patch": "figure img", "ablate": "figure img",
	}
	for _, view := range Views {
		for name, element := range ready {
			p := b.Open(t, l.at("page", "inside", "model", "first", "tokens", "0,1,2", "corrupt", "1,1,2", "view", name), view)
			waitFor(p, fmt.Sprintf("document.querySelector(%q)", element))
			if text := textOf(p, ".problem"); text != "" {
				t.Errorf("%s: the page says %q", name, text)
			}
			audited(t, p, view, name)
		}
	}
}

// The numbers of the page are those of the commands that it names.
func TestInsideNumbers(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "inside", "model", "first", "tokens", "0,1,2"), Views[0])
	checkInside(t, p, l)
}

// checkInside compares the page Inside for the run first, after 0,1,2, with commands.
func checkInside(t *testing.T, p *Page, l *laboratory) {
	t.Helper()
	waitFor(p, `document.querySelector(".pattern")`)
	settle(p)
	predicted := jsonOf[struct {
		Model, Optimal []float64
		KL             float64
	}](t, l, "predict", "runs/first", "--tokens", "0,1,2")
	text := Eval[string](p, "document.body.textContent")
	for z := range predicted.Model {
		if want := fmt.Sprintf("%d%.6f%.6f", z, predicted.Model[z], predicted.Optimal[z]); !strings.Contains(text, want) {
			t.Errorf("the page has no row %q", want)
		}
	}
	seen := jsonOf[struct {
		Patterns [][][][]float64
	}](t, l, "look", "runs/first", "--tokens", "0,1,2")
	for layer, heads := range seen.Patterns {
		for h, pattern := range heads {
			last := pattern[2]
			want := fmt.Sprintf("Head %d.%d: numbers", layer, h)
			row := fmt.Sprintf("2: 2%.4f%.4f%.4f", last[0], last[1], last[2])
			if !strings.Contains(text, want) || !strings.Contains(text, row) {
				t.Errorf("the page has no row %q of %q", row, want)
			}
		}
	}
	for _, command := range []string{"foretell predict runs/first --tokens 0,1,2", "foretell look runs/first --tokens 0,1,2"} {
		if !strings.Contains(text, command) {
			t.Errorf("the page does not name %q", command)
		}
	}
	Eval[*bool](p, `void document.querySelector("[aria-label='Add the token 2']").click()`)
	waitFor(p, `document.body.textContent.includes("foretell look runs/first --tokens 0,1,2,2")`)
}

// Arrow keys move among the views, and the address follows.
func TestInsideByKeyboard(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "inside", "model", "first", "tokens", "0,1,2"), Views[0])
	waitFor(p, `document.querySelector(".pattern")`)
	p.Do(chromedp.Focus(chromedp.CSS("[role=tab][aria-selected=true]")), chromedp.KeyEvent(kb.End))
	waitFor(p, `document.activeElement.id === "tab-ablate" && location.search.includes("view=ablate")`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	waitFor(p, `document.activeElement.id === "tab-predict" && !location.search.includes("view=")`)
}

// A part that is ticked is removed, and costs what the command says.
func TestInsideTakesHeadsAway(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "inside", "model", "first", "tokens", "0,1,2", "view", "ablate", "off", "0.0;0.1"), Views[0])
	waitFor(p, `document.body.textContent.includes("--head 0.0,0.1")`)
	damaged := jsonOf[struct {
		Parts []struct {
			Name   string
			Damage float64
		}
	}](t, l, "ablate", "runs/first", "--head", "0.0,0.1", "--with", "mean")
	row := Eval[string](p, `[...document.querySelectorAll("table")].find(t => t.caption?.textContent === "Without what is ticked")?.tBodies[0].textContent ?? ""`)
	if want := damaged.Parts[0].Name; !strings.HasPrefix(row, want) {
		t.Errorf("the page has %q, want %q", row, want)
	}
}
