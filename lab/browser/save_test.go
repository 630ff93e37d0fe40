package browser

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// saved is a file that a page has offered.
type saved struct {
	Name string
	Text string // base64
}

// savedBy returns the file that a page offers when an expression, such as a click, has
// run. The file's text is taken from the page, which so needs no folder of downloads.
func savedBy(p *Page, expression string) saved {
	p.t.Helper()
	return Eval[saved](p, fmt.Sprintf(`new Promise(resolve => {
		const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click, blobs = new Map()
		URL.createObjectURL = blob => { const url = make(blob); blobs.set(url, blob); return url }
		HTMLAnchorElement.prototype.click = async function () {
			if (!this.download) return click.call(this)
			URL.createObjectURL = make
			HTMLAnchorElement.prototype.click = click
			const bytes = new Uint8Array(await blobs.get(this.href).arrayBuffer())
			let text = ""
			for (const b of bytes) text += String.fromCharCode(b)
			resolve({Name: this.download, Text: btoa(text)})
		}
		void (%s)
	})`, expression))
}

// shownBy is what a page and its saved file have in common.
type shownBy struct {
	Tables   []string // text of each table
	Figures  []string // what each picture shows
	Sentence []string
	Commands []string
	Facts    []string
	Drawn    bool // every image has been decoded
}

// shows reads a page or a saved file.
const shows = `(async () => {
	const all = selector => [...document.querySelectorAll("main " + selector)]
	const texts = selector => all(selector).map(e => e.textContent.trim().replace(/\s+/g, " "))
	const images = all("img")
	await Promise.all(images.map(i => i.decode()))
	const pictures = all("canvas, img, .plot").filter(e => !e.matches(".plot canvas, .if-dark, .if-narrow"))
	return {
		Tables: texts("table"), Sentence: texts("p.sentence").filter(t => !t.startsWith("View: ") && !t.startsWith("Takes some")),
		Commands: texts(".command code"), Facts: texts(".facts dd"),
		Figures: pictures.map(e => e.alt ?? e.ariaLabel),
		Drawn: images.every(i => i.naturalWidth > 0),
	}
})()`

// shownPages are the pages of a laboratory with a run and a claim, in the states that
// show the most.
var shownPages = []struct {
	name  string
	ready string // an element or text that is there at last
	at    []string
}{
	{"train", `document.querySelectorAll(".clouds canvas").length === 4 && document.querySelector(".plot canvas") && document.querySelector(".pattern")`, []string{"run", "first"}},
	{"process", `document.querySelectorAll("figure img").length === 2`, []string{"tokens", "0,1,2"}},
	{"inside", `document.querySelector(".pattern") && document.querySelector(".plot canvas")`, []string{"model", "first", "tokens", "0,1,2"}},
	{"inside", `document.querySelector(".clouds .r2")`, []string{"model", "first", "tokens", "0,1,2", "view", "probe"}},
	{"inside", `document.querySelectorAll(".turns canvas").length === 4`, []string{"model", "first", "tokens", "0,1,2", "view", "probe", "cloud", "space"}},
	{"inside", `document.querySelector(".steered")`, []string{"model", "first", "tokens", "0,1,2", "view", "steer", "belief", "0.1,0.2,0.7"}},
	{"inside", `document.querySelector("figure img")`, []string{"model", "first", "tokens", "0,1,2", "view", "patch", "corrupt", "1,1,2"}},
	{"inside", `document.querySelector("figure img")`, []string{"model", "first", "tokens", "0,1,2", "view", "ablate", "off", "0.0"}},
	{"walk", `document.querySelector(".matrix")`, []string{"model", "first", "tokens", "0,1"}},
	{"runs", `document.querySelector(".plot canvas") && document.querySelector("figure img")`, []string{"runs", "first"}},
	{"papers", `document.querySelector("figure img")`, []string{"document", "coin", "row", "C2"}},
	{"lessons", `document.querySelector(".lesson figure img")?.naturalWidth > 0`, []string{"lesson", "3", "part", "2"}},
}

// claimed is a laboratory with a run and a claim.
func claimed(t *testing.T) *laboratory {
	t.Helper()
	l := trained(t)
	l.foretell(t, "reproduce", "coin", "--only", "C2")
	return l
}

// A page is saved as one file, which shows the same numbers and figures from the disk,
// without a script, a request or a fault.
func TestSavePage(t *testing.T) {
	b, l := Start(t), claimed(t)
	for _, page := range shownPages {
		p := b.Open(t, l.at(append([]string{"page", page.name}, page.at...)...), Views[1])
		waitFor(p, page.ready)
		settle(p)
		file := savedBy(p, `[...document.querySelectorAll("button")].find(b => b.textContent === "Save page").click()`)
		want := Eval[shownBy](p, shows)
		if file.Name != "foretell-"+page.name+".html" {
			t.Errorf("%s is saved as %s", page.name, file.Name)
		}
		path := filepath.Join(t.TempDir(), file.Name)
		if err := os.WriteFile(path, decoded(t, file), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, view := range []View{Views[0], Views[3]} {
			opened := b.Open(t, "file://"+path, view)
			got := Eval[shownBy](opened, shows)
			for name, lists := range map[string][2][]string{
				"tables": {want.Tables, got.Tables}, "figures": {want.Figures, got.Figures},
				"sentences": {want.Sentence, got.Sentence}, "commands": {want.Commands, got.Commands},
				"facts": {want.Facts, got.Facts},
			} {
				if !slices.Equal(lists[0], lists[1]) {
					t.Errorf("%s %v: the file has the %s\n%q\nand the page\n%q", page.name, page.at, name, lists[1], lists[0])
				}
			}
			if !got.Drawn || len(got.Figures)+len(got.Tables) == 0 {
				t.Errorf("%s: the file has a picture that is not shown, or nothing", page.name)
			}
			if text := textOf(opened, "footer"); !strings.Contains(text, "version ") || !strings.Contains(text, page.at[0]+"=") {
				t.Errorf("%s: the file ends with %q", page.name, text)
			}
			if n := Eval[int](opened, `document.querySelectorAll("script, [style], button").length`); n > 0 {
				t.Errorf("%s: the file has %d scripts, styles of elements or buttons", page.name, n)
			}
			if requests := opened.Requests(); len(requests) != 1 {
				t.Errorf("%s: the file asks for %q", page.name, requests)
			}
			audited(t, opened, view, page.name+" saved")
		}
	}
}

// decoded returns the bytes of a file.
func decoded(t *testing.T, file saved) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(file.Text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
