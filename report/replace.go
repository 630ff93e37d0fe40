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

// replacement is the folder, within a report's, that holds the files of a report that is
// complete and of which some are to replace those of the one before. It comes to its
// name with all of them in it. From then on the report is the new one: whoever opens the
// folder next moves what a kill has left there.
const replacement = ".new-report"

// finish moves the files of a replacement to their places, if there is one.
func (f *folder) finish() error {
	from := f.path(replacement)
	paths, err := filesBelow(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before := lossesShown(f.dir) // by the page, which is moved last
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

// filesBelow lists the files below a folder by their paths with slashes: those in folders
// first, and of the others the page last, so that what it links to is there.
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
