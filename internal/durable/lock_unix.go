//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes the folder dir for this process until unlock is called or the process
// ends, however it ends: nothing is left behind that somebody would have to remove. If
// somebody else has it, the error is [ErrLocked]. A file system that knows no locks
// gives one to everybody.
func Lock(dir string) (unlock func(), err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, at(dir, err)
	}
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		_ = folder.Close()
		return nil, at(dir, ErrLocked)
	}
	return func() { _ = folder.Close() }, nil
}
