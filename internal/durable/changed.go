package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"foretell/internal/limit"
)

// Changed describes how the file at path differs from the text that was written to it,
// for example "is gone"; it returns "" if they agree. It reads the file only if it is
// regular and has the size of the text. An error means that the system does not allow
// reading the file, and says nothing about the contents.
func Changed(path string, text []byte) (what string, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is gone", nil
	case err != nil:
		return "", at(path, err)
	case !info.Mode().IsRegular():
		return "is not a regular file any more", nil
	case info.Size() != int64(len(text)):
		return fmt.Sprintf("has %d bytes in place of %d", info.Size(), len(text)), nil
	}
	data, err := limit.ReadFile(path, "what was written", int64(len(text)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is gone", nil
	case err != nil:
		return "", at(path, err)
	}
	same := 0
	for same < min(len(data), len(text)) && data[same] == text[same] {
		same++
	}
	if same < max(len(data), len(text)) {
		return fmt.Sprintf("differs from line %d on", 1+bytes.Count(text[:same], []byte("\n"))), nil
	}
	return "", nil
}

// SetAside gives the file at path, if it exists, a second name, path.changed or the first
// free name of path.changed-2, path.changed-3, …; then path can be overwritten without
// loss. A file that cannot have two names is moved. The result is empty if path does not
// exist.
func SetAside(path string) (aside string, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", at(path, err)
	}
	aside = free(path + ".changed")
	if info.Mode().IsRegular() && os.Link(path, aside) == nil {
		return aside, nil
	}
	if err := os.Rename(path, aside); err != nil {
		return "", at(path, err)
	}
	return aside, nil
}

// free returns name or, if a file has this name, the first unused name of name-2, name-3,
// …
func free(name string) string {
	candidate := name
	for i := 2; ; i++ {
		if _, err := os.Lstat(candidate); err != nil {
			return candidate
		}
		candidate = fmt.Sprintf("%s-%d", name, i)
	}
}
