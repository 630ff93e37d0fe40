package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// drag moves the mouse with its button held.
func drag(p *Page, from, to [2]float64) {
	p.t.Helper()
	p.Do(chromedp.DragAndDropXY(from[0], from[1], to[0], to[1], 4))
}

// steeredTo returns the belief of the address.
func steeredTo(p *Page) string {
	return Eval[string](p, `new URLSearchParams(location.search).get("belief") ?? ""`)
}

// The belief is moved by mouse, keys and sliders; the numbers are those of the command.
func TestSteer(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "inside", "view", "steer", "model", "first", "tokens", "0,1,2"), Views[0])
	waitFor(p, `document.querySelector(".triangle")`)
	Eval[*bool](p, `void document.querySelector(".triangle svg").scrollIntoView({block: "center"})`)
	disc := Eval[[2]float64](p, `(b => [b.left + b.width / 2, b.top + b.height / 2])(document.querySelector(".now").getBoundingClientRect())`)
	drag(p, disc, [2]float64{disc[0] - 40, disc[1] - 60})
	waitFor(p, `location.search.includes("belief=")`)
	dragged := steeredTo(p)
	p.Do(chromedp.Focus(chromedp.CSS(".triangle svg")), chromedp.KeyEvent(kb.ArrowRight))
	waitFor(p, fmt.Sprintf(`new URLSearchParams(location.search).get("belief") !== %q`, dragged))
	p.Do(chromedp.Focus(chromedp.CSS("[aria-label='Belief in 2']")), chromedp.KeyEvent(kb.End))
	waitFor(p, `new URLSearchParams(location.search).get("belief") === "0,0,1"`)
	waitFor(p, `document.querySelector("#view .command code").textContent.endsWith("--belief 0,0,1")`)
	type answer struct {
		Optimal []float64
		Moves   []struct {
			Model, Read []float64
			KL          float64
		}
	}
	printed := jsonOf[answer](t, l, "steer", "runs/first", "--tokens", "0,1,2", "--belief", "0,0,1")
	text := Eval[string](p, `document.querySelector("#view").textContent`)
	for z, q := range printed.Optimal {
		row := fmt.Sprintf("%d%.6f", z, q)
		for _, m := range printed.Moves {
			row += fmt.Sprintf("%.6f", m.Model[z])
		}
		if !strings.Contains(text, row) {
			t.Errorf("the page has no row %q", row)
		}
	}
	for _, view := range Views {
		p := b.Open(t, l.at("page", "inside", "view", "steer", "model", "first", "tokens", "0,1,2", "belief", "0.1,0.2,0.7"), view)
		waitFor(p, `document.querySelector(".steered")`)
		audited(t, p, view, "steering")
	}
}

// What cannot be moved is said in one line.
func TestSteerWithoutStates(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "inside", "view", "steer", "model", "craft:coin", "craft", "n_ctx=8", "tokens", "BOS,heads"), Views[0])
	waitFor(p, `document.querySelector("#view .problem")`)
	if text := textOf(p, "#view .problem"); !strings.Contains(text, "has no hidden states") {
		t.Errorf("the page says %q", text)
	}
	for _, f := range p.Faults() { // the browser reports the status of the refused request
		if !strings.Contains(f.Text, "400") {
			t.Errorf("%+v", f)
		}
	}
}
