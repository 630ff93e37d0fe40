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

// openThrough opens what is no regular file, without waiting for anybody.
func openThrough(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, syscall.ENXIO) {
		if info, err := os.Stat(path); err == nil && info.Mode().Type() == fs.ModeNamedPipe {
			return nil, ErrUnread
		}
	}
	return file, err
}

// ownFile duplicates the open file of this process that an entry of a folder stands
// for, as /dev/fd/1 does; nil for other entries. folder has no links in it. Opening
// the entry itself would begin at the start of a regular file.
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

// cannotSync says whether an error of a flush is that there is nothing to flush, as of
// a pipe.
func cannotSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP)
}

// keepOwner gives a new file the owner and group of another, and returns the mode that
// it should have: the other's, without the group's rights where the group could not be
// given.
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
