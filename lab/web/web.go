// Package web holds the front end of the laboratory, as files that a server or a page
// in one file takes from [Files].
//
// The pages are written in src, with the libraries of vendor, and bundled into dist by
// make lab; dist is committed, so that building the program needs neither the sources nor
// the bundler. The bundler is a separate module, foretell/lab/web/bundle. Its test
// compares dist with the sources, and refuses sources that make markup or code of a
// string.
//
// The pages work with this Content-Security-Policy, or a stricter one:
//
//	default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;
//	connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';
//	require-trusted-types-for 'script'; trusted-types 'none'
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files are index.html, app.js, app.css, worker.js for pages without a server, and
// LICENSES.txt, the licences of the libraries.
var Files = files()

func files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: " + err.Error()) // the path is valid
	}
	return files
}
