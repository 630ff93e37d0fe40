package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/durable"
)

// replacement is the subfolder with the files of a complete report that are to replace
// the files of the previous one. It gets this name only when it has all of them. From
// then on the new report counts: if the process is killed while it moves the files, the
// next process to open the folder moves the rest.
const replacement = ".new-report"

// finish moves the files of the replacement, if there is one, to their places.
func (f *folder) finish() error {
	from := f.path(replacement)
	paths, err := filesBelow(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before := lossesShown(f.dir) // read before the page is replaced, which is done last
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(f.path(path)), 0o777); err != nil {
			return err
		}
		if err := durable.Rename(filepath.Join(from, filepath.FromSlash(path)), f.path(path)); err != nil {
			return err
		}
	}
	if err := dropLosses(f.dir, before); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

// filesBelow lists the files below a folder as slash-separated paths: files in subfolders
// first and the page last, so that the files it links to exist when it is moved.
func filesBelow(root string) (paths []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		path, err = filepath.Rel(root, path)
		paths = append(paths, filepath.ToSlash(path))
		return err
	})
	slices.SortStableFunc(paths, func(a, b string) int { return rank(a) - rank(b) })
	return paths, err
}

func rank(path string) int {
	switch {
	case strings.Contains(path, "/"):
		return 0
	case path != HTMLFile:
		return 1
	}
	return 2
}
