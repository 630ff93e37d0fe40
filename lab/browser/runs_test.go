package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// smallRun is a configuration that trains in a moment.
const smallRun = "process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}\n" +
	"train: {seed: 1, batch_size: 16, num_steps: 40, lr: 1e-2, evaluate_every: 10}\n"

// withRuns starts a laboratory with two runs that differ in their rate.
func withRuns(t *testing.T) *laboratory {
	t.Helper()
	l := startLab(t)
	if err := os.WriteFile(filepath.Join(l.dir, "c.yaml"), []byte(smallRun), 0o666); err != nil {
		t.Fatal(err)
	}
	l.foretell(t, "train", "c.yaml", "--out", "runs/first")
	l.foretell(t, "train", "c.yaml", "--set", "train.lr=0.001", "--out", "runs/group/second")
	return l
}

// column returns the texts of the cells of a table by a selector.
func column(p *Page, selector string) []string {
	return Eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent)`, selector))
}

// The table has the runs of the command, and the comparison its settings and numbers.
func TestRuns(t *testing.T) {
	b, l := Start(t), withRuns(t)
	var plotted struct {
		Settings []struct {
			Setting string
			Values  []string
		}
		Runs []struct{ Evaluations []struct{ KL float64 } }
	}
	text := l.foretell(t, "plot", "runs/first", "runs/group/second", "--json")
	if err := json.Unmarshal([]byte(text), &plotted); err != nil {
		t.Fatal(err)
	}
	for _, view := range Views {
		p := b.Open(t, l.at("page", "runs", "sort", "-run", "runs", "first;group/second"), view)
		waitFor(p, `document.querySelector(".differences") && document.querySelector(".runs tbody th")`)
		if got := strings.Join(column(p, ".runs tbody th"), " "); got != "group/second first" {
			t.Errorf("the runs are %q", got)
		}
		want := plotted.Settings[0]
		got := strings.Join(column(p, ".differences tbody tr:first-child > *"), " ")
		if got != want.Setting+" "+strings.Join(want.Values, " ") {
			t.Errorf("the page says that %q differs, and the command %v", got, want)
		}
		last := fmt.Sprintf("%.5f", plotted.Runs[0].Evaluations[4].KL)
		if got := column(p, ".chart details td"); got[len(got)-2] != last {
			t.Errorf("the last KL is %v on the page and %s in the command", got, last)
		}
		audited(t, p, view, "runs")
	}
}

// The keyboard sorts and ticks; a reload shows the same.
func TestRunsByKeyboard(t *testing.T) {
	b, l := Start(t), withRuns(t)
	p := b.Open(t, l.at("page", "runs"), Views[0])
	waitFor(p, `document.querySelector(".runs tbody tr")`)
	p.Do(chromedp.Focus(chromedp.CSS(".runs th:nth-child(2) button")), chromedp.KeyEvent(kb.Enter))
	waitFor(p, `document.querySelector(".runs th:nth-child(2)").ariaSort === "ascending"`)
	p.Do(chromedp.KeyEvent(kb.Enter))
	waitFor(p, `document.querySelector(".runs th:nth-child(2)").ariaSort === "descending"`)
	p.Do(chromedp.Focus(chromedp.CSS(`[aria-label="Compare first"]`)), chromedp.KeyEvent(" "))
	waitFor(p, `document.querySelector(".chart") && location.search.includes("runs=first") && location.search.includes("sort=-run")`)
	p.Do(chromedp.Reload())
	waitFor(p, `document.querySelector(".chart") && document.querySelector('[aria-label="Compare first"]').checked`)
}

// Without runs the page says how to make one.
func TestNoRuns(t *testing.T) {
	b, l := Start(t), startLab(t)
	p := b.Open(t, l.at("page", "runs"), Views[2])
	waitFor(p, `document.body.textContent.includes("foretell train examples/mess3.yaml")`)
}

// Runs have the same names on all pages, below whatever folder.
func TestNestedRuns(t *testing.T) {
	const folder = "runs/a study"
	b := Start(t)
	l := startLabWith(t, []string{"--runs", folder})
	if err := os.WriteFile(filepath.Join(l.dir, "c.yaml"), []byte(smallRun), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "group/second"} {
		l.foretell(t, "train", "c.yaml", "--out", filepath.Join(folder, name))
	}
	p := b.Open(t, l.at("page", "runs"), Views[0])
	waitFor(p, `document.querySelectorAll(".runs tbody tr").length === 2`)
	if got := strings.Join(column(p, ".runs tbody th"), " "); got != "first group/second" {
		t.Errorf("the runs are %q", got)
	}
	p = b.Open(t, l.at("page", "inside"), Views[0])
	waitFor(p, `document.querySelector(".pattern")`)
	if got := strings.Join(column(p, "select option")[:2], " "); got != "first group/second" {
		t.Errorf("the models begin with %q", got)
	}
	if text := textOf(p, ".problem"); text != "" {
		t.Errorf("the page says %q", text)
	}
}
