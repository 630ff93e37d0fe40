//go:build !js

package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// mostSocketPath is the length in bytes of the longest path of a socket on every system.
const mostSocketPath = 103

// SocketPath returns the path in an address unix:PATH.
func SocketPath(address string) (path string, ok bool) { return strings.CutPrefix(address, "unix:") }

// CheckAddress returns an error of one line unless an address to listen on has the form
// HOST:PORT or unix:PATH.
func CheckAddress(address string) error {
	path, socket := SocketPath(address)
	_, _, err := net.SplitHostPort(address)
	switch {
	case !socket && err != nil:
		return fmt.Errorf("%s is not HOST:PORT, such as 127.0.0.1:8080, or unix:PATH", address)
	case socket && path == "":
		return errors.New("unix: names no socket; give its path, as in unix:lab.sock")
	case len(path) > mostSocketPath:
		return fmt.Errorf("the path of a socket has at most %d bytes, and this one has %d", mostSocketPath, len(path))
	}
	return nil
}

// Listen listens on HOST:PORT, or on a Unix socket unix:PATH, which only this user can
// open and which is removed when the listener closes. A socket that a program has left
// behind is replaced.
func Listen(address string) (net.Listener, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	path, ok := SocketPath(address)
	if !ok {
		return net.Listen("tcp", address)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSocket == 0:
		return nil, fmt.Errorf("%s exists and is not a socket; name another path", path)
	default:
		if err := removeStale(path); err != nil {
			return nil, err
		}
	}
	return listenPrivately(path)
}

// removeStale removes a socket on which no program listens.
func removeStale(path string) error {
	conn, err := net.Dial("unix", path)
	if err == nil {
		conn.Close()
		return fmt.Errorf("a program listens on %s already; end it, or name another path", path)
	}
	if !refused(err) {
		return err
	}
	return os.Remove(path)
}
