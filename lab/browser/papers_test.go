package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shownReport is what `foretell reproduce --show` prints.
type shownReport []struct {
	Ledger struct {
		Claims []struct{ ID, Obtained, Verdict string }
	}
}

// A claim without a report has its text; the keyboard computes it, and the page then has
// what the command prints, with its figure.
func TestPapers(t *testing.T) {
	b, l := Start(t), startLab(t)
	p := b.Open(t, l.at("page", "papers", "document", "coin", "row", "C2"), Views[0])
	waitFor(p, `document.querySelector(".obtained")`)
	if got := textOf(p, ".obtained"); got != "not computed on this machine yet" {
		t.Errorf("the page says %q", got)
	}
	p.Do(chromedp.Focus(chromedp.CSS("button.main")), chromedp.KeyEvent(kb.Enter))
	waitFor(p, `document.querySelector("figure img")?.naturalWidth > 0`)
	var reports shownReport
	if err := json.Unmarshal([]byte(l.foretell(t, "reproduce", "--show", "reports/coin-quick", "--json")), &reports); err != nil {
		t.Fatal(err)
	}
	for _, view := range Views {
		p := b.Open(t, l.at("page", "papers", "document", "coin", "row", "C2"), view)
		waitFor(p, `document.querySelector("figure img")?.naturalWidth > 0`)
		claim := reports[0].Ledger.Claims[0]
		if got := textOf(p, ".obtained"); got != claim.Obtained {
			t.Errorf("the page has %q and the command %q", got, claim.Obtained)
		}
		if got := textOf(p, "h2 .verdict"); !strings.Contains(got, claim.Verdict) {
			t.Errorf("the verdict is %q, want %s in words", got, claim.Verdict)
		}
		if alt := Eval[string](p, `document.querySelector("figure img").alt`); !strings.Contains(alt, "What the bullets omit") {
			t.Errorf("the figure is described by %q", alt)
		}
		audited(t, p, view, "papers")
	}
}

// Markup in a ledger and in a figure is text.
func TestHostileLedger(t *testing.T) {
	b, l := Start(t), startLab(t)
	l.foretell(t, "reproduce", "coin", "--only", "C2")
	path := filepath.Join(l.dir, "reports", "coin-quick", "claims.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const markup = `<img src=x onerror=document.title='taken'><script>document.title='taken'</script>`
	var ledger map[string]any
	if err := json.Unmarshal(data, &ledger); err != nil {
		t.Fatal(err)
	}
	claim := ledger["claims"].([]any)[0].(map[string]any)
	for _, field := range []string{"statement", "obtained", "expected"} {
		claim[field] = markup
	}
	claim["captions"], claim["notes"] = []string{markup}, []string{markup}
	if data, err = json.Marshal(ledger); err != nil {
		t.Fatal(err)
	}
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="document.title='taken'"><title>&lt;b></title><script>document.title='taken'</script></svg>`
	figure := filepath.Join(l.dir, "reports", "coin-quick", claim["figures"].([]any)[0].(string))
	for file, text := range map[string]string{path: string(data), figure: svg} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Open(t, l.at("page", "papers", "document", "coin", "row", "C2"), Views[0])
	waitFor(p, `document.querySelector("figure img")?.naturalWidth > 0`)
	if got := textOf(p, ".obtained"); got != markup {
		t.Errorf("the page shows %q", got)
	}
	if title := Eval[string](p, "document.title"); title != "Papers – foretell" {
		t.Errorf("the title is %q", title)
	}
}

// A claim that is being computed says how far it is, on every page, and can be stopped
// and continued.
func TestStopAndContinueClaim(t *testing.T) {
	b, l := Start(t), startLab(t)
	p := b.Open(t, l.at("page", "papers", "document", "abc", "row", "A1"), Views[0])
	waitFor(p, `document.querySelector("button.main")`)
	press(p, "Compute A1")
	second := b.Open(t, l.at("page", "papers", "document", "abc", "row", "A1"), Views[2])
	for _, page := range []*Page{p, second} {
		waitFor(page, `/steps/.test(document.querySelector(".working").textContent)`)
	}
	press(second, "Stop A1")
	for _, page := range []*Page{p, second} {
		waitFor(page, `!document.querySelector(".working") && !document.querySelector("button.main").disabled`)
		if text := textOf(page, ".problem"); text != "" {
			t.Errorf("the page says %q", text)
		}
	}
	press(p, "Compute A1")
	waitFor(p, `document.querySelector("h2 .verdict")`)
	if got := textOf(p, "button.main"); got != "Recompute A1" {
		t.Errorf("the button is %q", got)
	}
}
