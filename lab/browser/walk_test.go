package browser

import (
	"fmt"
	"strings"
	"testing"
)

// A weight that is changed on the page Walk changes what follows, as walk --set does; to
// undo it restores the numbers.
func TestWalkChangesWeights(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "walk", "model", "first", "tokens", "0,1"), Views[0])
	const field = `document.querySelector("[aria-label='unembed.W_U[0,1]']")`
	waitFor(p, field)
	before := Eval[string](p, field+".value")
	Eval[*bool](p, `void (() => {
		const field = `+field+`
		field.value = "0.75"
		field.dispatchEvent(new Event("change", {bubbles: true}))
	})()`)
	waitFor(p, `document.body.textContent.includes("Logits after the last token")`)
	type walked struct {
		Sections []struct {
			Steps []struct {
				Title     string
				Equations []struct {
					Result struct{ Values [][]float64 }
				}
			}
		}
	}
	logits := func(args ...string) []float64 {
		d := jsonOf[walked](t, l, append([]string{"walk", "runs/first", "--tokens", "0,1"}, args...)...)
		for _, step := range d.Sections[len(d.Sections)-1].Steps {
			if step.Title == "Logits" {
				return step.Equations[0].Result.Values[1]
			}
		}
		t.Fatal("no logits")
		return nil
	}
	was, now := logits(), logits("--set", "unembed.W_U[0,1]=0.75")
	text := Eval[string](p, "document.body.textContent")
	for z := range was {
		if want := fmt.Sprintf("%d%.4f%.4f", z, was[z], now[z]); !strings.Contains(text, want) {
			t.Errorf("the page has no row %q", want)
		}
	}
	if was[1] == now[1] {
		t.Error("the change changes no logit")
	}
	press(p, "Undo")
	waitFor(p, field+`.value === "`+before+`"`)
}

// The page is without faults, at both widths and in both themes.
func TestWalkViews(t *testing.T) {
	b, l := Start(t), trained(t)
	for _, view := range Views {
		p := b.Open(t, l.at("page", "walk", "model", "first", "tokens", "0,1", "set", "unembed.W_U[0,1]=0.75"), view)
		waitFor(p, `document.querySelector(".changes") && document.querySelector("input.weight.changed")`)
		audited(t, p, view, "walk")
	}
}
