package durable

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var (
	// ErrIsFolder is the error of [Output] if the path is an existing folder or ends in a
	// slash.
	ErrIsFolder = errors.New("is a folder; give a file")
	// ErrUnread is the error of [Output] for a FIFO without a reader.
	ErrUnread = errors.New("is a FIFO that nobody reads; start its reader first")
)

// Output writes data to a path given by a user:
//
//   - A regular file is replaced atomically, as by [WriteFile]. It keeps its mode and, if
//     the system allows this process to change them, its owner and group. A file without
//     write permission is an error, even if its folder is writable. Other hard links to
//     the file keep the old contents.
//   - A new file is created with the mode given by the process's umask.
//   - A symbolic link is followed and kept; its target need not exist.
//   - A file that is not regular (a terminal, a device, a FIFO, a socket) is written
//     through: it stays, and receives all of data or, after an error, a part. The same
//     holds for the process's own open files (/dev/stdout, /dev/fd/3), at their current
//     offset. A FIFO without a reader is [ErrUnread], immediately.
//   - A folder is [ErrIsFolder]. The parent folder must exist.
//   - A file that belongs to a run or a report is [ErrOwned].
func Output(path string, data []byte) error {
	return outputFrom(context.Background(), path, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
}

// OutputFrom is like [Output] for data that the function write produces piece by piece,
// through a buffer, and that need not fit in memory. When ctx ends, the unfinished file
// is removed and the context's error is returned at once. write may still be running
// then; its next write to the file fails, and it should return.
func OutputFrom(ctx context.Context, path string, write func(w io.Writer) error) error {
	return outputFrom(ctx, path, func(file *os.File) error {
		buffer := bufio.NewWriterSize(file, 1<<16)
		if err := write(buffer); err != nil {
			return err
		}
		return buffer.Flush()
	})
}

func outputFrom(ctx context.Context, path string, write func(file *os.File) error) error {
	d, err := resolve(path)
	switch {
	case err != nil:
	case d.open == nil:
		err = installFrom(ctx, d.path, d.replaced, write)
		if errors.Is(err, fs.ErrNotExist) { // the folder exists, but accepts no files, as in /proc
			err = fmt.Errorf("no file can be created in %s", filepath.Dir(d.path))
		}
	default:
		err = writeThrough(ctx, d.open, write)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return ofOutput(path, err)
}

// CheckOutput returns the error that [Output] would return before writing. Call it before
// a long computation, to report a wrong path early. It does not write, and opens nothing
// that would have an effect.
func CheckOutput(path string) error {
	_, err := resolve(path)
	return ofOutput(path, err)
}

// ofOutput adds the path to an error of [Output].
func ofOutput(path string, err error) error {
	if errors.Is(err, ErrIsFolder) || errors.Is(err, ErrUnread) || errors.Is(err, ErrOwned) {
		return fmt.Errorf("%s %w", path, err)
	}
	return at(path, err)
}

// destination is the resolved target of a path.
type destination struct {
	path     string                   // path of the file to install; empty for a file that is written through
	replaced fs.FileInfo              // the existing file, or nil
	open     func() (*os.File, error) // opens the file to write through; nil for a file to install
}

// resolve finds the target of a path, and checks that it may be written.
func resolve(path string) (d destination, err error) {
	if path == "" {
		return d, errors.New("the name of a file is empty")
	}
	if os.IsPathSeparator(path[len(path)-1]) {
		return d, ErrIsFolder
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return resolveNew(path)
	case err != nil:
		return d, err
	case info.IsDir():
		return d, ErrIsFolder
	}
	target, own, err := follow(path)
	switch {
	case own != nil:
		return destination{open: own}, nil
	case !info.Mode().IsRegular():
		return destination{open: func() (*os.File, error) { return openThrough(path) }}, nil
	case err != nil:
		return d, err
	}
	if found, err := os.Lstat(target); err != nil || !os.SameFile(info, found) {
		return d, errors.New("leads to a file without a name")
	}
	file, err := os.OpenFile(target, os.O_WRONLY, 0) // the file may be read-only although its folder is writable
	if err != nil {
		return d, err
	}
	if err := file.Close(); err != nil {
		return d, err
	}
	return destination{path: target, replaced: info}, checkOwned(target)
}

// resolveNew is resolve for a path without an existing file.
func resolveNew(path string) (d destination, err error) {
	target, _, err := follow(path)
	if err != nil {
		return d, err
	}
	folder, err := os.Stat(filepath.Dir(target))
	if err != nil {
		return d, err
	}
	if !folder.IsDir() {
		return d, fmt.Errorf("%s is not a folder", filepath.Dir(target))
	}
	return destination{path: target}, checkOwned(target)
}

// mostLinks is the largest length of a chain of symbolic links, as on Linux.
const mostLinks = 40

// follow resolves the links of a path and returns a path that is not a link and may not
// exist. own is not nil if the links lead to an open file of this process; it duplicates
// that file.
func follow(path string) (target string, own func() (*os.File, error), err error) {
	for range mostLinks {
		folder, base := filepath.Split(path)
		if folder == "" {
			folder = "."
		}
		folder, err = filepath.EvalSymlinks(folder)
		if err != nil {
			return "", nil, err
		}
		path = strings.TrimSuffix(folder, string(filepath.Separator)) + string(filepath.Separator) + base
		if own := ownFile(folder, base); own != nil {
			return "", own, nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil, nil // not a link, or does not exist
		}
		if !filepath.IsAbs(link) {
			link = folder + string(filepath.Separator) + link
		}
		path = link
	}
	return "", nil, errors.New("too many links lead to each other")
}

// writeThrough writes to a file that is not replaced.
func writeThrough(ctx context.Context, open func() (*os.File, error), write func(file *os.File) error) error {
	file, err := open()
	if err != nil {
		return err
	}
	err = untilEnded(ctx, func() error { return write(file) })
	if ctx.Err() == nil {
		if synced := file.Sync(); err == nil && !cannotSync(synced) {
			err = synced
		}
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
