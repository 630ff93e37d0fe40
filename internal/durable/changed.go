package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"foretell/internal/limit"
)

// Changed says in what the file at path is not the text that was written to it, as in
// "is gone"; it is empty where it is. Only a regular file of the text's size is read. An
// error says that the system does not let it be read, which tells nothing of the file.
func Changed(path string, text []byte) (what string, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is gone", nil
	case err != nil:
		return "", at(path, err)
	case !info.Mode().IsRegular():
		return "is no regular file any more", nil
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
		return fmt.Sprintf("is another from line %d on", 1+bytes.Count(text[:same], []byte("\n"))), nil
	}
	return "", nil
}

// SetAside gives what stands at path, if anything does, a second name, path.changed or
// the first of path.changed-2, path.changed-3, … that is free, so that the path can be
// written anew without anything being lost. What cannot have two names is moved. The
// name is empty where nothing stands at path.
func SetAside(path string) (aside string, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", at(path, err)
	}
	aside = free(path+".changed", "-%d", 2)
	if info.Mode().IsRegular() && os.Link(path, aside) == nil {
		return aside, nil
	}
	if err := os.Rename(path, aside); err != nil {
		return "", at(path, err)
	}
	return aside, nil
}

// free returns name, or if something has it the first of name with a number from first
// on that nothing has.
func free(name, number string, first int) string {
	candidate := name
	for i := first; ; i++ {
		if _, err := os.Lstat(candidate); err != nil {
			return candidate
		}
		candidate = name + fmt.Sprintf(number, i)
	}
}
