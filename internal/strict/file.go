package strict

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/limit"
)

// ReadFile returns the contents of a configuration's file, for [Parse]. A file that is
// longer than any configuration, or none, is an error; see [limit.ReadFile].
func ReadFile(path string) ([]byte, error) {
	return limit.ReadFile(path, "a configuration", MaxBytes)
}

// ReadNamed is [ReadFile] of a file that a person named: where it is missing, the error
// tells the one beside it that was probably meant.
func ReadNamed(path string) ([]byte, error) {
	data, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if near := nearestFile(path); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		} else if here, failed := os.Getwd(); failed == nil && !filepath.IsAbs(path) {
			err = fmt.Errorf("%w; looked for from %s", err, here)
		}
	}
	return data, err
}

// nearestFile returns the file with the same ending in the same folder whose name is
// [Nearest] to that of path, or one that differs in .yml or .yaml alone, or "".
func nearestFile(path string) string {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	ending := filepath.Ext(base)
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok && name != "" && !e.IsDir() {
			names = append(names, name)
		}
	}
	near := Nearest(strings.TrimSuffix(base, ending), names)
	if near != "" {
		return dir + near + ending
	}
	for _, e := range entries { // .yml for .yaml
		name := strings.TrimSuffix(base, ending)
		if other := filepath.Ext(e.Name()); (other == ".yaml" || other == ".yml") && e.Name() == name+other && !e.IsDir() {
			return dir + e.Name()
		}
	}
	return ""
}
