package browser

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exported exports the pages of a laboratory with a run, and returns their folder.
func exported(t *testing.T, l *laboratory) string {
	t.Helper()
	l.foretell(t, "lab", "--export", "pages", "--runs", "runs")
	return filepath.Join(l.dir, "pages")
}

// visit follows a link of the navigation, which keeps what the tab has computed.
func visit(p *Page, name string) {
	Eval[*bool](p, fmt.Sprintf(
		`void [...document.querySelectorAll("nav a")].find(a => a.textContent === %q).click()`, name))
}

// hash is what a command and a page say of the weights of a run.
func hash(t *testing.T, l *laboratory, run string) string {
	t.Helper()
	return jsonOf[struct{ Weights struct{ SHA256 string } }](t, l, "runs", "show", run).Weights.SHA256
}

// Exported pages need no server that computes. What they train has the bits of the
// command, and what they show has its numbers.
func TestExport(t *testing.T) {
	b := Start(t)
	l := trained(t)
	server := httptest.NewServer(http.FileServer(http.Dir(exported(t, l))))
	defer server.Close()
	l.foretell(t, "train", "runs/first/config.yaml", "--set", "train.seed=2", "--out", "alone")
	want := hash(t, l, "alone")

	config := "process: {name: mess3, params: {x: 0.15, a: 0.6}}\n" +
		"model: {d_model: 4, n_layers: 1, n_heads: 2, d_mlp: 6, n_ctx: 4, normalization_type: LN, initializer_range: 0.02}\n" +
		"train: {seed: 2, batch_size: 128, num_steps: 40, lr: 0.001, lr_schedule: cosine}\n"
	here := laboratory{link: server.URL + "/?"}
	p := b.Open(t, here.at("config", config, "name", "second"), Views[0])
	waitFor(p, `[...document.querySelectorAll("button")].some(b => b.textContent === "Train")`)
	press(p, "Train")
	waitFor(p, `document.querySelector(".bits")`)
	if got := textOf(p, ".bits"); got != want {
		t.Errorf("the weights have the SHA-256 %s in the tab and %s by the command", got, want)
	}
	waitFor(p, `document.querySelectorAll(".clouds canvas").length === 4`)

	visit(p, "Runs")
	waitFor(p, `document.querySelectorAll(".runs tbody tr").length === 2`)
	visit(p, "Inside")
	waitFor(p, `document.querySelector(".pattern")`)
	visit(p, "Lessons")
	waitFor(p, `document.querySelectorAll(".lessons a").length > 3`)
	for _, address := range p.Requests() {
		if scheme, _, _ := strings.Cut(address, ":"); scheme == "http" && !strings.HasPrefix(address, server.URL+"/") {
			t.Errorf("the page requests %s", address)
		}
	}

	p = b.Open(t, here.at("page", "walk", "model", "first", "tokens", "0,1", "set", "unembed.W_U[0,1]=0.5"), Views[0])
	waitFor(p, `document.querySelector(".matrix")`)
	p = b.Open(t, here.at("page", "inside", "model", "first", "tokens", "0,1,2"), Views[0])
	checkInside(t, p, l)
}

// Exported pages work when they are opened from a disk, wide and narrow, light and dark.
func TestExportFromDisk(t *testing.T) {
	b, l := Start(t), trained(t)
	here := laboratory{link: "file://" + filepath.Join(exported(t, l), "index.html") + "?"}
	for i, page := range []struct{ name, ready string }{
		{"train", `[...document.querySelectorAll("button")].some(b => b.textContent === "Train")`},
		{"process", `document.querySelectorAll(".clouds canvas").length === 2 && document.querySelector("figure img")`},
		{"inside", `document.querySelector(".pattern")`},
		{"walk", `document.querySelector(".matrix")`},
		{"runs", `document.querySelector(".runs tbody tr")`},
		{"reproduce", `document.querySelector(".printed td")`},
		{"lessons", `document.querySelector(".lessons a")`},
	} {
		view := Views[i%len(Views)]
		p := b.Open(t, here.at("page", page.name, "model", "first", "tokens", "0,1"), view)
		waitFor(p, page.ready)
		settle(p)
		if text := textOf(p, ".problem"); text != "" {
			t.Errorf("%s: the page says %q", page.name, text)
		}
		audited(t, p, view, page.name)
	}
}

// compared returns the table of the page Reproduce: value, printed, here, equal.
func compared(p *Page) [][]string {
	return Eval[[][]string](p, `[...document.querySelectorAll(".printed tbody tr")].map(row => [...row.cells].map(c => c.textContent))`)
}

