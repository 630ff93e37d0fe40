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

// ReadFile returns the contents of a configuration file, for [Parse]. It returns an error
// if the file is longer than [MaxBytes], and the errors of [limit.ReadFile].
func ReadFile(path string) ([]byte, error) {
	return limit.ReadFile(path, "a configuration", MaxBytes)
}

// ReadNamed is [ReadFile] for a file name given by a user. If the file does not exist,
// the error suggests a similar name in the same folder. If no name is similar and the
// name is relative, the error gives the current folder.
func ReadNamed(path string) ([]byte, error) {
	data, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if near := nearestFile(path); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		} else if here, failed := os.Getwd(); failed == nil && !filepath.IsAbs(path) {
			err = fmt.Errorf("%w; the path is relative to %s", err, here)
		}
	}
	return data, err
}

// nearestFile returns the file in the same folder, with the same extension, whose name is
// [Nearest] to the name in path; or else a file whose name differs only in having .yaml
// or .yml as its extension; or else "".
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
		other := filepath.Ext(e.Name())
		if (other == ".yaml" || other == ".yml") && e.Name() == name+other && !e.IsDir() {
			return dir + e.Name()
		}
	}
	return ""
}
