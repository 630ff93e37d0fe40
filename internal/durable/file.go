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

// temporaryPrefix begins the names of all temporary files and folders. They are created
// next to their targets, because a rename is atomic only within a file system.
const temporaryPrefix = ".tmp-"

// WriteFile creates or replaces the file at path. When it returns nil, all of data is on
// the disk. After an error, path has its old contents (or data, if only flushing the
// folder failed). WriteFile is for the program's own files and refuses links, devices and
// other special files; [Output] is for paths given by users.
func WriteFile(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s is not a regular file; remove it", path)
	}
	return at(path, installFrom(context.Background(), path, nil, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	}))
}

// installFrom replaces the file at path by a new file that the function write fills. The
// new file takes the mode and owner of like, the file that is replaced, or defaults if
// like is nil. When ctx ends, the new file is removed and the context's error is
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
			_ = os.Remove(temporary) // the error to report is the earlier one
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

// untilEnded runs work and returns its error. If ctx ends first, it returns the error of
// ctx, and work continues in the background.
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

// Rename renames a file and replaces a file with the new name. The new name is on the
// disk when it returns.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return at(to, err)
	}
	return syncFolder(filepath.Dir(to))
}

// Dir creates the folder final. fill writes its contents into a temporary folder. When
// Dir returns nil, final is complete and on the disk. After an error nothing remains (or
// everything, if only flushing the parent folder failed). The parent folder must exist,
// and final must not ([fs.ErrExist]), because a folder cannot be replaced atomically. An
// error of fill is returned unchanged.
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

// Folder creates a folder and its missing parents. Their names are on the disk when it
// returns, because files flushed into a folder are lost if the folder's name is lost. An
// existing folder is not an error.
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
	if info, err := os.Stat(path); err != nil || !info.IsDir() { // created by another process, or a file
		return at(path, syscall.ENOTDIR)
	}
	// A user who may write to a folder but not read it cannot flush it.
	if err := syncFolder(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Remove removes a file or folder in one step: a kill leaves at most a temporary, which
// [CleanTemporaries] removes. A path that does not exist is not an error.
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
	return at(path, err)
}

// CleanTemporaries removes temporaries that killed writers have left in the folder dir.
// It must not run while another process writes to dir.
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

// IsTemporary reports whether a name is the name of a temporary, which [CleanTemporaries]
// would remove.
func IsTemporary(name string) bool { return strings.HasPrefix(name, temporaryPrefix) }

// reserve calls the function create with temporary names for path until one is unused,
// and returns that name.
func reserve(path string, create func(name string) error) (string, error) {
	folder, base := filepath.Split(filepath.Clean(path))
	for i := 0; ; i++ {
		name := filepath.Join(folder, fmt.Sprintf("%s%s-%d", temporaryPrefix, base, i))
		if err := create(name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// syncTree flushes root and every file and folder below it.
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

// syncFolder flushes the entries of a folder. Windows has no such call and orders renames
// itself.
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
	return at(path, err)
}
