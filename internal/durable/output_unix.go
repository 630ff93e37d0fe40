//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// openThrough opens a file that is not regular, without blocking.
func openThrough(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, syscall.ENXIO) {
		if info, err := os.Stat(path); err == nil && info.Mode().Type() == fs.ModeNamedPipe {
			return nil, ErrUnread
		}
	}
	return file, err
}

// ownFile returns a function that duplicates the open file of this process that
// folder/base names, as /dev/fd/1 does, or nil if folder/base is not such a name. Opening
// the name itself would start at the beginning of a regular file. folder must not contain
// links.
func ownFile(folder, base string) func() (*os.File, error) {
	number, err := strconv.Atoi(base)
	if err != nil || number < 0 {
		return nil
	}
	self, err := filepath.EvalSymlinks("/proc/self")
	inThread, _ := filepath.Match(self+"/task/*/fd", folder)
	if folder != "/dev/fd" && (err != nil || folder != self+"/fd" && !inThread) {
		return nil
	}
	return func() (*os.File, error) {
		duplicate, err := syscall.Dup(number)
		if err != nil {
			return nil, err
		}
		syscall.CloseOnExec(duplicate)
		return os.NewFile(uintptr(duplicate), base), nil
	}
}

// cannotSync reports whether an error of a flush means that the file, such as a pipe,
// cannot be flushed.
func cannotSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP)
}

// keepOwner gives a new file the owner and group of another file, and returns the mode
// that it should have: the mode of the other file, without group permissions if the group
// could not be set.
func keepOwner(file *os.File, like fs.FileInfo) fs.FileMode {
	mode := like.Mode().Perm()
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return mode
	}
	if err := file.Chown(int(want.Uid), int(want.Gid)); err == nil {
		return mode
	}
	if err := file.Chown(-1, int(want.Gid)); err != nil {
		mode &^= 0o070
	}
	return mode
}
