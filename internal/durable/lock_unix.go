//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
)

// lockless lists the errors of flock on file systems without locks: Lustre without -o
// flock, NFS without a lock daemon, and some FUSE file systems.
var lockless = []syscall.Errno{syscall.ENOSYS, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOLCK}

// noted holds the device numbers of file systems without locks that were reported.
var noted sync.Map

// Lock locks the folder dir for this process until unlock is called or the process ends
// for any reason; no lock file is left behind. The error is [ErrLocked] if another
// process holds the lock. On a file system without locks, Lock succeeds without
// protection, and calls note once for each file system, with a line that says so and
// names the folder.
func Lock(dir string, note func(text string)) (unlock func(), err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, at(dir, err)
	}
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		return func() { _ = folder.Close() }, nil
	}
	isLockless := func(e syscall.Errno) bool { return errors.Is(err, e) }
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = ErrLocked
	case slices.ContainsFunc(lockless, isLockless):
		if _, known := noted.LoadOrStore(device(folder), true); !known {
			note(unprotected(dir, err))
		}
		return func() { _ = folder.Close() }, nil
	}
	_ = folder.Close()
	return nil, at(dir, err)
}

// device returns the device number of an open file's file system, or 0 if it is unknown.
func device(file *os.File) uint64 {
	info, err := file.Stat()
	if err != nil {
		return 0
	}
	stat, _ := info.Sys().(*syscall.Stat_t)
	if stat == nil {
		return 0
	}
	return uint64(stat.Dev)
}
