package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// controls is JavaScript that returns what a reader can use on a page. Of radio buttons
// and tabs, it is the chosen one: arrow keys lead to the others.
const controls = `[...document.querySelectorAll("a[href], button:not(:disabled), input:not(:disabled)," +
	"select:not(:disabled), textarea, summary, [tabindex='0']")]
	.filter(e => e.checkVisibility() && !e.matches("[role=tab][tabindex='-1']"))
	.filter((e, i, all) => e.type !== "radio" ||
		e === (all.find(o => o.name === e.name && o.checked) ?? all.find(o => o.name === e.name)))`

// Tab alone reaches each link, button and field of every page, and the focus is seen.
func TestTabReachesEverything(t *testing.T) {
	b, l := Start(t), claimed(t)
	for _, page := range shownPages {
		p := b.Open(t, l.at(append([]string{"page", page.name}, page.at...)...), Views[0])
		waitFor(p, page.ready)
		settle(p)
		number := Eval[int](p, `(() => {
			window.focused = new Map()
			addEventListener("focusin", event => {
				const shown = getComputedStyle(event.target)
				const seen = shown.outlineStyle !== "none" || shown.boxShadow !== "none"
				window.focused.set(event.target, seen || window.focused.get(event.target)) // a window may lose the focus
			})
			document.activeElement?.blur()
			return `+controls+`.length
		})()`)
		for range number + 5 {
			p.Do(chromedp.KeyEvent(kb.Tab))
		}
		type control struct{ Text, Why string }
		missed := Eval[[]control](p, controls+`
			.map(e => ({Text: (e.ariaLabel ?? e.labels?.[0]?.textContent ?? e.textContent).slice(0, 60),
				Why: !window.focused.has(e) ? "is not reached" : window.focused.get(e) ? "" : "does not show the focus"}))
			.filter(e => e.Why)`)
		for _, m := range missed {
			t.Errorf("%s %v: %q %s", page.name, page.at, m.Text, m.Why)
		}
		if number < 12 {
			t.Errorf("%s %v has only %d controls", page.name, page.at, number)
		}
	}
}

// A screen reader names everything that it stops at, and says what each picture shows.
func TestTreeNamesEverything(t *testing.T) {
	b, l := Start(t), claimed(t)
	for _, page := range shownPages {
		p := b.Open(t, l.at(append([]string{"page", page.name}, page.at...)...), Views[0])
		waitFor(p, page.ready)
		settle(p)
		tree := p.Tree()
		t.Logf("%s %v:\n%s", page.name, page.at, strings.Join(tree, "\n"))
		headings := 0
		for _, line := range tree {
			role, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch role {
			case "heading":
				headings++
			case "button", "link", "textbox", "spinbutton", "combobox", "slider", "checkbox", "radio", "image", "table", "tab":
			default:
				continue
			}
			if name, _, _ := strings.Cut(strings.TrimPrefix(rest, `"`), `"`); strings.TrimSpace(name) == "" || !strings.HasPrefix(rest, `"`) {
				t.Errorf("%s %v: %s has no name", page.name, page.at, line)
			}
		}
		if headings < 1 {
			t.Errorf("%s %v has no heading", page.name, page.at)
		}
	}
}
