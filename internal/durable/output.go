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
	// ErrIsFolder is the error of [Output] where a folder stands, or is named.
	ErrIsFolder = errors.New("is a folder; give a file")
	// ErrUnread is the error of [Output] for a FIFO without a reader.
	ErrUnread = errors.New("is a FIFO that nobody reads; start its reader first")
)

// Output writes data to the path that a user names for it:
//
//   - A regular file is replaced as by [WriteFile]: whole or not at all. It keeps its
//     mode, and its owner and group where the system lets this process give files away.
//     One that may not be written is an error, whatever its folder allows. Another hard
//     link to it keeps the old contents.
//   - Where nothing stands a file is made, with the mode that the process's umask leaves.
//   - A symbolic link is followed and stays; what it points to need not exist yet.
//   - What is no regular file (a terminal, a device, a FIFO, a socket) is written
//     through: it stays, and gets all of data or, after an error, a part. So do the
//     process's own open files (/dev/stdout, /dev/fd/3), at the place where they stand.
//     A FIFO that nobody reads is [ErrUnread], at once.
//   - A folder is [ErrIsFolder]; the folder around the file must exist.
//   - A file of which a run or a report is made is [ErrOwned]; see there.
func Output(path string, data []byte) error {
	return outputFrom(context.Background(), path, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
}

// OutputFrom is [Output] of what write writes, piece by piece, through a buffer: the
// whole need not fit into memory. When ctx ends, the file that is being made is removed,
// and the context's error is returned at once. write may then still run; its next write
// to the file fails, and it should return.
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
		if errors.Is(err, fs.ErrNotExist) { // though its folder is there, as /proc is
			err = fmt.Errorf("no file can be made in %s", filepath.Dir(d.path))
		}
	default:
		err = writeThrough(ctx, d.open, write)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return ofOutput(path, err)
}

// CheckOutput returns the error that [Output] would have before it writes: for what takes
// long to compute, so that a wrong path is said first. It writes and opens nothing that
// would notice.
func CheckOutput(path string) error {
	_, err := resolve(path)
	return ofOutput(path, err)
}

// ofOutput puts the path before an error.
func ofOutput(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrIsFolder), errors.Is(err, ErrUnread), errors.Is(err, ErrOwned):
		return fmt.Errorf("%s %w", path, err)
	}
	return at(path, err)
}

// destination is what a user's path leads to.
type destination struct {
	path     string                   // of the file to install; empty for what is written through
	replaced fs.FileInfo              // the file that stands there, or nil
	open     func() (*os.File, error) // opens what is written through; nil for a file
}

// resolve finds out what to write to, and whether that may be.
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
		return d, errors.New("leads to a file that has no name")
	}
	file, err := os.OpenFile(target, os.O_WRONLY, 0) // it may not be writable, though its folder is
	if err != nil {
		return d, err
	}
	if err := file.Close(); err != nil {
		return d, err
	}
	return destination{path: target, replaced: info}, checkOwned(target)
}

// resolveNew is resolve where there is no file yet.
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
		return d, fmt.Errorf("%s is no folder", filepath.Dir(target))
	}
	return destination{path: target}, checkOwned(target)
}

// mostLinks is how many symbolic links may follow each other, as on Linux.
const mostLinks = 40

// follow returns the path, itself no link, that a path's links lead to; what it names
// need not exist. own is not nil where they lead to an open file of this process, which
// it duplicates.
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
			return path, nil, nil // no link, or nothing at all
		}
		if !filepath.IsAbs(link) {
			link = folder + string(filepath.Separator) + link
		}
		path = link
	}
	return "", nil, errors.New("too many links lead to each other")
}

// writeThrough writes to what keeps its place.
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
