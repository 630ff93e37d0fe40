//go:build !js

package lab

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"foretell/lab/web"
)

// zipped returns the files of the pages, compressed, by path. The bundle then takes a
// third of the bytes, which counts where the port is forwarded over a slow line.
var zipped = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{}
	err := fs.WalkDir(web.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(web.Files, name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(data) // into memory
		_ = w.Close()
		files["/"+name] = b.Bytes()
		return nil
	})
	if err != nil {
		panic("lab: " + err.Error()) // the files are in the program
	}
	files["/"] = files["/index.html"]
	return files
})

// files serves the files of the pages.
func files() http.Handler {
	plain := http.FileServerFS(web.Files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := zipped()[r.URL.Path]
		if data == nil || r.URL.Path == "/index.html" || !acceptsGzip(r) {
			plain.ServeHTTP(w, r)
			return
		}
		kind := mime.TypeByExtension(path.Ext(r.URL.Path))
		if kind == "" {
			kind = "text/html; charset=utf-8" // of the path /
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Vary", "Accept-Encoding")
		_, _ = w.Write(data) // the client may be gone
	})
}

// acceptsGzip reports whether a client takes a compressed answer.
func acceptsGzip(r *http.Request) bool {
	for _, list := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(list, ",") {
			name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if name == "gzip" && strings.Trim(strings.TrimPrefix(strings.TrimSpace(quality), "q="), "0.") != "" ||
				name == "gzip" && quality == "" {
				return true
			}
		}
	}
	return false
}
