//go:build !js

package lab

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foretell/document"
	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/lab/web"
)

// ErrNoEngine says that this program cannot export pages.
var ErrNoEngine = errors.New("this program was built without the engine for pages; build it with make build, " +
	"or take a release")

const (
	program = "engine.wasm.gz"
	archive = "runs.zip"

	mostArchived = 64 << 20 // bytes of all runs of exported pages
)

// Exported is what [Export] has written.
type Exported struct {
	Pages string `json:"pages"` // the folder
	Bytes int    `json:"bytes"` // that a browser loads from a web server
}

// Export writes the pages into a new folder, so that they need no server: the
// engine runs in the reader's tab. Every web server can serve the folder, and a browser
// can open its index.html from a disk. Runs is a folder whose runs the pages can look at,
// or "". Nothing is left in the folder after an error.
func Export(dir, runs string) (e Exported, err error) {
	if _, err := os.Lstat(dir); err == nil {
		return e, fmt.Errorf("%s is there already; give a new folder", dir)
	}
	files, err := exported(runs)
	if err != nil {
		return e, err
	}
	e.Pages = dir
	err = durable.Dir(dir, func(temporary string) error {
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(temporary, name), data, 0o666); err != nil {
				return err
			}
			if name != offline && name != licences {
				e.Bytes += len(data)
			}
		}
		return nil
	})
	return e, err
}

const (
	offline  = "offline.js" // what a page that was opened from a disk loads in the place of the other files
	licences = "LICENSES.txt"
)

// exported returns the files of the pages.
func exported(runs string) (map[string][]byte, error) {
	engine, ok := web.Engine()
	if !ok {
		return nil, ErrNoEngine
	}
	files := map[string][]byte{}
	for _, name := range []string{"app.js", licences} {
		data, err := fs.ReadFile(web.Files, name)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	for _, name := range []string{program, "engine.js", licences} {
		data, err := engine.ReadFile("engine/" + name)
		if err != nil {
			return nil, err
		}
		files[name] = append(files[name], data...) // licences of the pages' libraries, then of the engine
	}
	loaded := []string{program}
	if runs != "" {
		data, err := zipRuns(runs)
		if err != nil {
			return nil, err
		}
		files[archive] = data
		loaded = append(loaded, archive)
	}
	var err error
	if files[offline], err = offlineScript(files, loaded); err != nil {
		return nil, err
	}
	files["index.html"], err = page(loaded)
	return files, err
}

// page returns index.html. Its policy allows what a page from a disk needs, too: there a
// worker can only be made of a text.
func page(loaded []string) ([]byte, error) {
	css, err := fs.ReadFile(web.Files, "app.css")
	if err != nil {
		return nil, err
	}
	policy := "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src 'self' blob:; " +
		"connect-src 'self'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
	style := strings.ReplaceAll(document.ThemeCSS()+"\n"+string(css), "</", `<\/`)
	return []byte(`<!doctype html>
<html lang="en" data-engine="tab" data-files="` + strings.Join(loaded, " ") + `">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="` + policy + `">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>foretell</title>
<link rel="icon" href="data:,">
<style>
` + style + `
</style>
<script defer src="app.js"></script>
<noscript>The laboratory needs JavaScript.</noscript>
<div id="app"></div>
`), nil
}

// offlineScript returns a script with the files that the worker needs.
func offlineScript(files map[string][]byte, loaded []string) ([]byte, error) {
	texts := map[string]string{}
	for _, name := range loaded {
		texts[name] = base64.StdEncoding.EncodeToString(files[name])
	}
	data, err := json.Marshal(map[string]any{"engine": string(files["engine.js"]), "files": texts})
	return append(append([]byte("globalThis.foretellFiles = "), data...), '\n'), err
}

// zipRuns returns the files below a folder as an archive. What names the machine of a run
// is left out, because pages are published.
func zipRuns(dir string) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	total := int64(0)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, relative := filepath.Rel(dir, path)
		if err := cmp.Or(err, relative); err != nil || !entry.Type().IsRegular() || entry.Name() == "env.json" {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > mostArchived {
			return fmt.Errorf("%s has more than %d MB; give a folder with fewer runs", dir, mostArchived>>20)
		}
		data, err := limit.ReadFile(path, "the file", mostArchived)
		if err != nil {
			return err
		}
		to, err := w.Create(filepath.ToSlash(name))
		if err == nil {
			_, err = to.Write(data)
		}
		return err
	})
	err = cmp.Or(err, w.Close())
	return b.Bytes(), err
}