// A printed model of the ledger trains itself again in a page from a disk, and ends in
// the printed bits. Another model is not taken for it.
func TestExportReproduces(t *testing.T) {
	const name = "mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed"
	b, l := Start(t), &laboratory{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(l.dir, "c.yaml"), []byte(smallRun), 0o666); err != nil {
		t.Fatal(err)
	}
	l.foretell(t, "train", "c.yaml", "--set", "model.n_ctx=6", "--out", filepath.Join("runs", name+"2"))
	here := laboratory{link: "file://" + filepath.Join(exported(t, l), "index.html") + "?"}

	p := b.Open(t, here.at("page", "reproduce"), Views[0])
	waitFor(p, `[...document.querySelectorAll("button")].some(b => b.textContent === "Train it here")`)
	press(p, "Train it here")
	waitFor(p, `document.querySelector(".meaning").textContent && document.querySelector(".bits")`)
	settle(p)
	if said, want := textOf(p, ".meaning"), "The bits are equal."; !strings.HasPrefix(said, want) {
		t.Errorf("the page says %q, want %q", said, want)
	}
	table := compared(p)
	for _, row := range table {
		if row[1] != row[2] || row[3] != "yes" {
			t.Errorf("%s: printed %q, here %q, equal: %s", row[0], row[1], row[2], row[3])
		}
	}
	if got := textOf(p, ".bits"); len(table) != 6 || len(got) != 64 || got != table[0][1] {
		t.Errorf("the weights have the SHA-256 %q, the table is %q", got, table)
	}
	audited(t, p, Views[0], "reproduce")

	p = b.Open(t, here.at("page", "reproduce", "seed", "2", "run", name+"2"), Views[2])
	waitFor(p, `document.querySelector(".meaning").textContent`)
	settle(p)
	if said, want := textOf(p, ".meaning"), "The bits differ, as they must: seed 2"; !strings.HasPrefix(said, want) {
		t.Errorf("the page says %q, want %q", said, want)
	}
	for _, row := range compared(p) {
		if row[1] == row[2] || row[3] != "no" {
			t.Errorf("%s: printed %q, here %q, equal: %s", row[0], row[1], row[2], row[3])
		}
	}
	audited(t, p, Views[2], "reproduce")
}

// The exported pages have the licences of Go, of foretell and of every module that the
// engine was linked with, by the engine's own list.
func TestExportHasLicences(t *testing.T) {
	l := &laboratory{dir: t.TempDir()}
	l.foretell(t, "lab", "--export", "pages")
	pages := os.DirFS(filepath.Join(l.dir, "pages"))
	data, err := fs.ReadFile(pages, "LICENSES.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts := string(data)
	for _, want := range []string{"Go, LICENSE\n", "The Go Authors", "foretell, LICENSE\n", "preact\n", "uplot\n"} {
		if !strings.Contains(texts, want) {
			t.Errorf("LICENSES.txt lacks %q", want)
		}
	}
	file, err := pages.Open("engine.wasm.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	engine, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	program, err := io.ReadAll(engine)
	if err != nil {
		t.Fatal(err)
	}
	modules := regexp.MustCompile(`dep\t(\S+)\t(\S+)`).FindAllSubmatch(program, -1)
	if len(modules) == 0 {
		t.Fatal("the engine lists no modules")
	}
	for _, m := range modules {
		text, err := exec.Command("go", "list", "-C", filepath.Join("..", ".."), "-m", "-f", "{{.Dir}}", string(m[1])).Output()
		if err != nil {
			t.Fatal(err)
		}
		licence, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(text)), "LICENSE"))
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%s %s, LICENSE\n\n%s", m[1], m[2], bytes.TrimSpace(licence)); !strings.Contains(texts, want) {
			t.Errorf("LICENSES.txt lacks the licence of %s", m[1])
		}
	}
}

// What names the machine is not published.
func TestExportedRunsNameNoMachine(t *testing.T) {
	l := &laboratory{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(l.dir, "c.yaml"), []byte(smallRun), 0o666); err != nil {
		t.Fatal(err)
	}
	l.foretell(t, "train", "c.yaml", "--out", "runs/first")
	files, err := zip.OpenReader(filepath.Join(exported(t, l), "runs.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	has := map[string]bool{}
	for _, file := range files.File {
		has[file.Name] = true
	}
	if !has["first/config.yaml"] || has["first/env.json"] {
		t.Errorf("the archive has %v", has)
	}
}

// A folder that is there is left alone, and a file that is missing is named.
func TestExportRefuses(t *testing.T) {
	l := &laboratory{dir: t.TempDir()}
	l.foretell(t, "lab", "--export", "pages")
	said := l.refused(t, "lab", "--export", "pages")
	if want := "pages is there already; give a new folder"; !strings.Contains(said, want) {
		t.Errorf("foretell says %q, want %q", said, want)
	}
	var exported struct{ Bytes int }
	if err := json.Unmarshal([]byte(l.foretell(t, "lab", "--export", "again", "--json")), &exported); err != nil {
		t.Fatal(err)
	}
	t.Logf("a browser loads %.2f MB", float64(exported.Bytes)/1e6)
}
