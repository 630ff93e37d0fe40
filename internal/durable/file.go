package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// temporaryPrefix begins the name of every temporary file and folder, which stand
// beside what they will become: a rename is atomic within one file system alone.
const temporaryPrefix = ".tmp-"

// WriteFile replaces the contents of the file at path, or creates it. Either the whole
// of data is on the disk when it returns, or an error is returned and the path holds
// what it held before (or data, where the folder's own flush is what failed). It is for
// files of the program's own; [Output] is for those that a user names. A link, a device
// or the like is nothing that it has made, and an error.
func WriteFile(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s is no regular file; remove it", path)
	}
	if err := install(path, data, nil); err != nil {
		return at(path, err)
	}
	return nil
}

// install puts a new file of data in the place of path; see installFrom.
func install(path string, data []byte, like fs.FileInfo) error {
	return installFrom(context.Background(), path, like, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
}

// installFrom puts a new file in the place of path, with what write writes to it. like is
// the file that stands there, whose mode and owner the new one takes, or nil for those of
// any new file. When ctx ends, the new file is removed and the context's error is
// returned, even if write is still running: its next write to the file fails.
func installFrom(ctx context.Context, path string, like fs.FileInfo, write func(file *os.File) error) (err error) {
	var file *os.File
	temporary, err := reserve(path, func(name string) error {
		file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary) // the error to report is the one that led here
		}
	}()
	if like != nil {
		err = file.Chmod(keepOwner(file, like))
	}
	if err == nil {
		err = untilEnded(ctx, func() error { return write(file) })
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// untilEnded returns the error of work, or of ctx where that ends first: work then
// continues on its own.
func untilEnded(ctx context.Context, work func() error) error {
	if ctx.Done() == nil {
		return work()
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Rename gives a file another name, in the place of a file that has it. The name is on
// the disk when it returns.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return at(to, err)
	}
	return syncFolder(filepath.Dir(to))
}

// Dir makes the folder final with what fill writes into the folder that it is given.
// Either final stands complete on the disk when Dir returns, or an error is returned
// and nothing of it is left (or all of it, where the flush of the folder around it is
// what failed). The folder that will hold final must exist and final must not
// ([fs.ErrExist]): a folder cannot be replaced in one step. An error of fill is
// returned as it is.
func Dir(final string, fill func(temporary string) error) error {
	if _, err := os.Lstat(final); err == nil {
		return at(final, fs.ErrExist)
	}
	temporary, err := reserve(final, func(name string) error { return os.Mkdir(name, 0o777) })
	if err != nil {
		return at(final, err)
	}
	renamed := false
	defer func() {
		if !renamed { // after an error, or a panic of fill
			_ = os.RemoveAll(temporary)
		}
	}()
	if err := fill(temporary); err != nil {
		return err
	}
	if err := syncTree(temporary); err != nil {
		return at(final, err)
	}
	if err := os.Rename(temporary, final); err != nil {
		return at(final, err)
	}
	renamed = true
	return syncFolder(filepath.Dir(final))
}

// Folder makes a folder, and those above it that are missing. Their names are on the disk
// when it returns: what is flushed into a folder is lost with the folder's name. One that
// is there already is no error.
func Folder(path string) error {
	path = filepath.Clean(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := Folder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return at(path, err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() { // made by somebody else, or a file
		return at(path, syscall.ENOTDIR)
	}
	// Who may write to a folder without reading it cannot flush it.
	if err := syncFolder(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Remove removes a file or a folder in one step: what a kill leaves of it is a temporary,
// which [CleanTemporaries] removes. That it does not exist is no error.
func Remove(path string) error {
	temporary, err := reserve(path, func(name string) error {
		if _, err := os.Lstat(name); err == nil {
			return fs.ErrExist
		}
		return os.Rename(path, name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.RemoveAll(temporary)
	}
	if err != nil {
		return at(path, err)
	}
	return nil
}

// CleanTemporaries removes from the folder dir what writers that were killed left
// there. It must not run while somebody writes to dir.
func CleanTemporaries(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return at(dir, err)
	}
	for _, entry := range entries {
		if !IsTemporary(entry.Name()) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if err := os.RemoveAll(path); err != nil {
			return at(path, err)
		}
	}
	return nil
}

// IsTemporary says whether a name is that of a temporary, which [CleanTemporaries] would
// remove.
func IsTemporary(name string) bool { return strings.HasPrefix(name, temporaryPrefix) }

// reserve calls create with the names of temporaries of path until one was free, which
// it returns.
func reserve(path string, create func(name string) error) (string, error) {
	folder, base := filepath.Split(filepath.Clean(path))
	for i := 0; ; i++ {
		name := filepath.Join(folder, fmt.Sprintf("%s%s-%d", temporaryPrefix, base, i))
		if err := create(name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// syncTree flushes every file and folder below and including root.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return syncFolder(path)
		case entry.Type().IsRegular():
			return syncPath(path)
		default:
			return nil
		}
	})
}

// syncFolder flushes the entries of a folder. Windows has no such call and orders its
// renames by itself.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return syncPath(path)
}

func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return at(path, err)
	}
	err = file.Sync()
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return at(path, err)
	}
	return nil
}
