// Bundle makes the front end of the laboratory in lab/web/dist from the sources in
// lab/web/src and the libraries in lab/web/vendor. It needs no Node and no network,
// because esbuild is a Go library. This is a separate module, so that the program does
// not depend on it.
//
//	go -C lab/web/bundle run .
//
// The same sources give the same bytes. Nothing is written if [lint] refuses a source or
// if esbuild has an error or a warning.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// web is the folder lab/web, seen from this one.
const web = ".."

func main() {
	files, err := write(web)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		raw, zipped := sizes(files[name])
		fmt.Printf("%-12s %7d bytes, gzip -9 %6d\n", name, raw, zipped)
	}
}

// write bundles lab/web, replaces its folder dist, and returns the files by name.
func write(web string) (map[string][]byte, error) {
	files, err := bundle(web)
	if err != nil {
		return nil, err
	}
	dist := filepath.Join(web, "dist")
	if err := os.RemoveAll(dist); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dist, 0o777); err != nil {
		return nil, err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dist, name), data, 0o666); err != nil {
			return nil, err
		}
	}
	return files, nil
}
