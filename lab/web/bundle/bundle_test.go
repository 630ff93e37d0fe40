package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The committed files of dist are those that the sources give.
func TestDistIsOfTheSources(t *testing.T) {
	want, err := bundle("..")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	entries, err := os.ReadDir("../dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if got[entry.Name()], err = os.ReadFile(filepath.Join("../dist", entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.EqualFunc(got, want, bytes.Equal) {
		t.Error("lab/web/dist is not that of lab/web/src; run make lab")
	}
}

// copied returns a folder with the libraries and with some sources: those of lab/web, or
// those given.
func copied(t *testing.T, sources map[string]string) string {
	t.Helper()
	web := t.TempDir()
	if err := os.CopyFS(filepath.Join(web, "vendor"), os.DirFS("../vendor")); err != nil {
		t.Fatal(err)
	}
	from := os.DirFS("../src")
	if sources != nil {
		files := fstest.MapFS{"index.html": {}}
		for name, text := range sources {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		from = files
	}
	if err := os.CopyFS(filepath.Join(web, "src"), from); err != nil {
		t.Fatal(err)
	}
	return web
}

// The same sources give the same bytes, wherever the folder is. What was in dist
// is replaced.
func TestSameBytesElsewhere(t *testing.T) {
	want, err := bundle("..")
	if err != nil {
		t.Fatal(err)
	}
	web := copied(t, nil)
	if err := os.CopyFS(filepath.Join(web, "dist"), fstest.MapFS{"old.js": {}}); err != nil {
		t.Fatal(err)
	}
	if _, err := write(web); err != nil {
		t.Fatal(err)
	}
	dist := os.DirFS(filepath.Join(web, "dist"))
	names, err := fs.Glob(dist, "*")
	if err != nil || !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		if got, err := fs.ReadFile(dist, name); err != nil || !bytes.Equal(got, want[name]) {
			t.Errorf("%s differs, %v", name, err)
		}
	}
}

// What esbuild or the lint refuses is an error with its place, and nothing is written.
func TestRefusedSources(t *testing.T) {
	for want, main := range map[string]string{
		`src/main.js:1:8: "d3" is not a library in vendor; want a path that starts with ./ or ../, or one of @preact/signals,`: `import "d3";`,
		`src/main.js:1:7: Could not resolve "./other.js"`:                                                                      `import"./other.js";`,
		`src/main.js:2:1: Duplicate key "a"`:                                                                                   "console.log({a: 1,\na: 2});",
		`src/main.js:1:3: "innerHTML" is refused; want htm's`:                                                                  "x.innerHTML = y;",
		`"https://example.org/x.js" is not a library in vendor`:                                                                `import "https://example.org/x.js";`,
	} {
		web := copied(t, map[string]string{"main.js": main})
		if err := os.CopyFS(filepath.Join(web, "node_modules"), fstest.MapFS{"d3/index.js": {}}); err != nil {
			t.Fatal(err)
		}
		if _, err := write(web); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := os.Stat(filepath.Join(web, "dist")); err == nil {
			t.Errorf("%s: something was written", main)
		}
	}
}

// LICENSES.txt has the licence of every library that can be imported.
func TestLicences(t *testing.T) {
	text, err := licencesOf(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range libraries {
		name, _, _ := strings.Cut(file, "/dist/")
		if parts := strings.Split(file, "/"); !strings.HasPrefix(file, "@") {
			name = parts[0]
		}
		licence, err := os.ReadFile(filepath.Join("../vendor", name, "LICENSE"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(name+"\n\n"+string(bytes.TrimSpace(licence)))) {
			t.Errorf("the licence of %s is missing", name)
		}
	}
}

// The libraries make markup or code of a string only where preact is asked to by
// dangerouslySetInnerHTML: innerHTML is compared, assigned, and cleared.
func TestMarkupFromStringsInLibraries(t *testing.T) {
	want := map[string]int{"preact/dist/preact.module.js": 5}
	for _, file := range libraries {
		text, err := os.ReadFile(filepath.Join("../vendor", file))
		if err != nil {
			t.Fatal(err)
		}
		if faults := check(file, text, sinks); len(faults) != want[file] {
			t.Errorf("%s has %d, want %d: %v", file, len(faults), want[file], faults)
		}
	}
}
