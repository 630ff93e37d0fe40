package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// libraries are the names that a source can import, and their files below vendor.
var libraries = map[string]string{
	"preact":                   "preact/dist/preact.module.js",
	"preact/hooks":             "preact/hooks/dist/hooks.module.js",
	"htm":                      "htm/dist/htm.module.js",
	"htm/preact":               "htm/preact/index.module.js",
	"@preact/signals":          "@preact/signals/dist/signals.module.js",
	"@preact/signals-core":     "@preact/signals-core/dist/signals-core.module.js",
	"uplot":                    "uplot/dist/uPlot.esm.js",
	"uplot/dist/uPlot.min.css": "uplot/dist/uPlot.min.css",
}

// page is the file of src that is copied as it is; licences is the file of dist with the
// licences of the libraries, whose minified code has no comments.
const (
	page     = "index.html"
	licences = "LICENSES.txt"
)

// bundle returns the files of dist by name: app.js and app.css from src/main.js and what
// it imports, worker.js from src/worker, index.html, and LICENSES.txt. web is the folder
// lab/web.
func bundle(web string) (map[string][]byte, error) {
	web, err := filepath.Abs(web)
	if err != nil {
		return nil, err
	}
	tree := os.DirFS(web)
	if err := lint(tree, "src"); err != nil {
		return nil, err
	}
	files, err := compile(web)
	if err != nil {
		return nil, err
	}
	if files[page], err = fs.ReadFile(tree, path.Join("src", page)); err != nil {
		return nil, err
	}
	files[licences], err = licencesOf(tree)
	return files, err
}

// compile returns app.js, worker.js and, if a source imports CSS, app.css.
func compile(web string) (map[string][]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: web,
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "src/main.js", OutputPath: "app"}, {InputPath: "src/worker/main.js", OutputPath: "worker"},
		},
		Outdir:            "dist",
		Bundle:            true,
		Format:            api.FormatIIFE, // pages from a disk load no modules
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifySyntax:      true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsEndOfFile,
		Footer:            map[string]string{"js": "/*! Licences of the libraries: " + licences + " */"},
		TsconfigRaw:       "{}",
		Plugins:           []api.Plugin{vendored(web)},
	})
	if messages := append(result.Errors, result.Warnings...); len(messages) > 0 {
		return nil, errors.New(describe(messages))
	}
	files := map[string][]byte{}
	for _, file := range result.OutputFiles {
		files[filepath.Base(file.Path)] = file.Contents
	}
	return files, nil
}

// vendored resolves the names of [libraries], and refuses every other name that is not a
// relative path, so that no folder node_modules is ever searched.
func vendored(web string) api.Plugin {
	resolve := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		if args.Kind == api.ResolveEntryPoint {
			return api.OnResolveResult{}, nil
		}
		if file, ok := libraries[args.Path]; ok {
			return api.OnResolveResult{Path: filepath.Join(web, "vendor", filepath.FromSlash(file))}, nil
		}
		names := strings.Join(slices.Sorted(maps.Keys(libraries)), ", ")
		return api.OnResolveResult{}, fmt.Errorf("%q is not a library in vendor; "+
			"want a path that starts with ./ or ../, or one of %s", args.Path, names)
	}
	return api.Plugin{Name: "vendored", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^[^.]`}, resolve)
	}}
}

// describe returns messages of esbuild, one a line, with file, line and column.
func describe(messages []api.Message) string {
	var lines []string
	for _, m := range messages {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d:%d: ", m.Location.File, m.Location.Line, m.Location.Column+1)
		}
		lines = append(lines, at+m.Text)
	}
	return strings.Join(lines, "\n")
}

// licencesOf returns the licences of all libraries in vendor, each below its name.
func licencesOf(tree fs.FS) ([]byte, error) {
	var text bytes.Buffer
	err := fs.WalkDir(tree, "vendor", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) != "LICENSE" {
			return err
		}
		licence, err := fs.ReadFile(tree, name)
		fmt.Fprintf(&text, "%s\n\n%s\n\n", strings.TrimPrefix(path.Dir(name), "vendor/"), bytes.TrimSpace(licence))
		return err
	})
	return text.Bytes(), err
}

// sizes returns the number of bytes of a file, and that number after gzip -9.
func sizes(data []byte) (raw, zipped int) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("bundle: " + err.Error()) // the level is valid and writing to a buffer cannot fail
	}
	return len(data), b.Len()
}
