package browser

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
