//go:build unix

package lab

import (
	"errors"
	"net"
	"syscall"
)

// listenPrivately listens on a socket that only this user can open. The system makes the
// socket with the permissions that are left by the process's mask, so that nobody can
// open it before they are set.
func listenPrivately(path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o177))
	return net.Listen("unix", path)
}

// refused reports whether nobody listens on a socket.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
