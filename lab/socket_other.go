//go:build !unix && !js

package lab

import (
	"errors"
	"net"
)

// listenPrivately is an error, because this system has no permissions for a socket.
func listenPrivately(string) (net.Listener, error) {
	return nil, errors.New("a Unix socket needs Linux, macOS or another Unix; give HOST:PORT")
}

func refused(error) bool { return false }
